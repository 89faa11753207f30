import Control
import Files
import Spelling

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
    switch answer.end {
    case .success(let fields):
      show(answer.data, isList: fields["count"] != nil)
      var rest = Fields()
      for field in fields.all where field.key != "count" { rest.append(field.key, field.value) }
      if !rest.all.isEmpty { Terminal.say(rest.description) }
    case .failure(let rejection):
      show(answer.data, isList: false)
      Terminal.complain("twinrig: \(rejection.message) (\(rejection.token))")
    }
  }

  /// Records that begin with the same key belong together: several of them, or those of a list of however many, make a
  /// table; a single one is shown a field a line.
  private func show(_ data: [Fields], isList: Bool) {
    if isList, data.isEmpty { Terminal.say("none") }
    var rest = data[...]
    while let key = rest.first?.all.first?.key {
      let group = rest.prefix { $0.all.first?.key == key }
      if group.count > 1 || isList { table(Array(group)) } else { group.forEach(list) }
      rest = rest.dropFirst(group.count)
      if !rest.isEmpty { Terminal.say("") }
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

  /// What most records have makes the columns; what only some have follows as `key=value`.
  private func table(_ data: [Fields]) {
    var keys: [String] = []
    for key in data.flatMap({ $0.all.map(\.key) }) where !keys.contains(key) { keys.append(key) }
    let columns = keys.filter { key in 2 * data.count { $0[key] != nil } > data.count }
    let rows = data.map { fields in
      let others = fields.all.filter { !columns.contains($0.key) }.map { "\($0.key)=\($0.value)" }
      // `-` would be a value: that there is nothing
      return columns.map { fields[$0].map(Self.plain) ?? "" } + [others.joined(separator: " ")]
    }
    let lines = [columns + [""]] + rows
    let widths = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    for line in lines {
      let cells = line.dropLast().enumerated().map { padded($0.element, widths[$0.offset]) } + [line[columns.count]]
      let text = cells.joined(separator: "  ")
      Terminal.say(String(text[..<(text.lastIndex { $0 != " " }.map { text.index(after: $0) } ?? text.startIndex)]))
    }
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// A value on one line, as wide as it will be shown.
  private static func plain(_ value: FieldValue) -> String {
    VisibleText.line(value.text.contains("\n") || value.text.contains("\t") ? value.description : value.text)
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

  /// A failure of this program's own, with whatever else helps.
  static func error(_ failure: ClientFailure, _ fields: Fields = [:]) -> String {
    let tokens = [
      ExitCode.usage: "USAGE", ExitCode.noAgent: "NOAGENT", ExitCode.refused: "REFUSED", ExitCode.memory: "NOMEMORY",
      ExitCode.cancelled: "CANCELLED"
    ]
    return "{\"line\":\"error\",\"token\":\(string(failure.token ?? tokens[failure.code] ?? "FAILED")),"
      + "\"message\":\(string(failure.message)),\"fields\":\(object(fields))}"
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

  private static func string(_ text: String) -> String { JSONString.quoted(text) }
}
