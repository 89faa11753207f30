/// What differs between two configurations, and what of it a running agent can take on.
public struct ConfigurationDifference: Sendable, Hashable {
  /// Keys whose new value is in force from the next scan on.
  public var live: [String]
  /// Keys whose new value needs a restart of the agent.
  public var afterRestart: [String]

  /// A difference from its parts.
  public init(live: [String], afterRestart: [String]) {
    self.live = live
    self.afterRestart = afterRestart
  }

  /// Whether nothing differs.
  public var isEmpty: Bool { live.isEmpty && afterRestart.isEmpty }
}

extension TwinrigConfiguration {
  /// What a start falls back on where it says nothing can change while the agent runs. Everything else was handed to
  /// devices and policies when they were made.
  private static let liveKeys: Set<String> = [
    "scan.shots", "scan.passes", "scan.detail", "scan.overcapture", "reconstruction.automatic"
  ]

  /// Every key with its path and its value as TOML, in the order of the documentation; nil for one that is not set.
  public var keysAndValues: [(key: String, value: String?)] { DocumentedKey.flat(DocumentedKey.keys(of: self)) }

  /// What differs in `other`.
  public func difference(to other: TwinrigConfiguration) -> ConfigurationDifference {
    let old = keysAndValues
    let new = other.keysAndValues
    let values = Dictionary(uniqueKeysWithValues: old)
    let remaining = Dictionary(uniqueKeysWithValues: new)
    // in the order of the documentation; keys of tables that are gone come last
    let keys = new.map(\.key) + old.map(\.key).filter { remaining[$0] == nil }
    let changed = keys.filter { values[$0] != remaining[$0] }
    return ConfigurationDifference(
      live: changed.filter(Self.liveKeys.contains), afterRestart: changed.filter { !Self.liveKeys.contains($0) })
  }

  /// This configuration with everything from `other` that can change while the agent runs.
  public func takingLive(from other: TwinrigConfiguration) -> TwinrigConfiguration {
    var out = self
    out.scan.shots = other.scan.shots
    out.scan.passes = other.scan.passes
    out.scan.detail = other.scan.detail
    out.scan.overcapture = other.scan.overcapture
    out.reconstruction.automatic = other.reconstruction.automatic
    return out
  }
}

extension DocumentedKey {
  /// Every key with its path and its value as TOML; nil for one that is not set.
  fileprivate static func flat(_ keys: [DocumentedKey], prefix: String = "") -> [(key: String, value: String?)] {
    keys.flatMap { key -> [(key: String, value: String?)] in
      let path = prefix + key.name
      switch key.shape {
      case .value(let value, _): return [(path, value)]
      case .table(let keys): return flat(keys, prefix: path + ".")
      case .tables(let elements, _):
        return elements.enumerated().flatMap { flat($1, prefix: "\(path)[\($0 + 1)].") }
      }
    }
  }
}
