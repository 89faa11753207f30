/// Who asks: the process at the other end of the socket.
public struct Peer: Sendable, Hashable {
  /// A number for logs; never used twice in one run of the agent.
  public let connection: Int
  /// Its process, user and group, as the kernel says; nil when the kernel did not say.
  public let process: Int32?, user: UInt32?, group: UInt32?

  /// A peer from its parts.
  public init(connection: Int, process: Int32?, user: UInt32?, group: UInt32?) {
    self.connection = connection
    self.process = process
    self.user = user
    self.group = group
  }
}

/// A word or a value a command takes.
public struct Parameter: Sendable, Hashable {
  /// What may stand there.
  public enum Kind: Sendable, Hashable {
    /// Any text that is not empty.
    case text
    /// Any text, the empty one too.
    case freeText
    /// A whole number in a range.
    case integer(ClosedRange<Int>)
    /// A number in a range, in a unit.
    case number(ClosedRange<Double>, unit: String)
    /// `yes` or `no`.
    case yesNo
    /// One of these.
    case choice([String])
    /// One or more of these, comma between.
    case choices([String])
    /// Several numbers, comma between.
    case numbers(count: Int, unit: String)
    /// `job:` and a number.
    case job
  }

  /// The key, or for a word the placeholder in the usage.
  public let name: String
  /// What may stand there.
  public let kind: Kind
  /// What it means, for help.
  public let summary: String

  /// A parameter from its parts.
  public init(_ name: String, _ kind: Kind, _ summary: String = "") {
    self.name = name
    self.kind = kind
    self.summary = summary
  }
}

/// The words after a command's own words.
public struct WordSyntax: Sendable, Hashable {
  /// What each of them may be.
  public let parameters: [Parameter]
  /// How many of them must be given; the others are optional.
  public let required: Int
  /// Whether the last one may be repeated.
  public let repeatsLast: Bool

  /// No words.
  public static let none = WordSyntax([], required: 0, repeatsLast: false)
  /// These, all of them required.
  public static func required(_ parameters: Parameter...) -> WordSyntax {
    WordSyntax(parameters, required: parameters.count, repeatsLast: false)
  }
  /// This one or none.
  public static func optional(_ parameter: Parameter) -> WordSyntax {
    WordSyntax([parameter], required: 0, repeatsLast: false)
  }
  /// This one, `required` times or more.
  public static func repeated(_ parameter: Parameter, required: Int) -> WordSyntax {
    WordSyntax([parameter], required: required, repeatsLast: true)
  }

  init(_ parameters: [Parameter], required: Int, repeatsLast: Bool) {
    self.parameters = parameters
    self.required = required
    self.repeatsLast = repeatsLast
  }
}

/// One command of the table: what it is called, what it takes, what it does.
public struct Command: Sendable {
  /// What it does. Answers within 200 ms: what takes longer starts a job.
  public typealias Action = @Sendable (Invocation) async throws(Refusal) -> Reply

  /// The verb and the fixed words after it, e.g. `["capture", "start"]`.
  public let path: [String]
  /// The words after those.
  public let words: WordSyntax
  /// The keys it knows.
  public let keys: [Parameter]
  /// The keys that must be given.
  public let requiredKeys: [String]
  /// One line for help.
  public let summary: String
  /// Whether it must not wait behind anything.
  public let isUrgent: Bool
  let action: Action

  /// A command from its parts; `path` is the verb and its fixed words, blanks between.
  public init(
    _ path: String, words: WordSyntax = .none, keys: [Parameter] = [], requiredKeys: [String] = [], summary: String,
    isUrgent: Bool = false, action: @escaping Action
  ) {
    self.path = path.split(separator: " ").map(String.init)
    self.words = words
    self.keys = keys
    self.requiredKeys = requiredKeys
    self.summary = summary
    self.isUrgent = isUrgent
    self.action = action
  }

  /// The command with its placeholders, e.g. `capture start [name=] [shots=]`.
  public var usage: String {
    var parts = path
    for (index, word) in words.parameters.enumerated() {
      let repeats = words.repeatsLast && index == words.parameters.count - 1 ? "…" : ""
      parts.append(index < words.required ? word.name + repeats : "[\(word.name)\(repeats)]")
    }
    for key in keys { parts.append(requiredKeys.contains(key.name) ? "\(key.name)=" : "[\(key.name)=]") }
    return parts.joined(separator: " ")
  }
}

/// A request that has been checked against its command's syntax.
public struct Invocation: Sendable {
  /// The request as it was sent.
  public let request: Request
  /// The words after the command's own.
  public let words: [String]
  /// Who asks.
  public let peer: Peer
  let fields: Fields

  /// The text of a key; nil when it is not given.
  public func text(_ key: String) -> String? { fields[key]?.text }
  /// The whole number of a key; nil when it is not given.
  public func integer(_ key: String) -> Int? { fields[key].flatMap { Int($0.text) } }
  /// The number of a key; nil when it is not given.
  public func number(_ key: String) -> Double? { fields[key].flatMap { Double($0.text) } }
  /// The yes or no of a key; nil when it is not given.
  public func flag(_ key: String) -> Bool? { fields[key].map { $0.text == "yes" } }
  /// The items of a list; nil when it is not given.
  public func list(_ key: String) -> [String]? {
    fields[key].map { $0.text.split(separator: ",").map(String.init) }
  }
  /// The numbers of a list; nil when it is not given.
  public func numbers(_ key: String) -> [Double]? { list(key)?.compactMap { Double($0) } }
  /// Whether a key is given.
  public func has(_ key: String) -> Bool { fields[key] != nil }
}
