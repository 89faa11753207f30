#if canImport(Glibc)
  import Glibc
#endif

/// What the first bytes of a JPEG or PNG say, without decoding: enough to set up the views. Damage further in is found
/// when the picture is decoded.
struct PictureHeader: Hashable {
  /// Size in pixels.
  var width: Int, height: Int

  /// Why a header could not be read.
  enum Failure: Error, CustomStringConvertible {
    case absent, empty, unknownFormat, damaged

    var description: String {
      switch self {
      case .absent: "the file is missing or unreadable"
      case .empty: "the file is empty"
      case .unknownFormat: "neither JPEG nor PNG"
      case .damaged: "the picture's header is damaged"
      }
    }
  }

  /// Pictures larger than this in either direction are refused (JPEG's own limit).
  static let sideLimit = 65_500

  /// Reads the header of the file at `path`.
  init(path: String) throws(Failure) {
    guard let file = fopen(path, "rb") else { throw .absent }
    defer { fclose(file) }
    // EXIF thumbnails and colour profiles may put the frame header far into a JPEG
    var bytes: [UInt8] = []
    for limit in [64 << 10, 1 << 20, 16 << 20] {
      let wanted = limit - bytes.count
      bytes += [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
        count = fread(buffer.baseAddress, 1, wanted, file)
      }
      guard ferror(file) == 0 else { throw .absent }
      do throws(Failure) {
        try self.init(bytes: bytes)
        return
      } catch {
        guard error == .damaged, bytes.count == limit, limit < 16 << 20 else { throw error }
      }
    }
    throw .damaged
  }

  /// Reads the header from a file's first bytes.
  init(bytes: [UInt8]) throws(Failure) {
    guard !bytes.isEmpty else { throw .empty }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      try self.init(png: bytes)
    } else if bytes.starts(with: [0xFF, 0xD8]) {
      try self.init(jpeg: bytes)
    } else {
      throw .unknownFormat
    }
    guard (1...Self.sideLimit).contains(width), (1...Self.sideLimit).contains(height) else { throw .damaged }
  }

  private init(png bytes: [UInt8]) throws(Failure) {
    guard bytes.count >= 24, bytes[12..<16].elementsEqual("IHDR".utf8) else { throw .damaged }
    func word(_ at: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(bytes[at + $1]) } }
    width = word(16)
    height = word(20)
  }

  private init(jpeg bytes: [UInt8]) throws(Failure) {
    var at = 2
    while at + 9 <= bytes.count {
      guard bytes[at] == 0xFF else { throw .damaged }
      let marker = bytes[at + 1]
      if marker == 0xFF {
        at += 1
        continue
      }
      let isFrame = (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
      if isFrame {
        height = Int(bytes[at + 5]) << 8 | Int(bytes[at + 6])
        width = Int(bytes[at + 7]) << 8 | Int(bytes[at + 8])
        return
      }
      let length = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
      guard length >= 2 else { throw .damaged }
      at += 2 + length
    }
    throw .damaged
  }
}
