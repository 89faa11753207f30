/// One thing that was looked at, and how it is.
package struct Finding: Sendable, Hashable {
  /// How grave it is.
  package enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// As it should be.
    case ok
    /// The station works, but not as well or not for as long as it might.
    case warning
    /// Something that is configured does not work.
    case fault
  }

  /// What was looked at, e.g. `turntable` or `disk`.
  package var subject: String
  /// How grave it is.
  package var verdict: Verdict
  /// What was found.
  package var what: String
  /// What mends it; nil where nothing has to be mended.
  package var remedy: Remedy?

  /// All is well with it.
  package static func ok(_ subject: String, _ what: String) -> Finding {
    Finding(subject: subject, verdict: .ok, what: what)
  }
  /// It might be better.
  package static func warning(_ subject: String, _ what: String, _ remedy: Remedy) -> Finding {
    Finding(subject: subject, verdict: .warning, what: what, remedy: remedy)
  }
  /// It does not work.
  package static func fault(_ subject: String, _ what: String, _ remedy: Remedy) -> Finding {
    Finding(subject: subject, verdict: .fault, what: what, remedy: remedy)
  }
}

/// The line that mends something, and where it belongs.
package enum Remedy: Sendable, Hashable {
  /// A command line, for root.
  case command(String)
  /// A key of the station's configuration.
  case setting(String)
  /// A line of the Raspberry Pi's config.txt; the board has to be booted again.
  case bootLine(String)
  /// Something for hands: wires, supplies, switches.
  case byHand(String)

  /// Where the line belongs, as one word for programs.
  package var place: String {
    switch self {
    case .command: "command"
    case .setting: "config"
    case .bootLine: "config.txt"
    case .byHand: "hand"
    }
  }

  /// The line.
  package var line: String {
    switch self {
    case .command(let line), .setting(let line), .bootLine(let line), .byHand(let line): line
    }
  }
}
