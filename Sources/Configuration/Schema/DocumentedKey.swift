import Spelling

/// A key as the documentation shows it.
struct DocumentedKey {
  /// The key.
  var name: String
  /// What it means.
  var meaning: String
  /// A value, a table or tables.
  var shape: Shape

  /// What a key holds.
  enum Shape {
    /// A value as TOML (nil: not set), and what is allowed.
    case value(String?, allowed: String)
    /// A table.
    case table([DocumentedKey])
    /// An array of tables: each with its keys, and what a further one may have.
    case tables([[DocumentedKey]], example: [DocumentedKey])
  }

  /// The keys in any table that a key in the wrong one must have been meant for, e.g. `pan.speed_deg_s or
  /// tilt.speed_deg_s`; nil where there is none. Among so many names only a long one is taken for a slip.
  static func elsewhere(_ name: String) -> String? {
    let names = Set(all.map { $0[$0.count - 1] }).sorted()
    guard let meant = names.contains(name) || name.count < 6 ? name : Spelling.misspelt(name, of: names) else {
      return nil
    }
    let places = all.filter { $0[$0.count - 1] == meant }.map { $0.joined(separator: ".") }
    // what is nearly everywhere says nothing
    return (1...3).contains(places.count) ? places.joined(separator: " or ") : nil
  }

  /// The paths of all keys there are.
  private static let all = keys(of: TwinrigConfiguration()).flatMap { $0.paths(in: []) }

  /// The paths of this key and of those in it.
  private func paths(in tables: [String]) -> [[String]] {
    let path = tables + [name]
    switch shape {
    case .value: return [path]
    case .table(let keys), .tables(_, example: let keys): return [path] + keys.flatMap { $0.paths(in: path) }
    }
  }

  /// The keys of some settings, with their values.
  static func keys<Settings: Configurable>(of settings: Settings) -> [DocumentedKey] {
    Settings.fields.map { field in
      DocumentedKey(name: field.name, meaning: field.meaning, shape: field.shape(settings))
    }
  }
}
