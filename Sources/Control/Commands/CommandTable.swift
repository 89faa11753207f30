import Spelling

/// What a request comes to.
public enum Outcome: Sendable {
  /// An answer.
  case reply(Reply)
  /// The client watches these classes from now on, until the job ends if one is named.
  case watch([EventClass], untilJob: Int?)
  /// The client watches nothing any more.
  case unwatch
}

/// Answers requests. The server calls it from many tasks at once.
public protocol CommandHandler: Sendable {
  /// Whether the request must not wait behind others. Called on the server's thread: must not block.
  func isUrgent(_ request: Request) -> Bool
  /// Answers one request.
  func handle(_ request: Request, from peer: Peer) async -> Outcome
}

/// All commands there are: checks every request against them and derives `help` from them. `help`, `watch` and `unwatch`
/// are its own.
public struct CommandTable: CommandHandler {
  /// Whether a job is still running: nil when there never was one with this number.
  public typealias JobLookup = @Sendable (_ job: Int) async -> Bool?

  /// The commands, in the order help shows them.
  public let commands: [Command]
  private let eventClasses: [EventClass]
  private let jobIsRunning: JobLookup

  /// A table of commands. `eventClasses` are those that may be watched.
  public init(_ commands: [Command], eventClasses: [EventClass], jobIsRunning: @escaping JobLookup) {
    self.eventClasses = eventClasses
    self.jobIsRunning = jobIsRunning
    self.commands = CommandTable.talk(eventClasses) + commands
  }

  private static func talk(_ eventClasses: [EventClass]) -> [Command] {
    let unused: Command.Action = { _ in Reply() }
    let classes = Parameter("CLASS", .choice(eventClasses.map(\.rawValue)), "a kind of events")
    return [
      Command(
        "help", words: .repeated(Parameter("VERB", .text, "a verb"), required: 0),
        summary: "lists the verbs, or explains one",
        action: unused),
      Command(
        "watch", words: .repeated(classes, required: 1),
        keys: [Parameter("until", .job, "ends the watch with this job: job:N")],
        summary: "sends events of these classes, the current state first", action: unused),
      Command("unwatch", summary: "sends no more events", action: unused)
    ]
  }

  /// Whether the command is marked urgent.
  public func isUrgent(_ request: Request) -> Bool { (try? find(request))?.isUrgent ?? false }

  /// Checks the request and performs its command.
  public func handle(_ request: Request, from peer: Peer) async -> Outcome {
    do throws(Refusal) {
      let command = try find(request)
      let words = Array(request.words.dropFirst(command.path.count - 1))
      try command.check(words: words, fields: request.fields)
      switch command.path {
      case ["help"]: return .reply(try help(words))
      case ["unwatch"]: return .unwatch
      case ["watch"]: return try await watch(words, until: request.fields.text("until"))
      default:
        let invocation = Invocation(request: request, words: words, peer: peer, fields: request.fields)
        return .reply(try await command.action(invocation))
      }
    } catch {
      return .reply(Reply(error))
    }
  }

  private func watch(_ words: [String], until: String?) async throws(Refusal) -> Outcome {
    let classes = words.map { EventClass(rawValue: $0) }
    guard let job = until.flatMap({ Parameter.jobNumber($0) }) else { return .watch(classes, untilJob: nil) }
    guard await jobIsRunning(job) != nil else {
      throw Refusal(.notFound, "there is no job \(job); see jobs", ["job": .integer(job)])
    }
    return .watch(classes, untilJob: job)
  }

  /// The command with the longest path that the request starts with.
  private func find(_ request: Request) throws(Refusal) -> Command {
    let said = [request.verb] + request.words
    let candidates = commands.filter { $0.path[0] == request.verb }
    guard !candidates.isEmpty else { throw unknownVerb(request.verb) }
    let matching = candidates.filter { said.starts(with: $0.path) }
    if let best = matching.max(by: { $0.path.count < $1.path.count }) {
      let extra = said.count - best.path.count
      if extra > best.words.parameters.count, !best.words.repeatsLast, let slip = misspelt(said, best, candidates) {
        throw slip
      }
      if extra == 0 || !best.words.parameters.isEmpty { return best }
    }
    throw unknownWord(request, candidates)
  }

  /// Where there are more words than a command takes, its first may have been meant as another command's own.
  private func misspelt(_ said: [String], _ best: Command, _ candidates: [Command]) -> Refusal? {
    let (name, word) = (best.path.joined(separator: " "), said[best.path.count])
    let longer = candidates.filter { $0.path.count > best.path.count && $0.path.starts(with: best.path) }
    let nearest = Spelling.nearest(to: word, among: longer.map { $0.path[best.path.count] })
    guard !best.words.parameters.isEmpty, let nearest else { return nil }
    return Refusal(
      .badArgument, "\(name) takes no word \(said[said.count - 1]); did you mean \(name) \(nearest)?",
      ["word": .text(word), "nearest": .text("\(name) \(nearest)")])
  }

  private func unknownVerb(_ verb: String) -> Refusal {
    var fields: Fields = ["verb": .text(verb)]
    let verbs = commands.map { $0.path[0] }
    guard let nearest = Spelling.nearest(to: verb, among: verbs) else {
      return Refusal(.badCommand, "unknown verb \(verb); see help", fields)
    }
    fields.append("nearest", .text(nearest))
    return Refusal(.badCommand, "unknown verb \(verb); did you mean \(nearest)? see help", fields)
  }

  private func unknownWord(_ request: Request, _ candidates: [Command]) -> Refusal {
    let choices = candidates.filter { $0.path.count > 1 }.map { $0.path[1] }
    guard let word = request.words.first else {
      return Refusal(.badArgument, "\(request.verb) needs a word: \(choices.joined(separator: ", "))", [:])
    }
    var fields: Fields = ["word": .text(word)]
    if choices.isEmpty { return Refusal(.badArgument, "\(request.verb) takes no word \(word)", fields) }
    let extra = choices.contains(word) ? request.words.dropFirst().first : nil
    if let extra {
      return Refusal(.badArgument, "\(request.verb) \(word) takes no word \(extra)", ["word": .text(extra)])
    }
    let hint = Spelling.nearest(to: word, among: choices)
    if let hint { fields.append("nearest", .text(hint)) }
    let list = hint.map { "did you mean \($0)?" } ?? "there are \(choices.joined(separator: ", "))"
    return Refusal(.badArgument, "\(request.verb) knows no word \(word); \(list)", fields)
  }

  private func help(_ words: [String]) throws(Refusal) -> Reply {
    guard let verb = words.first else {
      let data = commands.map { command in
        ["usage": .text(command.usage), "summary": .text(command.summary)] as Fields
      }
      return Reply(data: data, ok: ["count": .integer(data.count)])
    }
    let matching = commands.filter { $0.path.starts(with: words) }
    guard !matching.isEmpty else {
      if commands.contains(where: { $0.path[0] == verb }) {
        throw Refusal(.badArgument, "\(verb) knows no word \(words[1])", ["word": .text(words[1])])
      }
      throw unknownVerb(verb)
    }
    return Reply(data: matching.flatMap { $0.explanation })
  }
}

extension Command {
  /// Refuses words, keys and values the command does not know.
  fileprivate func check(words given: [String], fields: Fields) throws(Refusal) {
    let name = path.joined(separator: " ")
    if given.count < words.required {
      throw Refusal(.badArgument, "\(name) needs \(words.parameters[given.count].name); usage: \(usage)")
    }
    for (index, word) in given.enumerated() {
      guard index < words.parameters.count || words.repeatsLast, let last = words.parameters.last else {
        throw Refusal(.badArgument, "\(name) takes no word \(word); usage: \(usage)", ["word": .text(word)])
      }
      let parameter = index < words.parameters.count ? words.parameters[index] : last
      if let objection = parameter.objection(to: word) {
        throw Refusal(.badArgument, "\(name): \(parameter.name) is \(objection)", ["word": .text(word)])
      }
    }
    for field in fields.all { try check(field, name) }
    if let missing = requiredKeys.first(where: { fields[$0] == nil }) {
      throw Refusal(.badArgument, "\(name) needs \(missing)=; usage: \(usage)", ["key": .text(missing)])
    }
  }

  private func check(_ field: Fields.Field, _ name: String) throws(Refusal) {
    if let parameter = keys.first(where: { $0.name == field.key }) {
      if let objection = parameter.objection(to: field.value.text) {
        throw Refusal(.badArgument, "\(name): \(field.key)= is \(objection)", ["key": .text(field.key)])
      }
      return
    }
    var fields: Fields = ["key": .text(field.key)]
    guard let nearest = Spelling.nearest(to: field.key, among: keys.map(\.name)) else {
      throw Refusal(.badArgument, "\(name) knows no key \(field.key)=; usage: \(usage)", fields)
    }
    fields.append("nearest", .text(nearest))
    throw Refusal(.badArgument, "\(name) knows no key \(field.key)=; did you mean \(nearest)=?", fields)
  }

  /// The lines of `help VERB`.
  fileprivate var explanation: [Fields] {
    let head: Fields = ["usage": .text(usage), "summary": .text(summary)]
    let words = words.parameters.map { ["word": .text($0.name), "is": .text($0.meaning)] as Fields }
    let keys = keys.map { ["key": .text($0.name), "is": .text($0.meaning)] as Fields }
    return [head] + words + keys
  }
}

extension Parameter {
  /// What it is, for help: its summary and what may stand there.
  fileprivate var meaning: String {
    // No value satisfies "\0", so the objection to it says what would.
    let domain = objection(to: "\0") ?? "a text"
    return summary.isEmpty ? domain : "\(summary): \(domain)"
  }
}
