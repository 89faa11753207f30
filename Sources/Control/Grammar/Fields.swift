/// `key=value` pairs in order.
public struct Fields: Sendable, Hashable {
  /// One pair.
  public struct Field: Sendable, Hashable {
    /// The key: lower-case letters, digits and `_`.
    public let key: String
    /// The value.
    public let value: FieldValue
  }

  /// The pairs.
  public private(set) var all: [Field] = []

  /// No pairs.
  public init() {}

  /// The value of a key.
  public subscript(key: String) -> FieldValue? { all.first { $0.key == key }?.value }

  /// Adds a pair at the end.
  public mutating func append(_ key: String, _ value: FieldValue) { all.append(Field(key: key, value: value)) }

  /// These pairs and then those.
  public static func + (a: Fields, b: Fields) -> Fields {
    var sum = a
    sum.all += b.all
    return sum
  }

  /// A text's own value: nil where the key is missing, unknown or none.
  public func text(_ key: String) -> String? {
    guard let value = self[key], !value.isUnknown, !value.isNothing else { return nil }
    return value.text
  }
  /// A whole number: nil where there is none.
  public func integer(_ key: String) -> Int? { self[key].flatMap { Int($0.text) } }
  /// A number: nil where there is none.
  public func number(_ key: String) -> Double? { self[key].flatMap { Double($0.text) } }
}

extension Fields: ExpressibleByDictionaryLiteral {
  /// Pairs in the order they are written.
  public init(dictionaryLiteral elements: (String, FieldValue)...) {
    for (key, value) in elements { append(key, value) }
  }
}

extension Fields: CustomStringConvertible {
  /// The pairs as they stand on the wire.
  public var description: String { all.map { "\($0.key)=\($0.value)" }.joined(separator: " ") }
}
