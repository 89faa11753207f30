/// A zip archive whose entries are stored, not compressed, each payload on a boundary: what a USDZ package has to be.
///
/// Format: PKWARE, "APPNOTE.TXT", 6.3; alignment by padding the local header's extra field, as Pixar's "USDZ file format
/// specification" (1.3) says.
public struct ZipArchive: Sendable {
  /// The boundary of every payload, in bytes.
  public static let alignment = 64

  private var bytes: [UInt8] = []
  private var directory: [UInt8] = []
  private var entries = 0

  /// An empty archive.
  public init() {}

  /// Adds a file. Throws `.tooLarge` where the archive would pass 4 GB or 65 535 files (no zip64 is written).
  public mutating func add(_ name: String, _ payload: [UInt8]) throws(MediaError) {
    let nameBytes = Array(name.utf8)
    let headerEnd = bytes.count + 30 + nameBytes.count
    // an extra field is at least its own four bytes of header
    let padding = (ZipArchive.alignment - (headerEnd + 4) % ZipArchive.alignment) % ZipArchive.alignment + 4
    guard headerEnd + padding + payload.count + directory.count + 1024 < Int(UInt32.max), entries < 65_535,
      nameBytes.count < 1024
    else { throw MediaError(.tooLarge, place: name, "a zip archive of more than 4 GB") }
    let crc = CRC32.of(payload)
    let offset = UInt32(bytes.count)
    bytes.append(little: UInt32(0x0403_4B50))
    common(&bytes, crc: crc, size: UInt32(payload.count), nameCount: nameBytes.count, extra: padding)
    bytes.append(contentsOf: nameBytes)
    bytes.append(little: UInt16(0x1986))  // the identifier that Pixar's own writer uses for padding
    bytes.append(little: UInt16(padding - 4))
    bytes.append(contentsOf: repeatElement(0, count: padding - 4))
    bytes.append(contentsOf: payload)

    directory.append(little: UInt32(0x0201_4B50))
    directory.append(little: UInt16(20))
    common(&directory, crc: crc, size: UInt32(payload.count), nameCount: nameBytes.count, extra: 0)
    directory.append(contentsOf: repeatElement(0, count: 10))  // no comment, first disk, no attributes
    directory.append(little: offset)
    directory.append(contentsOf: nameBytes)
    entries += 1
  }

  /// The finished archive.
  public func finished() -> [UInt8] {
    var out = bytes
    out.append(contentsOf: directory)
    out.append(little: UInt32(0x0605_4B50))
    out.append(little: UInt32(0))  // this disk, the directory's disk
    out.append(little: UInt16(entries))
    out.append(little: UInt16(entries))
    out.append(little: UInt32(directory.count))
    out.append(little: UInt32(bytes.count))
    out.append(little: UInt16(0))
    return out
  }

  /// The fields that a local header and a directory entry share. The time is fixed (1980-01-01 00:00), so that the same
  /// contents give the same bytes.
  private func common(_ out: inout [UInt8], crc: UInt32, size: UInt32, nameCount: Int, extra: Int) {
    out.append(little: UInt16(20))  // version needed
    out.append(little: UInt16(0x0800))  // names are UTF-8
    out.append(little: UInt16(0))  // stored
    out.append(little: UInt16(0))
    out.append(little: UInt16(0x0021))
    out.append(little: crc)
    out.append(little: size)
    out.append(little: size)
    out.append(little: UInt16(nameCount))
    out.append(little: UInt16(extra))
  }
}
