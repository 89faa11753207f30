/// LZ4 blocks (Y. Collet, "LZ4 block format description"), compressed greedily through a table of the last place of every
/// four bytes.
enum LZ4 {
  /// A block as OpenUSD's crate files hold it: a zero for “not in pieces”, then the block.
  static func frameless(_ bytes: [UInt8]) -> [UInt8] { [0] + block(bytes) }

  /// The format wants the last five bytes as they are, and no match that begins in the last twelve.
  private static let lastLiterals = 5
  private static let lastMatchStart = 12
  private static let farthest = 65_535

  static func block(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count / 2 + 16)
    var table = [Int32](repeating: -1, count: 1 << 14)
    var anchor = 0
    var at = 0
    while at + lastMatchStart < bytes.count {
      let word = bytes.little32(at)
      let slot = Int((word &* 2_654_435_761) >> 18)
      let candidate = Int(table[slot])
      table[slot] = Int32(truncatingIfNeeded: at)
      guard candidate >= 0, at - candidate <= farthest, bytes.little32(candidate) == word else {
        at += 1
        continue
      }
      var length = 4
      while at + length < bytes.count - lastLiterals, bytes[candidate + length] == bytes[at + length] { length += 1 }
      sequence(&out, bytes[anchor..<at], match: length, back: at - candidate)
      at += length
      anchor = at
    }
    sequence(&out, bytes[anchor...], match: 0, back: 0)
    return out
  }

  private static func sequence(_ out: inout [UInt8], _ literals: ArraySlice<UInt8>, match: Int, back: Int) {
    let extra = match == 0 ? 0 : match - 4
    out.append(UInt8(min(literals.count, 15) << 4 | min(extra, 15)))
    length(&out, literals.count)
    out.append(contentsOf: literals)
    guard match > 0 else { return }
    out.append(little: UInt16(back))
    length(&out, extra)
  }

  /// What of a length the four bits of the token could not hold.
  private static func length(_ out: inout [UInt8], _ count: Int) {
    guard count >= 15 else { return }
    var rest = count - 15
    while rest >= 255 {
      out.append(255)
      rest -= 255
    }
    out.append(UInt8(rest))
  }
}
