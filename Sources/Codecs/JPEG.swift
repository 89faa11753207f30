import CJPEG
import Imaging
import Media

/// JPEG pictures, through libjpeg(-turbo).
///
/// Pixels come as stored: an EXIF orientation is not applied, because a lens calibration speaks of stored pixels
/// (`Exif` reads it, `RGBImage.oriented` applies it).
public enum JPEG {
  /// The size at which a picture is decoded. The smaller ones skip most of the inverse DCT and cost a fraction.
  public enum Scale: Int, Sendable, CaseIterable {
    /// As stored.
    case full = 1
    /// Half of each side, rounded up.
    case half = 2
    /// A quarter of each side, rounded up.
    case quarter = 4
    /// An eighth of each side, rounded up.
    case eighth = 8
  }

  /// How colour is sampled in an encoded picture.
  public enum Chroma: Sendable {
    /// 4:4:4, a colour for every pixel.
    case full
    /// 4:2:0, a colour for every 2 × 2 pixels.
    case halved
  }

  /// Reads the size and kind without decoding. Throws `.invalid` or `.unsupported`.
  public static func header(_ bytes: [UInt8]) throws(CodecError) -> PictureHeader {
    let size = try size(bytes, scale: .full)
    return PictureHeader(
      format: .jpeg, width: Int(size.width), height: Int(size.height), hasColour: size.components != 1)
  }

  /// Decodes to colour; a gray picture gets three equal channels.
  ///
  /// Throws `.invalid`, `.unsupported` (CMYK, arithmetic or 12-bit), `.tooLarge` by `limits` at the decoded scale, and
  /// `.damaged` where data are missing or wrong, unless `acceptDamage` asks for what can be had (gray where nothing).
  public static func decode(
    _ bytes: [UInt8], scale: Scale = .full, limits: PictureLimits = .standard, acceptDamage: Bool = false
  ) throws(CodecError) -> RGBImage {
    let (width, height, pixels) = try decode(bytes, scale, limits, acceptDamage, gray: false)
    return RGBImage(width: width, height: height, bytes: pixels)
  }

  /// Decodes the brightness channel alone (Y of BT.601 as stored): no colour is decoded at all. Throws as `decode` does.
  public static func decodeGray(
    _ bytes: [UInt8], scale: Scale = .full, limits: PictureLimits = .standard, acceptDamage: Bool = false
  ) throws(CodecError) -> GrayImage {
    let (width, height, pixels) = try decode(bytes, scale, limits, acceptDamage, gray: true)
    return GrayImage(width: width, height: height, pixels: pixels)
  }

  /// Encodes a colour picture. `quality` is the usual 1…100. Throws `.tooLarge` beyond 65 500 pixels a side.
  public static func encode(
    _ image: RGBImage, quality: Int = 92, chroma: Chroma = .full, exif: Exif? = nil
  ) throws(CodecError) -> [UInt8] {
    let bytes = try encode(image.bytes, image.width, image.height, components: 3, quality, chroma)
    guard let exif else { return bytes }
    return try inserting(exif.headed(), into: bytes)
  }

  /// EXIF and JFIF both claim the place behind the first marker: EXIF's segment takes that of JFIF's, of which nothing is
  /// missed (CIPA DC-008 2.32, section 4.5.4).
  private static func inserting(_ exif: [UInt8], into bytes: [UInt8]) throws(CodecError) -> [UInt8] {
    let length = exif.count + 2
    guard length <= 0xFFFF else {
      throw CodecError(.tooLarge, "\(exif.count) bytes of EXIF where a JPEG takes at most 65533")
    }
    let hasJFIF = bytes.count > 6 && bytes[2] == 0xFF && bytes[3] == 0xE0
    let rest = hasJFIF ? 4 + Int(bytes[4]) * 256 + Int(bytes[5]) : 2
    return bytes[..<2] + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + exif + bytes[rest...]
  }

  /// Encodes a gray picture. `quality` is the usual 1…100. Throws `.tooLarge` beyond 65 500 pixels a side.
  public static func encode(_ image: GrayImage, quality: Int = 92) throws(CodecError) -> [UInt8] {
    try encode(image.pixels, image.width, image.height, components: 1, quality, .full)
  }

  private static func size(_ bytes: [UInt8], scale: Scale) throws(CodecError) -> cjpeg_size {
    var size = cjpeg_size()
    var report = cjpeg_report()
    let status = bytes.withUnsafeBufferPointer {
      cjpeg_read_header($0.baseAddress, $0.count, Int32(scale.rawValue), &size, &report)
    }
    if status != CJPEG_OK.rawValue, status != CJPEG_DAMAGED.rawValue { throw error(report) }
    return size
  }

  private static func decode(
    _ bytes: [UInt8], _ scale: Scale, _ limits: PictureLimits, _ acceptDamage: Bool, gray: Bool
  ) throws(CodecError) -> (Int, Int, [UInt8]) {
    let size = try size(bytes, scale: scale)
    let (width, height) = try limits.check(width: size.scaled_width, height: size.scaled_height)
    let count = width * height * (gray ? 1 : 3)
    var report = cjpeg_report()
    let pixels = [UInt8](unsafeUninitializedCapacity: count) { out, used in
      _ = bytes.withUnsafeBufferPointer {
        cjpeg_decode(
          $0.baseAddress, $0.count, Int32(scale.rawValue), gray ? 1 : 0, out.baseAddress, count, &report)
      }
      used = count
    }
    let spoiled = report.status == CJPEG_DAMAGED.rawValue && !acceptDamage
    if spoiled || report.status > CJPEG_DAMAGED.rawValue { throw error(report) }
    return (width, height, pixels)
  }

  private static func encode(
    _ pixels: [UInt8], _ width: Int, _ height: Int, components: Int32, _ quality: Int, _ chroma: Chroma
  ) throws(CodecError) -> [UInt8] {
    guard width > 0, height > 0 else { throw CodecError(.invalid, "a JPEG of \(width) × \(height) pixels") }
    guard width <= 65_500, height <= 65_500 else {
      throw CodecError(.tooLarge, "a JPEG side has at most 65500 pixels, this is \(width) × \(height)")
    }
    var out: UnsafeMutablePointer<UInt8>?
    var count = 0
    var report = cjpeg_report()
    let status = pixels.withUnsafeBufferPointer {
      cjpeg_encode(
        $0.baseAddress, UInt32(width), UInt32(height), components, Int32(min(max(quality, 1), 100)),
        chroma == .halved ? 1 : 0, &out, &count, &report)
    }
    guard status == CJPEG_OK.rawValue, let out else { throw error(report) }
    defer { cjpeg_free(out) }
    return [UInt8](UnsafeBufferPointer(start: out, count: count))
  }

  private static func error(_ report: cjpeg_report) -> CodecError {
    let message = withUnsafeBytes(of: report.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    switch UInt32(bitPattern: report.status) {
    case CJPEG_DAMAGED.rawValue:
      let isCut = message.hasPrefix("Premature end")
      return CodecError(.damaged, isCut ? "it ends in the middle of the picture" : message)
    case CJPEG_UNSUPPORTED.rawValue:
      return CodecError(.unsupported, message + "; save it as an ordinary JPEG: RGB, 8 bits")
    case CJPEG_NO_MEMORY.rawValue: return CodecError(.noMemory, message)
    default: return CodecError(.invalid, message)
    }
  }
}
