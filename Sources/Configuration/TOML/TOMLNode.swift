/// A value of a TOML document and where it stands.
package struct TOMLNode: Sendable, Hashable {
  /// What it is.
  package enum Value: Sendable, Hashable {
    /// A table; entries in the order of the file.
    case table([Entry])
    /// An array.
    case array([TOMLNode])
    /// A string.
    case string(String)
    /// An integer.
    case integer(Int64)
    /// A float; may be infinite or not a number.
    case float(Double)
    /// A boolean.
    case boolean(Bool)
    /// A date, a time or both; none of our keys takes one.
    case dateTime
  }

  /// A key of a table with its value.
  package struct Entry: Sendable, Hashable {
    /// The key.
    package var key: String
    /// Its value.
    package var node: TOMLNode
  }

  /// The value.
  package var value: Value
  /// Where its key, or in an array the value itself, begins; both count from 1.
  package var line: Int, column: Int

  /// What it is, for a person.
  package var kind: String {
    switch value {
    case .table: "a table"
    case .array: "an array"
    case .string: "a string"
    case .integer: "a whole number"
    case .float: "a number"
    case .boolean: "true or false"
    case .dateTime: "a date or time"
    }
  }
}
