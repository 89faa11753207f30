/// One value on the wire. Bare values are numbers, tokens, `?` (unknown) and `-` (none); a text that could be taken for
/// one of those, or that holds a blank, a quote or a line feed, is quoted. So a reader can tell the text `"?"` from the
/// unknown `?`, and the name `"7"` from the number `7`.
public struct FieldValue: Sendable, Hashable {
  /// The value without quotes and escapes.
  public let text: String
  /// Whether it stands in quotes.
  public let isQuoted: Bool

  init(text: String, isQuoted: Bool) {
    self.text = text
    self.isQuoted = isQuoted
  }

  /// A text for or from a person.
  public static func text(_ text: String) -> FieldValue { FieldValue(text: text, isQuoted: needsQuotes(text)) }
  /// A text, or `-` when there is none.
  public static func text(orNone text: String?) -> FieldValue { text.map { .text($0) } ?? .nothing }
  /// A whole number; `?` when it is not known.
  public static func integer(_ value: Int?) -> FieldValue { value.map { .bare(String($0)) } ?? .unknown }
  /// A number with so many decimals; `?` when it is not known or not a number.
  public static func number(_ value: Double?, decimals: Int) -> FieldValue {
    guard let value, value.isFinite else { return .unknown }
    return .bare(fixed(value, decimals: decimals))
  }
  /// A number with at most so many decimals; `?` when it is not known or not a number.
  public static func shortNumber(_ value: Double?, decimals: Int) -> FieldValue {
    let full = number(value, decimals: decimals)
    guard decimals > 0, full.text.contains(".") else { return full }
    let digits = full.text.reversed().drop { $0 == "0" }.drop { $0 == "." }
    return .bare(String(digits.reversed()))
  }
  /// 1 or 0; `?` when it is not known.
  public static func flag(_ value: Bool?) -> FieldValue { value.map { .bare($0 ? "1" : "0") } ?? .unknown }
  /// Several texts, comma between; `-` for none of them.
  public static func list(_ items: [String]) -> FieldValue {
    items.isEmpty ? .nothing : .text(items.joined(separator: ","))
  }
  /// Not known.
  public static let unknown = FieldValue.bare("?")
  /// Known to be nothing.
  public static let nothing = FieldValue.bare("-")

  /// Whether the value is not known.
  public var isUnknown: Bool { self == .unknown }
  /// Whether there is none.
  public var isNothing: Bool { self == .nothing }

  static func bare(_ text: String) -> FieldValue { FieldValue(text: text, isQuoted: false) }

  private static func needsQuotes(_ text: String) -> Bool {
    if text.isEmpty || text == "?" || text == "-" || Double(text) != nil { return true }
    return text.utf8.contains { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
  }
}

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// A whole number.
  public init(integerLiteral value: Int) { self = .integer(value) }
}

extension FieldValue: CustomStringConvertible {
  /// The value as it stands on the wire.
  public var description: String { isQuoted ? quoted(text) : text }
}

/// Puts a text in quotes, with the protocol's four escapes. Control characters the protocol has no escape for become
/// U+FFFD: no value may break a line or steer a terminal.
func quoted(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case "\t": result += "\\t"
    default: result.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : scalar)
    }
  }
  return result + "\""
}

/// A number with a fixed count of decimals, rounded half away from zero.
private func fixed(_ value: Double, decimals: Int) -> String {
  var scale = 1.0
  for _ in 0..<decimals { scale *= 10 }
  let scaled = (value.magnitude * scale).rounded()
  guard scaled < 9e15 else { return String(value) }
  let digits = String(Int64(scaled))
  let sign = value < 0 && scaled > 0 ? "-" : ""
  guard decimals > 0 else { return sign + digits }
  let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
  return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
}
