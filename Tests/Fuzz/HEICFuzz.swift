// modules: CLinux Files Media
import Media

/// Nothing traps, and no size is negative. What libheif makes of such bytes is libheif's.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHEIC(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  for size in HEVCSizes.read(Array(UnsafeBufferPointer(start: start, count: count))) {
    precondition(size.width >= 0 && size.height >= 0)
  }
  return 0
}
