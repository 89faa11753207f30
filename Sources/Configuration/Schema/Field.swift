/// A struct of settings that a TOML table describes. Its initial values are the defaults.
protocol Configurable: Sendable, Equatable {
  init()
  /// The table's keys, in the order in which they are documented.
  static var fields: [Field<Self>] { get }
}

/// One key of a table: the only place that knows its name, unit, limits and meaning. Reading, checking and the
/// documentation in config/twinrig.toml all come from here.
struct Field<Settings> {
  /// The key; its suffix names the unit: `_mm`, `_deg`, `_s`, `_px` …
  var name: String
  /// What it means, for a person.
  var meaning: String
  /// Reads a value over the settings, or notes why it is refused.
  var read: (TOMLNode, inout Settings, inout Reading) -> Void
  /// How the documentation shows it.
  var shape: (Settings) -> DocumentedKey.Shape
}

extension Field {
  /// A key that always has a value.
  static func value<Value>(
    _ name: String, _ path: WritableKeyPath<Settings, Value>, _ scalar: Scalar<Value>, _ meaning: String
  ) -> Field {
    Field(
      name: name, meaning: meaning,
      read: { node, settings, reading in
        if let value = decode(node, scalar, name, &reading) { settings[keyPath: path] = value }
      },
      shape: { .value(scalar.encode($0[keyPath: path]), allowed: scalar.allowed) })
  }

  /// A key that may be left out.
  static func optional<Value>(
    _ name: String, _ path: WritableKeyPath<Settings, Value?>, _ scalar: Scalar<Value>, _ meaning: String
  ) -> Field {
    Field(
      name: name, meaning: meaning,
      read: { node, settings, reading in
        if let value = decode(node, scalar, name, &reading) { settings[keyPath: path] = value }
      },
      shape: { .value($0[keyPath: path].map(scalar.encode), allowed: scalar.allowed) })
  }

  /// An array of values, as long as `count` allows.
  static func list<Value>(
    _ name: String, _ path: WritableKeyPath<Settings, [Value]>, _ scalar: Scalar<Value>, count: ClosedRange<Int>,
    _ meaning: String
  ) -> Field {
    let number =
      count.lowerBound == count.upperBound ? "\(count.lowerBound)" : "\(count.lowerBound) to \(count.upperBound)"
    let allowed = "an array of \(number), each \(scalar.allowed)"
    return Field(
      name: name, meaning: meaning,
      read: { node, settings, reading in
        guard case .array(let nodes) = node.value else {
          return reading.refuse(name, at: node, "\(node.kind) where \(allowed) belongs")
        }
        guard count.contains(nodes.count) else {
          return reading.refuse(name, at: node, "\(nodes.count) values; allowed is \(allowed)")
        }
        let values = nodes.compactMap { decode($0, scalar, name, &reading) }
        if values.count == nodes.count { settings[keyPath: path] = values }
      },
      shape: { .value("[" + $0[keyPath: path].map(scalar.encode).joined(separator: ", ") + "]", allowed: allowed) })
  }

  /// A table of its own.
  static func table<Inner: Configurable>(
    _ name: String, _ path: WritableKeyPath<Settings, Inner>, _ meaning: String
  ) -> Field {
    Field(
      name: name, meaning: meaning,
      read: { node, settings, reading in
        guard case .table(let entries) = node.value else {
          return reading.refuse(name, at: node, "\(node.kind) where a table belongs; write [\(reading.fullKey(name))]")
        }
        reading.path.append(name)
        reading.read(entries, into: &settings[keyPath: path])
        reading.path.removeLast()
      },
      shape: { .table(DocumentedKey.keys(of: $0[keyPath: path])) })
  }

  /// An array of tables. Where a file has any, they take the place of all that were there.
  static func tables<Inner: Configurable>(
    _ name: String, _ path: WritableKeyPath<Settings, [Inner]>, atMost limit: Int, _ meaning: String
  ) -> Field {
    Field(
      name: name, meaning: meaning,
      read: { node, settings, reading in
        guard case .array(let nodes) = node.value else {
          return reading.refuse(name, at: node, "\(node.kind) where tables belong; write [[\(reading.fullKey(name))]]")
        }
        guard nodes.count <= limit else {
          return reading.refuse(name, at: node, "\(nodes.count) of them; there can be \(limit)")
        }
        settings[keyPath: path] = nodes.enumerated().map { index, element in
          inner(element, "\(name)[\(index + 1)]", &reading)
        }
      },
      shape: {
        .tables($0[keyPath: path].map(DocumentedKey.keys), example: DocumentedKey.keys(of: Inner()))
      })
  }

  private static func inner<Inner: Configurable>(
    _ node: TOMLNode, _ name: String, _ reading: inout Reading
  ) -> Inner {
    var settings = Inner()
    guard case .table(let entries) = node.value else {
      reading.refuse(name, at: node, "\(node.kind) where a table belongs")
      return settings
    }
    reading.note(name, at: node)
    reading.path.append(name)
    reading.read(entries, into: &settings)
    reading.path.removeLast()
    return settings
  }

  private static func decode<Value>(
    _ node: TOMLNode, _ scalar: Scalar<Value>, _ name: String, _ reading: inout Reading
  ) -> Value? {
    switch scalar.decode(node) {
    case .value(let value): return value
    case .wrongType: reading.refuse(name, at: node, "\(node.kind) where \(scalar.allowed) belongs")
    case .refused(let why): reading.refuse(name, at: node, "\(why); allowed is \(scalar.allowed)")
    }
    return nil
  }
}
