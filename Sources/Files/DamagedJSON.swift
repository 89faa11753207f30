/// Why bytes are not the JSON they should be: where, and what is wrong there, for a person.
public struct DamagedJSON: Error, Sendable, Hashable, CustomStringConvertible {
  /// The key at fault, as `shots[3].pass`; empty where the text as a whole is, or its bytes.
  public var key: String
  /// The byte at fault, from 0, where the text is no JSON from there on.
  public var byte: Int?
  /// What is wrong.
  public var reason: String

  init(key: String = "", byte: Int? = nil, _ reason: String) {
    self.key = key
    self.byte = byte
    self.reason = reason
  }

  /// What a decoder found, in our words: its own speak of containers.
  init(_ error: any Error) {
    switch error as? DecodingError {
    case .keyNotFound(let key, let context):
      self.init(key: Self.path(context.codingPath + [key]), "is missing")
    case .typeMismatch(let type, let context):
      self.init(key: Self.path(context.codingPath), "is not \(Self.noun(type))")
    case .valueNotFound(let type, let context):
      self.init(key: Self.path(context.codingPath), "is null instead of \(Self.noun(type))")
    case .dataCorrupted(let context):
      self.init(key: Self.path(context.codingPath), Self.plain(context.debugDescription))
    default: self.init("\(error)")
    }
  }

  /// One line for a person.
  public var description: String {
    if let byte { return "at byte \(byte): \(reason)" }
    return key.isEmpty ? reason : "\"\(key)\" \(reason)"
  }

  /// The standard library's own words in ours.
  private static func plain(_ text: String) -> String {
    if text.hasPrefix("Cannot initialize ") { return "is a name this program does not know" }
    if text.hasPrefix("Expected vector ") { return "has more or fewer numbers than belong there" }
    return text
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    var text = ""
    for key in keys {
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue
      }
    }
    return text
  }

  private static func noun(_ type: any Any.Type) -> String {
    if type == [String: Any].self { return "an object" }
    if type == [Any].self { return "a list" }
    if type == Bool.self { return "true or false" }
    if type is any BinaryInteger.Type { return "a whole number" }
    if type is any BinaryFloatingPoint.Type { return "a number" }
    return type == String.self ? "a text" : "what belongs there"
  }
}
