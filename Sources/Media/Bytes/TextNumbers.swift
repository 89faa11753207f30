/// Numbers and words in a text of bytes, as mesh files write them: separated by spaces, lines ending in LF or CR LF.
struct TextNumbers {
  let bytes: [UInt8]
  var offset: Int

  init(_ bytes: [UInt8], from offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  @inline(__always) var isAtEnd: Bool { offset >= bytes.count }
  @inline(__always) var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// Passes over spaces and tabs within the line.
  @inline(__always) mutating func skipBlanks() {
    while offset < bytes.count, bytes[offset] == 0x20 || bytes[offset] == 0x09 || bytes[offset] == 0x0D { offset &+= 1 }
  }

  /// Passes over spaces and line ends.
  @inline(__always) mutating func skipSpace() {
    while offset < bytes.count, bytes[offset] == 0x20 || (bytes[offset] >= 0x09 && bytes[offset] <= 0x0D) {
      offset &+= 1
    }
  }

  /// Passes over the rest of the line and its end.
  mutating func skipLine() {
    while offset < bytes.count, bytes[offset] != 0x0A { offset &+= 1 }
    if offset < bytes.count { offset &+= 1 }
  }

  @inline(__always) var isAtLineEnd: Bool { offset >= bytes.count || bytes[offset] == 0x0A }

  /// The rest of the line without blanks at its ends; the line end stays.
  mutating func restOfLine() -> String {
    skipBlanks()
    let start = offset
    while offset < bytes.count, bytes[offset] != 0x0A { offset &+= 1 }
    var end = offset
    while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 || bytes[end - 1] == 0x0D { end -= 1 }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  /// The word that begins here.
  mutating func word() -> String {
    let start = offset
    while offset < bytes.count, bytes[offset] > 0x20 { offset &+= 1 }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  /// A whole number with an optional sign, or nil (the place stays) where there is none or it overflows.
  @inline(__always) mutating func integer() -> Int? {
    var at = offset
    var negative = false
    if at < bytes.count, bytes[at] == 0x2D || bytes[at] == 0x2B {
      negative = bytes[at] == 0x2D
      at &+= 1
    }
    let first = at
    var value = 0
    while at < bytes.count, case let digit = bytes[at] &- 0x30, digit < 10 {
      guard at &- first < 18 else { return nil }
      value = value &* 10 &+ Int(digit)
      at &+= 1
    }
    guard at > first else { return nil }
    offset = at
    return negative ? -value : value
  }

  /// A decimal number, or nil (the place stays) where there is none.
  ///
  /// W. D. Clinger, "How to read floating point numbers accurately", 1990: a mantissa below 2⁵³ and a power of ten up to
  /// 22 are both exact, so one rounding gives the nearest double; everything longer goes the library's slow way.
  @inline(__always) mutating func number() -> Double? {
    let start = offset
    var at = start
    var negative = false
    if at < bytes.count, bytes[at] == 0x2D || bytes[at] == 0x2B {
      negative = bytes[at] == 0x2D
      at &+= 1
    }
    var mantissa: UInt64 = 0
    var digits = 0
    var point = -1
    while at < bytes.count {
      let digit = bytes[at] &- 0x30
      if digit < 10 {
        if digits < 18 { mantissa = mantissa &* 10 &+ UInt64(digit) }
        digits &+= 1
      } else if bytes[at] == 0x2E, point < 0 {
        point = digits
      } else {
        break
      }
      at &+= 1
    }
    guard digits > 0 else { return wordNumber() }
    var exponent = point < 0 ? 0 : point &- digits
    if at < bytes.count, bytes[at] == 0x65 || bytes[at] == 0x45 {
      var tail = self
      tail.offset = at &+ 1
      if let power = tail.integer() {
        guard abs(power) < 100_000 else { return wordNumber() }
        exponent &+= power
        at = tail.offset
      }
    }
    guard digits <= 18, mantissa < 1 << 53, exponent >= -22, exponent <= 22 else { return wordNumber() }
    offset = at
    let magnitude =
      exponent < 0
      ? Double(mantissa) / TextNumbers.powers[-exponent] : Double(mantissa) * TextNumbers.powers[exponent]
    return negative ? -magnitude : magnitude
  }

  /// The library's reading of the word that begins here: long numbers, `nan`, `inf`.
  private mutating func wordNumber() -> Double? {
    let start = offset
    var end = start
    while end < bytes.count, bytes[end] > 0x20, end - start < 400 { end &+= 1 }
    guard let value = Double(String(decoding: bytes[start..<end], as: UTF8.self)) else { return nil }
    offset = end
    return value
  }

  private static let powers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21,
    1e22
  ]

  /// The line number of the present place, for messages.
  var lineNumber: Int { bytes[..<min(offset, bytes.count)].reduce(1) { $1 == 0x0A ? $0 + 1 : $0 } }
}
