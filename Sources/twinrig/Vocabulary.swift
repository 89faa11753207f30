import Control
import Spelling

/// What can be said on the command line: this program's own commands, and the agent's as far as this program knows them. A
/// newer agent may have more, so a word that is not here is only doubted where no agent answers for it.
enum Vocabulary {
  /// One of this program's own commands.
  struct Command {
    let usage: String
    let summary: String
    let needsAgent: Bool

    var name: String { String(usage.prefix { $0 != " " }) }
  }

  static let commands = [
    Command(
      usage: "scan [name=…] [shots=…] [passes=…] [--yes]",
      summary: "scans an object, with progress and prompts, until its model is ready", needsAgent: true),
    Command(usage: "watch [CLASS…] [until=job:N]", summary: "shows what happens", needsAgent: true),
    Command(
      usage: "VERB …", summary: "any verb of the agent: status, caps, models, jobs, …; see twinrig help",
      needsAgent: true),
    Command(usage: "help [VERB]", summary: "this, and what the agent says about its verbs", needsAgent: true),
    Command(
      usage: "reconstruct INPUT --output DIR …", summary: "makes a model of a session or of posed pictures",
      needsAgent: false),
    Command(
      usage: "doctor [--config FILE] [--json]",
      summary: "says what is wrong with this board, and the line that mends it",
      needsAgent: false),
    Command(usage: "config check FILE…", summary: "says what is wrong with configuration files", needsAgent: false),
    Command(usage: "config defaults", summary: "prints every key with meaning, unit and default", needsAgent: false),
    Command(
      usage: "completions bash|zsh|fish", summary: "prints what a shell completes this program's words by",
      needsAgent: false),
    Command(
      usage: "demo --output DIR [--config FILE]",
      summary: "scans the object of a simulated rig and puts its model into DIR", needsAgent: false)
  ]

  /// The agent's commands; the words of a command apart.
  static let verbs = AgentSyntax.entries.map(\.path)

  /// What is wrong with a command that neither this program nor an agent as it knows them has; nil where it has.
  static func doubt(about words: [String]) -> String? {
    guard let verb = words.first else { return nil }
    if verb.isEmpty { return "an empty word is no command; see twinrig help" }
    let known = verbs.filter { $0[0] == verb }
    if known.isEmpty, !isOwn(verb), !all.contains(verb) { return unknown(verb, among: all) }
    // only where a second word of the command's own is a must
    guard !known.isEmpty, known.allSatisfy({ $0.count > 1 }) else { return slip(in: words) }
    let choices = known.map { "\(verb) \($0[1])" }
    guard words.count > 1 else { return "\(verb) needs another word: \(choices.joined(separator: ", "))" }
    return known.contains { $0[1] == words[1] } ? nil : unknown("\(verb) \(words[1])", among: choices)
  }

  /// What is wrong with a second word that may be anything (`model ID`) and is nearly one of the command's own
  /// (`model set ID`); nil where nothing is.
  static func slip(in words: [String]) -> String? {
    guard words.count > 1, !words[1].contains("=") else { return nil }
    let own = verbs.filter { $0[0] == words[0] && $0.count > 1 }.map { $0[1] }
    guard !own.contains(words[1]), let meant = Spelling.misspelt(words[1], of: own) else { return nil }
    let verb = words[0]
    return unknown("\(verb) \(words[1])", among: ["\(verb) \(meant)"])
  }

  /// Says that a command is unknown, and which one may have been meant.
  static func unknown(_ command: String, among choices: [String]) -> String {
    Spelling.unknown("command", command, among: choices, see: "twinrig help")
  }

  /// Whether this program has a command of that name.
  static func isOwn(_ name: String) -> Bool { name != "VERB" && commands.contains { $0.name == name } }

  /// Every command, and every first word of one.
  private static var all: [String] {
    let own = commands.map(\.name).filter { $0 != "VERB" }
    return Set(own + verbs.map { $0[0] } + verbs.map { $0.joined(separator: " ") }).sorted()
  }

  /// The usage lines of the commands that begin with a word; those of the agent without the words and keys they take,
  /// which only an agent knows.
  static func usages(of word: String) -> [String] {
    let own = commands.filter { $0.name == word }.map(\.usage)
    return own + verbs.filter { $0[0] == word }.map { $0.joined(separator: " ") + " …" }
  }
}
