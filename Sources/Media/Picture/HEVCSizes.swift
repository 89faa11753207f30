/// The sizes that the coded pictures of a HEIC have by their own parameter sets.
///
/// A file says its pictures' size twice: in `ispe`, which readers go by, and in the sequence parameter set of each coded
/// picture, by which a decoder takes its memory. Only the first is checked by libheif. `hvc1` items have their parameter sets
/// in `hvcC` and nowhere else (ISO/IEC 14496-15, 8.3.2), so there is where to look.
public enum HEVCSizes {
  /// Columns and rows, as they are coded.
  public struct Size: Sendable, Hashable {
    /// Columns.
    public var width: Int
    /// Rows.
    public var height: Int
  }

  /// The size in each parameter set that can be read; what is damaged is left to the decoder to complain of.
  public static func read(_ bytes: [UInt8]) -> [Size] {
    let meta = Box.children(of: bytes, in: 0..<bytes.count).filter { $0.is("meta", in: bytes) }
    var sizes: [Size] = []
    for box in meta where box.body.count >= 4 {
      let properties = ["iprp", "ipco", "hvcC"].reduce([box.body.dropFirst(4)]) { ranges, name in
        ranges.flatMap { Box.children(of: bytes, in: $0).filter { $0.is(name, in: bytes) }.map(\.body) }
      }
      for property in properties { sizes += parameterSets(in: bytes, property).compactMap(size) }
    }
    return sizes
  }

  /// A box of an ISO media file (ISO/IEC 14496-12, 4.2).
  private struct Box {
    var name: Int
    var body: Range<Int>

    func `is`(_ name: String, in bytes: [UInt8]) -> Bool { bytes[self.name..<self.name + 4].elementsEqual(name.utf8) }

    static func children(of bytes: [UInt8], in range: Range<Int>) -> [Box] {
      var boxes: [Box] = []
      var at = range.lowerBound
      while at + 8 <= range.upperBound {
        var head = 8
        var size = Int(bytes.big32(at))
        if size == 1, at + 16 <= range.upperBound {
          head = 16
          size = Int(bytes.big32(at + 8)) << 32 | Int(bytes.big32(at + 12))
        } else if size == 0 {
          size = range.upperBound - at
        }
        // what reaches beyond the end is read as far as it goes: a decoder might do so, too
        guard size >= head else { break }
        let end = size > range.upperBound - at ? range.upperBound : at + size
        boxes.append(Box(name: at + 4, body: at + head..<end))
        at = end
      }
      return boxes
    }
  }

  /// The sequence parameter sets of a decoder configuration record (ISO/IEC 14496-15, 8.3.2.1).
  private static func parameterSets(in bytes: [UInt8], _ record: Range<Int>) -> [ArraySlice<UInt8>] {
    let body = bytes[record]
    guard body.count > 23 else { return [] }
    var sets: [ArraySlice<UInt8>] = []
    var at = record.lowerBound + 23
    for _ in 0..<bytes[at - 1] {
      guard at + 3 <= record.upperBound else { break }
      let isWanted = bytes[at] & 0x3F == 33
      let count = Int(bytes.big16(at + 1))
      at += 3
      for _ in 0..<count {
        guard at + 2 <= record.upperBound else { return sets }
        let end = at + 2 + Int(bytes.big16(at))
        guard end <= record.upperBound else { return sets }
        if isWanted { sets.append(bytes[at + 2..<end]) }
        at = end
      }
    }
    return sets
  }

  /// The size that a sequence parameter set begins with (H.265, 7.3.2.2).
  private static func size(_ set: ArraySlice<UInt8>) -> Size? {
    var bits = PayloadBits(set.dropFirst(2))
    bits.skip(4)
    guard let layers = bits.take(3) else { return nil }
    bits.skip(1 + 96)
    if layers > 0 {
      let flags = (0..<8).map { _ in bits.take(2) ?? 0 }
      for layer in 0..<layers {
        if flags[layer] & 2 != 0 { bits.skip(88) }
        if flags[layer] & 1 != 0 { bits.skip(8) }
      }
    }
    guard bits.number() != nil, let chroma = bits.number() else { return nil }
    if chroma == 3 { bits.skip(1) }
    guard let width = bits.number(), let height = bits.number() else { return nil }
    return Size(width: width, height: height)
  }
}

/// The bits of a NAL unit's payload, without the bytes that keep start codes out of it (H.265, 7.3.1.1).
private struct PayloadBits {
  private var bytes: [UInt8] = []
  private var at = 0

  init(_ unit: ArraySlice<UInt8>) {
    var zeros = 0
    // a size stands within the first bytes
    for byte in unit.prefix(512) {
      let isInserted = zeros >= 2 && byte == 3
      zeros = byte == 0 ? zeros + 1 : 0
      if !isInserted { bytes.append(byte) }
    }
  }

  mutating func skip(_ count: Int) { at += count }

  mutating func take(_ count: Int) -> Int? {
    guard at + count <= 8 * bytes.count else { return nil }
    var value = 0
    for _ in 0..<count {
      value = value << 1 | Int(bytes[at >> 3] >> UInt8(7 - (at & 7)) & 1)
      at += 1
    }
    return value
  }

  /// An Exp-Golomb number of at most 32 bits (H.265, 9.2).
  mutating func number() -> Int? {
    var zeros = 0
    while let bit = take(1), bit == 0 { zeros += 1 }
    guard zeros <= 32, let rest = take(zeros) else { return nil }
    return (1 << zeros) - 1 + rest
  }
}
