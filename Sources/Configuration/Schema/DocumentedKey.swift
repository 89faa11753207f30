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

  /// The keys of some settings, with their values.
  static func keys<Settings: Configurable>(of settings: Settings) -> [DocumentedKey] {
    Settings.fields.map { field in
      DocumentedKey(name: field.name, meaning: field.meaning, shape: field.shape(settings))
    }
  }
}
