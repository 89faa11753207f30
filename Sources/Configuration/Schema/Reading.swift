import Spelling

/// What is gathered while a file is read: the problems, and where each value came from.
struct Reading {
  /// Where a value was set.
  struct Place: Sendable, Hashable {
    var file: String
    var line: Int, column: Int
  }

  /// The file being read.
  var file: String
  /// The tables around the key being read: `button[2]`.
  var path: [String] = []
  /// Everything found wrong so far.
  var problems: [ConfigurationProblem] = []
  /// Where each key was set, by its path.
  var places: [String: Place] = [:]

  /// The path of a key in the table being read.
  func fullKey(_ name: String) -> String { (path + [name]).joined(separator: ".") }

  mutating func refuse(_ key: String, at node: TOMLNode, _ message: String) {
    problems.append(
      ConfigurationProblem(
        file: file, line: node.line, column: node.column, key: fullKey(short(key)), message: message))
  }

  mutating func note(_ key: String, at node: TOMLNode) {
    places[fullKey(key)] = Place(file: file, line: node.line, column: node.column)
  }

  /// Reads a table's keys over `settings`; what is not mentioned keeps its value.
  mutating func read<Settings: Configurable>(_ entries: [TOMLNode.Entry], into settings: inout Settings) {
    let fields = Settings.fields
    for entry in entries {
      if let field = fields.first(where: { $0.name == entry.key }) {
        note(entry.key, at: entry.node)
        field.read(entry.node, &settings, &self)
      } else {
        refuseUnknown(entry, known: fields.map(\.name))
      }
    }
  }

  private mutating func refuseUnknown(_ entry: TOMLNode.Entry, known: [String]) {
    let place = path.isEmpty ? "" : " in [\(path.joined(separator: "."))]"
    var near = Spelling.nearest(to: entry.key, among: known)
    // where nearly nothing is right, nobody waits for the last hint
    if near == nil, problems.count < 100 { near = DocumentedKey.elsewhere(entry.key) }
    let hint = near.map { "did you mean \($0)?" } ?? "there are: \(known.joined(separator: ", "))"
    refuse(entry.key, at: entry.node, "unknown key\(place); \(hint)")
  }
}
