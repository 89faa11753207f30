import Imaging
import Media

/// Pictures whatever their format, told apart by their first bytes and never by the file's name.
public enum Picture {
  /// The format by the first bytes, or nil where it is none we read.
  public static func format(_ bytes: [UInt8]) -> PictureHeader.Format? {
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
    if HEIC.isOne(bytes) { return .heic }
    return nil
  }

  /// Reads the header of a picture. Throws `.invalid` where the format is unknown.
  public static func header(_ bytes: [UInt8]) throws(CodecError) -> PictureHeader {
    switch try known(bytes) {
    case .jpeg: try JPEG.header(bytes)
    case .png: try PNG.header(bytes)
    case .heic: try HEIC.header(bytes)
    }
  }

  /// Decodes a picture to colour. Throws as the format's decoder does, `.invalid` where the format is unknown.
  public static func decode(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(CodecError) -> RGBImage {
    switch try known(bytes) {
    case .jpeg: try JPEG.decode(bytes, limits: limits)
    case .png: try PNG.decode(bytes, limits: limits)
    case .heic: try HEIC.decode(bytes, limits: limits)
    }
  }

  /// Decodes a picture to brightness. Throws as `decode` does.
  public static func decodeGray(_ bytes: [UInt8], limits: PictureLimits = .standard) throws(CodecError) -> GrayImage {
    switch try known(bytes) {
    case .jpeg: try JPEG.decodeGray(bytes, limits: limits)
    case .png: try PNG.decodeGray(bytes, limits: limits)
    case .heic: try HEIC.decodeGray(bytes, limits: limits)
    }
  }

  /// Reads and decodes a picture file to colour. Every error names the file.
  public static func read(_ path: String, limits: PictureLimits = .standard) throws(CodecError) -> RGBImage {
    let bytes = try contents(path, limits)
    do { return try decode(bytes, limits: limits) } catch { throw error.at(path) }
  }

  /// Reads and decodes a picture file to brightness. Every error names the file.
  public static func readGray(_ path: String, limits: PictureLimits = .standard) throws(CodecError) -> GrayImage {
    let bytes = try contents(path, limits)
    do { return try decodeGray(bytes, limits: limits) } catch { throw error.at(path) }
  }

  private static func contents(_ path: String, _ limits: PictureLimits) throws(CodecError) -> [UInt8] {
    do {
      return try FileBytes.read(path, limit: limits.maxFileBytes)
    } catch {
      throw CodecError(error.kind == .tooLarge ? .tooLarge : .io, place: path, error.reason)
    }
  }

  private static func known(_ bytes: [UInt8]) throws(CodecError) -> PictureHeader.Format {
    guard let format = format(bytes) else {
      throw CodecError(
        .invalid, bytes.isEmpty ? "the file is empty" : "neither a JPEG, a PNG nor a HEIC; save it as one of them")
    }
    return format
  }
}

extension CodecError {
  func at(_ path: String) -> CodecError {
    var named = self
    named.place = path
    return named
  }
}
