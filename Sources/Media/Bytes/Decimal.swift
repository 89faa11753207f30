/// Decimal digits straight into bytes.
enum Decimal {
  /// Adds a whole number.
  @inline(__always) static func append(_ out: inout [UInt8], _ value: Int) {
    if value < 0 { out.append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    if rest < 10 {
      out.append(UInt8(truncatingIfNeeded: 48 &+ rest))
      return
    }
    let start = out.count
    while rest > 0 {
      out.append(UInt8(truncatingIfNeeded: 48 &+ rest % 10))
      rest /= 10
    }
    out[start...].reverse()
  }

  /// Adds `scaled` / 10^`decimals`, without needless zeros: 1500 with three decimals is 1.5. Numbers too large to be whole
  /// in an `Int` are added as the library writes them.
  static func append(_ out: inout [UInt8], _ scaled: Double, decimals: Int) {
    var unit = 1
    for _ in 0..<decimals { unit *= 10 }
    guard scaled.magnitude < 1e17 else {
      out.append((scaled / Double(unit)).description)
      return
    }
    let number = Int(scaled)
    if number < 0 { out.append(UInt8(ascii: "-")) }
    let magnitude = Int(number.magnitude)
    append(&out, magnitude / unit)
    var fraction = magnitude % unit
    if fraction == 0 { return }
    out.append(UInt8(ascii: "."))
    while fraction > 0 {
      unit /= 10
      out.append(UInt8(truncatingIfNeeded: 48 + fraction / unit))
      fraction %= unit
    }
  }
}
