import CHEIF
import Imaging
import Media

/// HEIC pictures, through libheif: HEVC's intra pictures in an ISO media file, about a third smaller than a JPEG as good.
///
/// Pixels come upright: the file's own rotation, mirroring and cropping are part of the format. Its codecs may be missing:
/// see `missingEncoder` and `missingDecoder`.
public enum HEIC {
  /// The quality a picture is encoded with where nothing else is said. libheif's numbers are not those of JPEG.
  public static let usualQuality = 60

  /// Why no picture can be encoded on this machine, and what to install; nil where one can.
  public static var missingEncoder: CodecError? {
    cheif_can_encode() != 0 ? nil : missing("encoder", package: "libheif-plugin-x265")
  }

  /// Why no picture can be decoded on this machine, and what to install; nil where one can.
  public static var missingDecoder: CodecError? {
    cheif_can_decode() != 0 ? nil : missing("decoder", package: "libheif-plugin-libde265")
  }

  static func missing(_ codec: String, package: String) -> CodecError {
    let version = String(cString: cheif_version())
    return CodecError(.noCodec, "libheif \(version) has no HEVC \(codec) here; install the package \(package)")
  }

  /// Whether the file's brands (ISO/IEC 14496-12, `ftyp`) are those of HEVC pictures.
  static func isOne(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 16, bytes[4..<8].elementsEqual("ftyp".utf8) else { return false }
    let size = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    // the minor version stands between the first brand and the others
    let places = [8] + stride(from: 16, to: min(size, bytes.count, 1024) - 3, by: 4)
    return places.contains { brands.contains(String(decoding: bytes[$0..<$0 + 4], as: UTF8.self)) }
  }

  private static let brands: Set<String> = ["heic", "heix", "heim", "heis"]

  /// Reads the size and kind without decoding. Throws `.invalid`, `.unsupported` and `.tooLarge`.
  public static func header(
    _ bytes: [UInt8], limits: PictureLimits = .standard
  ) throws(CodecError) -> PictureHeader {
    let size = try size(bytes, limits)
    return PictureHeader(
      format: .heic, width: Int(size.width), height: Int(size.height), hasColour: size.has_colour != 0)
  }

  /// Decodes the primary picture to colour, upright. Throws `.invalid`, `.unsupported`, `.tooLarge` by `limits`, `.noCodec`,
  /// and `.damaged` where data are missing or wrong.
  public static func decode(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(CodecError) -> RGBImage {
    let size = try size(bytes, limits)
    let (width, height) = try limits.check(width: size.width, height: size.height)
    // a decoder takes its memory by the size that is coded, not by the one that the file says
    for coded in HEVCSizes.read(bytes) {
      _ = try limits.check(width: UInt32(clamping: coded.width), height: UInt32(clamping: coded.height))
    }
    let count = width * height * 3
    var report = cheif_report()
    let pixels = [UInt8](unsafeUninitializedCapacity: count) { out, used in
      let status = bytes.withUnsafeBufferPointer {
        cheif_decode(
          $0.baseAddress, $0.count, UInt64(limits.maxPixels), size.width, size.height, out.baseAddress, &report)
      }
      used = status == CHEIF_OK.rawValue ? count : 0
    }
    if report.status != CHEIF_OK.rawValue { throw error(report) }
    return RGBImage(width: width, height: height, bytes: pixels)
  }

  /// Decodes to brightness, as `RGBImage.gray` makes it. Throws as `decode` does.
  public static func decodeGray(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(CodecError) -> GrayImage {
    try decode(bytes, limits: limits).gray
  }

  /// The primary picture's EXIF, or nil where there is none. Its orientation is not for whoever has the pixels: they are
  /// upright.
  public static func exif(_ bytes: [UInt8], limits: PictureLimits = .standard) -> Exif? {
    var out: UnsafeMutablePointer<UInt8>?
    var count = 0
    var report = cheif_report()
    _ = bytes.withUnsafeBufferPointer {
      cheif_exif($0.baseAddress, $0.count, UInt64(limits.maxPixels), &out, &count, &report)
    }
    guard let out else { return nil }
    defer { cheif_free(out) }
    guard var exif = Exif.read(tiff: [UInt8](UnsafeBufferPointer(start: out, count: count))) else { return nil }
    exif.orientation = 1
    return exif
  }

  /// Encodes a colour picture in 4:2:0 as fast as the encoder can, because a board does it between two shots. `quality` is
  /// libheif's 0…100. Throws `.noCodec`, `.tooLarge` beyond 16 384 pixels a side, and `.failed`.
  ///
  /// `thumbnailSide` is the longest side of the small picture in the file, 0 for none; one that would not be smaller than
  /// the picture is left out.
  public static func encode(
    _ image: RGBImage, quality: Int = usualQuality, exif: Exif? = nil, thumbnailSide: Int = 320
  ) throws(CodecError) -> [UInt8] {
    guard image.width > 0, image.height > 0 else {
      throw CodecError(.invalid, "a HEIC of \(image.width) × \(image.height) pixels")
    }
    guard max(image.width, image.height) <= longestSide else {
      throw CodecError(
        .tooLarge, "a HEIC side has at most \(longestSide) pixels, this is \(image.width) × \(image.height)")
    }
    if let missing = missingEncoder { throw missing }
    var upright = exif
    upright?.orientation = 1
    return try encode(image, thumbnail(of: image, side: thumbnailSide), upright?.headed() ?? [], quality)
  }

  /// What HEVC's highest usual level (6.2) takes, near enough.
  private static let longestSide = 16_384

  private static func thumbnail(of image: RGBImage, side: Int) -> RGBImage? {
    let longest = max(image.width, image.height)
    guard side > 0, side < longest else { return nil }
    let scaled = [image.width, image.height].map { max(1, ($0 * side + longest / 2) / longest) }
    return image.resized(width: scaled[0], height: scaled[1])
  }

  private static func encode(
    _ image: RGBImage, _ thumbnail: RGBImage?, _ exif: [UInt8], _ quality: Int
  ) throws(CodecError) -> [UInt8] {
    var out: UnsafeMutablePointer<UInt8>?
    var count = 0
    var report = cheif_report()
    let small = thumbnail ?? image
    image.bytes.withUnsafeBufferPointer { pixels in
      small.bytes.withUnsafeBufferPointer { smallPixels in
        exif.withUnsafeBufferPointer { block in
          "ultrafast".withCString { preset in
            var picture = pixels.picture(image)
            var reduced = smallPixels.picture(small)
            var recipe = cheif_recipe(
              quality: Int32(min(max(quality, 0), 100)), preset: preset,
              exif: exif.isEmpty ? nil : block.baseAddress, exif_size: block.count)
            _ = withUnsafePointer(to: &reduced) {
              cheif_encode(&picture, thumbnail == nil ? nil : $0, &recipe, &out, &count, &report)
            }
          }
        }
      }
    }
    guard report.status == CHEIF_OK.rawValue, let out else { throw error(report) }
    defer { cheif_free(out) }
    return [UInt8](UnsafeBufferPointer(start: out, count: count))
  }

  private static func size(_ bytes: [UInt8], _ limits: PictureLimits) throws(CodecError) -> cheif_size {
    var size = cheif_size()
    var report = cheif_report()
    let status = bytes.withUnsafeBufferPointer {
      cheif_read_header($0.baseAddress, $0.count, UInt64(limits.maxPixels), &size, &report)
    }
    if status != CHEIF_OK.rawValue { throw error(report) }
    return size
  }

  private static func error(_ report: cheif_report) -> CodecError {
    let message = withUnsafeBytes(of: report.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    switch UInt32(bitPattern: report.status) {
    case CHEIF_DAMAGED.rawValue: return CodecError(.damaged, message)
    case CHEIF_UNSUPPORTED.rawValue:
      return CodecError(.unsupported, message + "; save it as an ordinary HEIC or JPEG: 8 bits")
    case CHEIF_TOO_LARGE.rawValue: return CodecError(.tooLarge, message)
    case CHEIF_NO_MEMORY.rawValue: return CodecError(.noMemory, message)
    case CHEIF_NO_CODEC.rawValue: return missingDecoder ?? missingEncoder ?? CodecError(.noCodec, message)
    case CHEIF_FAILED.rawValue: return CodecError(.failed, message)
    default: return CodecError(.invalid, message)
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate func picture(_ image: RGBImage) -> cheif_pixels {
    cheif_pixels(rgb: baseAddress, width: UInt32(image.width), height: UInt32(image.height))
  }
}
