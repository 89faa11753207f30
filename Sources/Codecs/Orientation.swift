import Imaging
import Media

extension RGBImage {
  /// The picture turned upright, where `orientation` is EXIF's 1…8 of how it is stored; others leave it as it is.
  /// A lens calibration speaks of the stored picture: turn for people to look at, not for measuring.
  public func oriented(_ orientation: Int) -> RGBImage {
    guard (2...8).contains(orientation) else { return self }
    let swaps = orientation >= 5
    var out = RGBImage(width: swaps ? height : width, height: swaps ? width : height)
    for y in 0..<out.height {
      for x in 0..<out.width {
        let right = width - 1
        let bottom = height - 1
        switch orientation {
        case 2: out[x, y] = self[right - x, y]
        case 3: out[x, y] = self[right - x, bottom - y]
        case 4: out[x, y] = self[x, bottom - y]
        case 5: out[x, y] = self[y, x]
        case 6: out[x, y] = self[y, bottom - x]
        case 7: out[x, y] = self[right - y, bottom - x]
        default: out[x, y] = self[right - y, x]
        }
      }
    }
    return out
  }
}

extension Picture {
  /// What a camera wrote beside a JPEG or HEIC, or nil where there is nothing.
  public static func exif(_ bytes: [UInt8]) -> Exif? {
    format(bytes) == .heic ? HEIC.exif(bytes) : Exif.read(jpeg: bytes)
  }

  /// Decodes a picture and turns it upright, for people to look at: by its EXIF orientation; a HEIC, which turns itself, not
  /// once more. Throws as `decode` does.
  public static func decodeUpright(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(CodecError) -> RGBImage {
    let image = try decode(bytes, limits: limits)
    return image.oriented(Exif.read(jpeg: bytes)?.orientation ?? 1)
  }
}
