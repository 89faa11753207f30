// modules: CLinux Files Media
import Media

/// Nothing traps, and what was read and is written again reads the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEXIF(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let exif = Exif.read(tiff: bytes) else { return 0 }
  for order in Exif.ByteOrder.allCases {
    guard let again = Exif.read(tiff: exif.tiff(order)) else { preconditionFailure("its own writing is not read") }
    precondition(again.orientation == exif.orientation && again.width == exif.width && again.height == exif.height)
    // damaged characters grow when they are written as such, and long texts are not read
    for (old, new) in [(exif.make, again.make), (exif.model, again.model), (exif.taken?.text, again.taken?.text)]
    where old?.utf8.count ?? 0 < 256 { precondition(old == new) }
  }
  return 0
}
