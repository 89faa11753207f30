// modules: CImaging CLinux Imaging Media CJPEG CPNG CHEIF Codecs
import Codecs
import Media

/// Nothing traps, at any scale, and sizes agree with the header.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJPEG(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let limits = PictureLimits(maxPixels: 1 << 18)
  _ = Exif.read(jpeg: bytes)
  guard let header = try? JPEG.header(bytes) else { return 0 }
  for (index, scale) in JPEG.Scale.allCases.enumerated() where index == count % 4 {
    if let image = try? JPEG.decode(bytes, scale: scale, limits: limits, acceptDamage: true) {
      precondition(image.width == (header.width + scale.rawValue - 1) / scale.rawValue)
    }
    _ = try? JPEG.decodeGray(bytes, scale: scale, limits: limits)
  }
  return 0
}
