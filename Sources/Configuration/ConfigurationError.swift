import Spelling

/// One thing wrong with a configuration.
public struct ConfigurationProblem: Sendable, Hashable, CustomStringConvertible {
  /// The file, as it was named.
  public var file: String
  /// Where in the file, counted from 1; 0 when it is about the file as a whole.
  public var line: Int, column: Int
  /// The key with the tables it stands in, e.g. `button[2].action`; empty when it is about no key.
  public var key: String
  /// What is wrong and what would be right.
  public var message: String

  /// A problem from its parts.
  public init(file: String, line: Int = 0, column: Int = 0, key: String = "", message: String) {
    self.file = file
    self.line = line
    self.column = column
    self.key = key
    self.message = message
  }

  /// `file:line: key: what`, on one line whatever the file's keys and names hold.
  public var description: String {
    var text = file
    if line > 0 { text += ":\(line)" }
    if !key.isEmpty { text += ": \(key)" }
    return VisibleText.line(text + ": " + message)
  }
}

/// Why a configuration was refused: everything that is wrong with it, in the order of the files.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problems; at least one.
  public var problems: [ConfigurationProblem]

  /// An error of these problems.
  public init(_ problems: [ConfigurationProblem]) { self.problems = problems }

  /// One line a problem.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
