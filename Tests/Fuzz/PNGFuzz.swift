// modules: CImaging CLinux Imaging Media CJPEG CPNG CHEIF Codecs
import Codecs

/// Nothing traps, and what is decoded comes back the same from what is encoded.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPNG(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let limits = PictureLimits(maxPixels: 1 << 16)
  _ = try? PNG.decodeGray(bytes, limits: limits)
  guard let image = try? PNG.decode(bytes, limits: limits) else { return 0 }
  guard let again = try? PNG.decode(PNG.encode(image, level: 1), limits: limits) else {
    preconditionFailure("what was encoded is not decoded")
  }
  precondition(again.bytes == image.bytes)
  return 0
}
