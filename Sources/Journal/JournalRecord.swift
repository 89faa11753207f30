/// A line of the journal with its fields.
public struct JournalRecord: Sendable, Hashable {
  /// How grave it is, from 0 to 7 (syslog(3)): 3 an error, 4 a warning, 6 news, 7 for debugging.
  public var priority: Int
  /// The line.
  public var message: String
  /// The program.
  public var identifier: String
  /// More fields, e.g. `TWINRIG_DEVICE`.
  public var fields: [JournalField]

  /// A record from its parts.
  public init(priority: Int, message: String, identifier: String, fields: [JournalField] = []) {
    self.priority = priority
    self.message = message
    self.identifier = identifier
    self.fields = fields
  }

  /// A message has at most so many bytes; of a longer one the beginning is kept. One datagram holds that, whatever limit the
  /// system has for its buffers.
  static let limit = 32_768

  /// The record in the journal's native protocol: `KEY=value` lines, and for a value of several lines its key, its length as
  /// eight bytes, the least significant first, and the value (systemd, "Native Journal Protocol").
  public var bytes: [UInt8] {
    let own = [
      JournalField("MESSAGE", message), JournalField("PRIORITY", "\(priority)"),
      JournalField("SYSLOG_IDENTIFIER", identifier)
    ]
    return (own + fields).flatMap(\.bytes)
  }
}

/// A field of a record.
public struct JournalField: Sendable, Hashable {
  /// The key, in capital letters.
  public var key: String
  /// The value.
  public var value: String

  /// A field.
  public init(_ key: String, _ value: String) {
    self.key = key
    self.value = value
  }

  /// Which device the record is about.
  public static func device(_ name: String) -> JournalField { JournalField("TWINRIG_DEVICE", name) }
  /// Which session the record is about.
  public static func session(_ id: String) -> JournalField { JournalField("TWINRIG_SESSION", id) }

  var bytes: [UInt8] {
    var text = Array(value.utf8.prefix(JournalRecord.limit))
    // no half of a character
    while text.count < value.utf8.count, let last = text.last, last & 0x80 != 0 {
      text.removeLast()
      if last & 0xC0 == 0xC0 { break }
    }
    let newline = UInt8(ascii: "\n")
    guard text.contains(newline) else { return Array(key.utf8) + [UInt8(ascii: "=")] + text + [newline] }
    let length = (0..<8).map { UInt8(truncatingIfNeeded: UInt64(text.count) >> (8 * UInt64($0))) }
    return Array(key.utf8) + [newline] + length + text + [newline]
  }
}
