/// A reading place in bytes. Every step is checked: a parser built on it cannot read past the end.
struct ByteCursor {
  let bytes: [UInt8]
  private(set) var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var left: Int { bytes.count - offset }
  var isAtEnd: Bool { offset >= bytes.count }

  /// Moves on by `count` bytes and returns where they begin.
  @inline(__always) mutating func take(_ count: Int) throws(MediaError) -> Int {
    guard count >= 0, count <= left else { throw cutShort(wanting: count) }
    let start = offset
    offset = start &+ count
    return start
  }

  /// Moves on by `count` records of `size` bytes each and returns where they begin.
  mutating func take(_ count: Int, recordsOf size: Int) throws(MediaError) -> Int {
    let (total, overflow) = count.multipliedReportingOverflow(by: size)
    guard !overflow else { throw cutShort(wanting: Int.max) }
    return try take(total)
  }

  /// The line from here to the next line end, which is passed over; a carriage return before it is dropped.
  /// Throws `.tooLarge` where no line ends within `limit` bytes.
  mutating func line(limit: Int) throws(MediaError) -> String {
    let end = min(bytes.count, offset + limit)
    guard let stop = bytes[offset..<end].firstIndex(of: 0x0A) else {
      if end < bytes.count {
        throw MediaError(.tooLarge, place: "byte \(offset)", "a line of more than \(limit) bytes")
      }
      throw cutShort(wanting: 1)
    }
    var text = bytes[offset..<stop]
    if text.last == 0x0D { text.removeLast() }
    offset = stop + 1
    return String(decoding: text, as: UTF8.self)
  }

  private func cutShort(wanting count: Int) -> MediaError {
    MediaError(.truncated, place: "byte \(offset)", "\(left) bytes left where \(count) more were promised")
  }
}

extension Array where Element == UInt8 {
  /// The little-endian whole number at `offset`.
  @inline(__always) func little32(_ offset: Int) -> UInt32 {
    UInt32(self[offset]) | UInt32(self[offset + 1]) << 8 | UInt32(self[offset + 2]) << 16 | UInt32(self[offset + 3])
      << 24
  }
  /// The little-endian whole number at `offset`.
  @inline(__always) func little16(_ offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 }
  /// The big-endian whole number at `offset`.
  @inline(__always) func big32(_ offset: Int) -> UInt32 { little32(offset).byteSwapped }
  /// The big-endian whole number at `offset`.
  @inline(__always) func big16(_ offset: Int) -> UInt16 { little16(offset).byteSwapped }

  /// Adds a little-endian whole number.
  @inline(__always) mutating func append<T: FixedWidthInteger>(little value: T) {
    var rest = value.littleEndian
    Swift.withUnsafeBytes(of: &rest) { append(contentsOf: $0) }
  }
  /// Adds the characters of a text.
  mutating func append(_ text: String) { append(contentsOf: text.utf8) }
}
