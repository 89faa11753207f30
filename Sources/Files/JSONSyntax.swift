/// Walks through a text by the grammar of JSON (RFC 8259) and notes where its numbers stand. Decoders say that a text is no
/// JSON; where it stops being one, and which number does not fit, they do not say.
struct JSONSyntax {
  /// Values may lie in one another this deep; ours lie less than ten deep.
  private static let deepest = 128

  private let bytes: [UInt8]
  private var place = 0
  /// Where the numbers are, in order.
  private(set) var numbers: [Range<Int>] = []

  /// Throws where `bytes` is not one JSON value.
  init(of bytes: [UInt8]) throws(DamagedJSON) {
    self.bytes = bytes
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw DamagedJSON(byte: Self.firstBesideUTF8(in: bytes), "no UTF-8 text")
    }
    skipSpace()
    if next == nil { throw DamagedJSON(bytes.isEmpty ? "it is empty" : "nothing but space is in it") }
    try value(depth: 0)
    if next != nil { throw unexpected("the end") }
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
  }

  private func unexpected(_ wanted: String) -> DamagedJSON {
    guard let byte = next else { return DamagedJSON(byte: place, "it ends where \(wanted) should be") }
    let isPrintable = (0x21...0x7E).contains(byte)
    let found = isPrintable ? "\"\(Character(UnicodeScalar(byte)))\"" : "a byte of value \(byte)"
    return DamagedJSON(byte: place, "\(found) where \(wanted) should be")
  }

  /// One value and the space behind it.
  private mutating func value(depth: Int) throws(DamagedJSON) {
    guard depth <= Self.deepest else { throw DamagedJSON(byte: place, "values lie too deep in one another") }
    switch next {
    case UInt8(ascii: "{"):
      try members(until: UInt8(ascii: "}")) { (text) throws(DamagedJSON) in
        guard text.next == UInt8(ascii: "\"") else { throw text.unexpected("a key") }
        try text.string()
        text.skipSpace()
        try text.take(UInt8(ascii: ":"))
        try text.value(depth: depth + 1)
      }
    case UInt8(ascii: "["):
      try members(until: UInt8(ascii: "]")) { (text) throws(DamagedJSON) in try text.value(depth: depth + 1) }
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    default: try number()
    }
    skipSpace()
  }

  private mutating func members(
    until end: UInt8, _ member: (inout JSONSyntax) throws(DamagedJSON) -> Void
  ) throws(DamagedJSON) {
    place += 1
    skipSpace()
    if next == end {
      place += 1
      return
    }
    while true {
      try member(&self)
      if next == end { break }
      guard next == UInt8(ascii: ",") else { throw unexpected("a comma or \"\(Character(UnicodeScalar(end)))\"") }
      place += 1
      skipSpace()
    }
    place += 1
  }

  private mutating func take(_ byte: UInt8) throws(DamagedJSON) {
    guard next == byte else { throw unexpected("\"\(Character(UnicodeScalar(byte)))\"") }
    place += 1
    skipSpace()
  }

  private mutating func word(_ word: String) throws(DamagedJSON) {
    for byte in word.utf8 {
      guard next == byte else { throw unexpected("\"\(word)\"") }
      place += 1
    }
  }

  private mutating func number() throws(DamagedJSON) {
    let start = place
    if next == UInt8(ascii: "-") { place += 1 }
    guard isDigit else { throw unexpected(place > start ? "a digit" : "a value") }
    if next == UInt8(ascii: "0") { place += 1 } else { digits() }
    if next == UInt8(ascii: ".") {
      place += 1
      guard isDigit else { throw unexpected("a digit") }
      digits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      place += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { place += 1 }
      guard isDigit else { throw unexpected("a digit") }
      digits()
    }
    numbers.append(start..<place)
  }

  private var isDigit: Bool { next.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false }

  private mutating func digits() { while isDigit { place += 1 } }

  private mutating func string() throws(DamagedJSON) {
    place += 1
    while let byte = next, byte != UInt8(ascii: "\"") {
      switch byte {
      case 0..<0x20: throw unexpected("a character of a text")
      case UInt8(ascii: "\\"):
        guard let length = escape(bytes[place...]) else {
          throw DamagedJSON(byte: place, "no escape that JSON has")
        }
        place += length
      default: place += 1
      }
    }
    guard next != nil else { throw unexpected("the end of a text") }
    place += 1
  }

  /// How long the escape is that begins here, nil where it is none.
  private func escape(_ text: ArraySlice<UInt8>) -> Int? {
    switch text.dropFirst().first {
    case UInt8(ascii: "u"):
      guard let unit = codeUnit(text) else { return nil }
      switch unit {
      case 0xD800..<0xDC00:
        guard let low = codeUnit(text.dropFirst(6)), (0xDC00..<0xE000).contains(low) else { return nil }
        return 12
      case 0xDC00..<0xE000: return nil
      default: return 6
      }
    case let letter?: return "\"\\/bfnrt".utf8.contains(letter) ? 2 : nil
    case nil: return nil
    }
  }

  /// The code unit of UTF-16 that `\uXXXX` at the beginning of `text` stands for.
  private func codeUnit(_ text: ArraySlice<UInt8>) -> UInt16? {
    guard text.starts(with: "\\u".utf8), text.count >= 6 else { return nil }
    var unit: UInt16 = 0
    for digit in text.dropFirst(2).prefix(4) {
      guard let value = Character(UnicodeScalar(digit)).hexDigitValue else { return nil }
      unit = unit << 4 | UInt16(value)
    }
    return unit
  }

  private static func firstBesideUTF8(in bytes: [UInt8]) -> Int {
    var decoder = UTF8()
    var rest = bytes.makeIterator()
    var place = 0
    while case .scalarValue(let scalar) = decoder.decode(&rest) { place += UTF8.width(scalar) }
    return place
  }
}
