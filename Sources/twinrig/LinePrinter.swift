import Control

/// Shows lines of the agent: for people, or one JSON object each.
struct LinePrinter {
  let isJSON: Bool

  /// Shows an answer.
  func show(_ answer: Answer) {
    if isJSON {
      for fields in answer.data { Terminal.say(JSONText.line("data", fields)) }
      switch answer.end {
      case .success(let fields): Terminal.say(JSONText.line("ok", fields))
      case .failure(let rejection): Terminal.say(JSONText.error(rejection))
      }
      return
    }
    if answer.data.count == 1 { list(answer.data[0]) } else { table(answer.data) }
    switch answer.end {
    case .success(let fields): if !fields.all.isEmpty { Terminal.say(fields.description) }
    case .failure(let rejection):
      Terminal.complain("twinrig: \(rejection.message) (\(rejection.token))")
    }
  }

  /// Shows an event.
  func show(_ kind: EventClass, _ fields: Fields) {
    Terminal.say(isJSON ? JSONText.line("event", fields, kind: kind.rawValue) : "\(kind.rawValue) \(fields)")
  }

  /// One record: a line a field.
  private func list(_ fields: Fields) {
    let width = fields.all.map { $0.key.count }.max() ?? 0
    for field in fields.all { Terminal.say("\(padded(field.key, width))  \(Self.plain(field.value))") }
  }

  /// Records with the same keys as columns, others as they are.
  private func table(_ data: [Fields]) {
    guard let keys = data.first?.all.map(\.key), data.allSatisfy({ $0.all.map(\.key) == keys }) else {
      for fields in data { Terminal.say(fields.description) }
      return
    }
    let rows = [keys] + data.map { $0.all.map { Self.plain($0.value) } }
    let widths = keys.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    for row in rows {
      let cells = row.enumerated().map {
        $0.offset == row.count - 1 ? $0.element : padded($0.element, widths[$0.offset])
      }
      Terminal.say(cells.joined(separator: "  "))
    }
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// A value on one line.
  private static func plain(_ value: FieldValue) -> String {
    value.text.contains("\n") || value.text.contains("\t") ? value.description : value.text
  }
}

/// JSON for scripts: unknown and none are null, bare numbers are numbers, all else are strings.
enum JSONText {
  static func line(_ line: String, _ fields: Fields, kind: String? = nil) -> String {
    let head = kind.map { "\"line\":\(string(line)),\"class\":\(string($0))" } ?? "\"line\":\(string(line))"
    return "{\(head),\"fields\":\(object(fields))}"
  }

  static func error(_ rejection: Answer.Rejection) -> String {
    "{\"line\":\"error\",\"token\":\(string(rejection.token)),\"message\":\(string(rejection.message)),"
      + "\"fields\":\(object(rejection.fields))}"
  }

  private static func object(_ fields: Fields) -> String {
    "{" + fields.all.map { "\(string($0.key)):\(value($0.value))" }.joined(separator: ",") + "}"
  }

  private static func value(_ value: FieldValue) -> String {
    if value.isUnknown || value.isNothing { return "null" }
    return !value.isQuoted && isNumber(value.text) ? value.text : string(value.text)
  }

  /// Whether a text is a number as JSON writes it.
  private static func isNumber(_ text: String) -> Bool {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count),
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } })
    else { return false }
    return parts[0].count == 1 || parts[0].first != "0"
  }

  private static func string(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
