import CPNG
import Imaging

/// PNG pictures, through libpng. Colour values come as stored: 16 bits are scaled to 8, palettes looked up, interlaced
/// files put together; alpha is left out and gamma ignored.
public enum PNG {
  /// Reads the size and kind without decoding. Throws `.invalid`.
  public static func header(_ bytes: [UInt8]) throws(CodecError) -> PictureHeader {
    let size = try size(bytes)
    return PictureHeader(
      format: .png, width: Int(size.width), height: Int(size.height), hasColour: size.channels == 3)
  }

  /// Decodes to colour; a gray picture gets three equal channels. Throws `.invalid` (a broken or cut file too: every
  /// chunk is guarded by its checksum) and `.tooLarge`.
  public static func decode(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(CodecError) -> RGBImage {
    let (width, height, pixels) = try decode(bytes, size: try size(bytes), channels: 3, limits)
    return RGBImage(width: width, height: height, bytes: pixels)
  }

  /// Decodes to brightness; a colour picture is converted as by `RGBImage.gray`. Throws as `decode` does.
  public static func decodeGray(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(CodecError) -> GrayImage {
    let size = try size(bytes)
    let (width, height, pixels) = try decode(bytes, size: size, channels: Int(size.channels), limits)
    return size.channels == 1
      ? GrayImage(width: width, height: height, pixels: pixels)
      : RGBImage(width: width, height: height, bytes: pixels).gray
  }

  /// Encodes a colour picture; `level` is zlib's, 0 (stored) … 9 (smallest).
  public static func encode(_ image: RGBImage, level: Int = 4) throws(CodecError) -> [UInt8] {
    try encode(image.bytes, image.width, image.height, channels: 3, level)
  }

  /// Encodes a gray picture; `level` is zlib's, 0 (stored) … 9 (smallest).
  public static func encode(_ image: GrayImage, level: Int = 4) throws(CodecError) -> [UInt8] {
    try encode(image.pixels, image.width, image.height, channels: 1, level)
  }

  private static func size(_ bytes: [UInt8]) throws(CodecError) -> cpng_size {
    var size = cpng_size()
    var report = cpng_report()
    let status = bytes.withUnsafeBufferPointer { cpng_read_header($0.baseAddress, $0.count, &size, &report) }
    if status != CPNG_OK.rawValue { throw error(report) }
    return size
  }

  private static func decode(
    _ bytes: [UInt8], size: cpng_size, channels: Int, _ limits: PictureLimits
  ) throws(CodecError) -> (Int, Int, [UInt8]) {
    let (width, height) = try limits.check(width: size.width, height: size.height)
    let count = width * height * channels
    var report = cpng_report()
    let pixels = [UInt8](unsafeUninitializedCapacity: count) { out, used in
      _ = bytes.withUnsafeBufferPointer {
        cpng_decode($0.baseAddress, $0.count, Int32(channels), out.baseAddress, count, &report)
      }
      used = count
    }
    if report.status != CPNG_OK.rawValue { throw error(report) }
    return (width, height, pixels)
  }

  private static func encode(
    _ pixels: [UInt8], _ width: Int, _ height: Int, channels: Int32, _ level: Int
  ) throws(CodecError) -> [UInt8] {
    guard width > 0, height > 0 else { throw CodecError(.invalid, "a PNG of \(width) × \(height) pixels") }
    guard width <= Int(Int32.max), height <= Int(Int32.max) else {
      throw CodecError(.tooLarge, "a PNG side has at most 2³¹ − 1 pixels, this is \(width) × \(height)")
    }
    var out: UnsafeMutablePointer<UInt8>?
    var count = 0
    var report = cpng_report()
    let status = pixels.withUnsafeBufferPointer {
      cpng_encode(
        $0.baseAddress, UInt32(width), UInt32(height), channels, Int32(min(max(level, 0), 9)), &out, &count, &report)
    }
    guard status == CPNG_OK.rawValue, let out else { throw error(report) }
    defer { cpng_free(out) }
    return [UInt8](UnsafeBufferPointer(start: out, count: count))
  }

  private static func error(_ report: cpng_report) -> CodecError {
    let message = withUnsafeBytes(of: report.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return CodecError(UInt32(bitPattern: report.status) == CPNG_NO_MEMORY.rawValue ? .noMemory : .invalid, message)
  }
}
