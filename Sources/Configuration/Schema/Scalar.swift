import Imaging
import Spelling

/// How a single value is written in TOML: what is allowed, how it is read, how it is shown.
struct Scalar<Value: Equatable & Sendable>: Sendable {
  /// What is allowed, for a person: "a number from 10 to 500".
  var allowed: String
  /// The value, or why it is refused; nil asks for the usual message.
  var decode: @Sendable (TOMLNode) -> Decoded
  /// The value as TOML.
  var encode: @Sendable (Value) -> String

  enum Decoded {
    case value(Value)
    case wrongType
    case refused(String)
  }
}

extension TOMLNode {
  /// The number, from a whole number too; nil for anything else and for what is not finite.
  var number: Double? {
    switch value {
    case .integer(let n): Double(n)
    case .float(let x) where x.isFinite: x
    default: nil
    }
  }
}

private func suffix(_ unit: String?) -> String { unit.map { $0.hasPrefix("°") ? $0 : " \($0)" } ?? "" }

/// To six decimals. Angles are kept in radians and times in whole attoseconds: a conversion there and back costs the last
/// digits, and a millionth of a degree is finer than any rig.
private func millionths(_ x: Double) -> Double { (x * 1e6).rounded() / 1e6 }

/// A number as TOML and people write it: without a fraction where it has none.
func plain(_ x: Double) -> String {
  if x == x.rounded(), x.magnitude < 1e15 { return "\(Int64(x))" }
  return "\(x)"
}

extension Scalar where Value == Bool {
  static var flag: Scalar {
    Scalar(
      allowed: "true or false",
      decode: { node in
        guard case .boolean(let flag) = node.value else { return .wrongType }
        return .value(flag)
      }, encode: { $0 ? "true" : "false" })
  }
}

extension Scalar where Value == Int {
  static func whole(_ range: ClosedRange<Int>, unit: String? = nil) -> Scalar {
    Scalar(
      allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)" + suffix(unit),
      decode: { node in
        guard case .integer(let n) = node.value else { return .wrongType }
        guard let value = Int(exactly: n), range.contains(value) else { return .refused("\(n) is out of range") }
        return .value(value)
      }, encode: { "\($0)" })
  }

  /// Whole numbers of a short list.
  static func whole(oneOf values: [Int], unit: String? = nil) -> Scalar {
    let list = values.map(String.init).joined(separator: ", ")
    return Scalar(
      allowed: "one of \(list)" + suffix(unit),
      decode: { node in
        guard case .integer(let n) = node.value else { return .wrongType }
        guard let value = Int(exactly: n), values.contains(value) else { return .refused("\(n) is not among them") }
        return .value(value)
      }, encode: { "\($0)" })
  }

  /// An I²C address: seven bits without the reserved ones (NXP UM10204 §3.1.12), shown as data sheets do.
  static var i2cAddress: Scalar {
    Scalar(
      allowed: "an I²C address from 0x08 to 0x77",
      decode: { node in
        guard case .integer(let n) = node.value else { return .wrongType }
        guard (0x08...0x77).contains(n) else { return .refused("\(n) is out of range") }
        return .value(Int(n))
      }, encode: { "0x" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) })
  }
}

extension Scalar where Value == UInt64 {
  /// A seed for random numbers.
  static var seed: Scalar {
    Scalar(
      allowed: "a whole number from 0 to \(Int64.max)",
      decode: { node in
        guard case .integer(let n) = node.value else { return .wrongType }
        return n < 0 ? .refused("\(n) is out of range") : .value(UInt64(n))
      }, encode: { "\($0)" })
  }
}

extension Scalar where Value == Double {
  static func number(_ range: ClosedRange<Double>, unit: String? = nil) -> Scalar {
    Scalar(
      allowed: "a number from \(plain(range.lowerBound)) to \(plain(range.upperBound))" + suffix(unit),
      decode: { node in
        switch node.value {
        case .integer, .float: break
        default: return .wrongType
        }
        guard let value = node.number, range.contains(value) else {
          return .refused("\(node.number.map(plain) ?? "this number") is out of range")
        }
        return .value(value)
      }, encode: plain)
  }
}

extension Scalar where Value == Angle {
  /// An angle, a speed or an acceleration in degrees.
  static func degrees(_ range: ClosedRange<Double>, unit: String = "°") -> Scalar {
    let number = Scalar<Double>.number(range, unit: unit)
    return Scalar(
      allowed: number.allowed,
      decode: { node in
        switch number.decode(node) {
        case .value(let value): .value(.degrees(millionths(value)))
        case .wrongType: .wrongType
        case .refused(let why): .refused(why)
        }
      },
      encode: { plain(millionths($0.degrees)) })
  }
}

extension Scalar where Value == Duration {
  /// A time in seconds.
  static func seconds(_ range: ClosedRange<Double>) -> Scalar {
    let number = Scalar<Double>.number(range, unit: "s")
    return Scalar(
      allowed: number.allowed,
      decode: { node in
        switch number.decode(node) {
        case .value(let value): .value(.microseconds(Int64((value * 1e6).rounded())))
        case .wrongType: .wrongType
        case .refused(let why): .refused(why)
        }
      },
      encode: { duration in
        let (seconds, attoseconds) = duration.components
        return plain(millionths(Double(seconds) + Double(attoseconds) * 1e-18))
      })
  }
}

extension Scalar where Value == String {
  /// A text of at most `limit` bytes without control characters.
  static func text(allowEmpty: Bool = false, limit: Int = 255) -> Scalar {
    Scalar(
      allowed: allowEmpty ? "a string" : "a string that is not empty",
      decode: { node in
        guard case .string(let text) = node.value else { return .wrongType }
        if text.isEmpty && !allowEmpty { return .refused("empty") }
        if text.utf8.count > limit { return .refused("longer than \(limit) bytes") }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
          return .refused("has a control character")
        }
        return .value(text)
      }, encode: quoted)
  }

  /// A name for scripts: letters, digits, `-` and `_`.
  static var identifier: Scalar {
    let text = Scalar.text(limit: 32)
    return Scalar(
      allowed: "a name of letters, digits, - and _",
      decode: { node in
        if case .value(let name) = text.decode(node), !name.utf8.allSatisfy(isNameByte) {
          return .refused("\(shown(name)) has other characters")
        }
        return text.decode(node)
      }, encode: quoted)
  }

  /// A path a socket can have: `sun_path` holds 107 bytes and the terminator (unix(7)).
  static var socketPath: Scalar {
    let path = Scalar.absolutePath
    return Scalar(
      allowed: "an absolute path of at most 107 bytes",
      decode: { node in
        if case .value(let name) = path.decode(node), name.utf8.count > 107 {
          return .refused("\(name.utf8.count) bytes are too long for a socket")
        }
        return path.decode(node)
      }, encode: quoted)
  }

  /// A path that does not depend on where a program was started.
  static var absolutePath: Scalar {
    let text = Scalar.text(limit: 4000)
    return Scalar(
      allowed: "an absolute path",
      decode: { node in
        if case .value(let path) = text.decode(node), !path.hasPrefix("/") {
          return .refused("\(shown(path)) does not begin with /")
        }
        return text.decode(node)
      }, encode: quoted)
  }
}

extension Scalar where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of the cases of an enumeration, by its raw value.
  static var choice: Scalar {
    let names = Value.allCases.map(\.rawValue)
    return Scalar(
      allowed: "one of " + names.map(quoted).joined(separator: ", "),
      decode: { node in
        guard case .string(let name) = node.value else { return .wrongType }
        if let value = Value(rawValue: name) { return .value(value) }
        return .refused("\(shown(name)) is not among them\(nearest(to: name, among: names))")
      }, encode: { quoted($0.rawValue) })
  }

  /// The driver of a device, of those compiled into this build.
  static var driver: Scalar {
    let names = Value.allCases.map(\.rawValue)
    return Scalar(
      allowed: "the name of a driver; this build has " + names.map(quoted).joined(separator: ", "),
      decode: { node in
        guard case .string(let name) = node.value else { return .wrongType }
        if let value = Value(rawValue: name) { return .value(value) }
        return .refused("no driver \(shown(name)) in this build\(nearest(to: name, among: names))")
      }, encode: { quoted($0.rawValue) })
  }
}

/// `; did you mean "NAME"?` where a name is near, else nothing.
func nearest(to text: String, among names: [String]) -> String {
  Spelling.question(about: text, among: names).map { "; \($0)" } ?? ""
}

func isNameByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
    true
  default: false
  }
}

/// What of a text a message shows: nobody wants to read the whole of a long one there.
func short(_ text: String) -> String { text.count > 64 ? text.prefix(60) + "…" : text }

/// A text in quotes, as messages show it.
func shown(_ text: String) -> String { quoted(short(text)) }

/// A TOML basic string.
func quoted(_ text: String) -> String {
  var out = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": out += "\\\""
    case "\\": out += "\\\\"
    case "\n": out += "\\n"
    case "\t": out += "\\t"
    case _ where scalar.value < 32 || scalar.value == 127:
      let hex = String(scalar.value, radix: 16, uppercase: true)
      out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
    default: out.unicodeScalars.append(scalar)
    }
  }
  return out + "\""
}
