import Control

/// `twinrig VERB …`: one request, one answer, which is waited for where it takes its time.
enum VerbCommand {
  static func run(_ arguments: [String], _ options: ClientOptions) async throws(ClientFailure) -> Int32 {
    let request = try request(arguments)
    let client = try connect(for: arguments, options)
    defer { client.close() }
    let answer = try await answer(to: request, client)
    if case .failure(let rejection) = answer.end, let doubt = doubt(about: arguments, rejection) {
      throw .usage(doubt)
    }
    LinePrinter(isJSON: options.isJSON).show(answer)
    if case .failure = answer.end { return ExitCode.refused }
    return ExitCode.done
  }

  private static func connect(
    for words: [String], _ options: ClientOptions
  ) throws(ClientFailure) -> ControlClient {
    do throws(ClientFailure) {
      return try options.connect(for: words)
    } catch {
      guard error.code == ExitCode.noAgent, words.count > 1, words[0] == "reconstruct" else { throw error }
      throw ReconstructCommand.neither(words[1], error)
    }
  }

  private static func answer(
    to request: Request, _ client: ControlClient
  ) async throws(ClientFailure) -> Answer {
    if LateAnswer.isPossible(for: request) { return try await LateAnswer.ask(request, client) }
    return try await client.answer(request)
  }

  /// The request that the words stand for. Where they stand for none, that may be since the command is none.
  private static func request(_ arguments: [String]) throws(ClientFailure) -> Request {
    do throws(ClientFailure) {
      return try Request(arguments: arguments)
    } catch {
      if let doubt = Vocabulary.doubt(about: arguments) { throw .usage(doubt) }
      throw error
    }
  }

  /// Why the agent may have refused: it does not know this program's own commands, and takes a slip of one of its own for
  /// the name of something there is not.
  private static func doubt(about arguments: [String], _ rejection: Answer.Rejection) -> String? {
    switch rejection.token {
    case "BADCMD": Vocabulary.doubt(about: arguments)
    case "BADARG", "NOTFOUND": Vocabulary.slip(in: arguments)
    default: nil
    }
  }
}

/// `twinrig help [VERB]`: works without an agent, too, but then knows only what this program knows.
enum HelpCommand {
  static func run(_ arguments: [String], _ options: ClientOptions) async throws(ClientFailure) -> Int32 {
    if let word = arguments.first, isExplained(arguments) {
      return try await explain(word, Array(arguments.dropFirst()), options)
    }
    let request = try Request(arguments: ["help"] + arguments)
    let client: ControlClient
    do throws(ClientFailure) {
      // of a word that needs another one, help tells all of them
      let isBeginning = arguments.count == 1 && !Vocabulary.usages(of: arguments[0]).isEmpty
      client = try isBeginning ? options.connect() : options.connect(for: arguments)
    } catch {
      return try showOwn(arguments, options, instead: error)
    }
    defer { client.close() }
    let answer = try await client.answer(request)
    if case .failure(let rejection) = answer.end {
      if rejection.token == "BADCMD", let doubt = Vocabulary.doubt(about: arguments) { throw .usage(doubt) }
      throw ClientFailure(code: ExitCode.refused, message: rejection.message)
    }
    if arguments.isEmpty { showOwnCommands(isJSON: options.isJSON) }
    if options.isJSON {
      LinePrinter(isJSON: true).show(answer)
    } else {
      if arguments.isEmpty {
        Terminal.say("")
        Terminal.say("verbs of the agent at \(options.socket):")
      }
      for fields in answer.data { Terminal.say(line(fields)) }
    }
    return ExitCode.done
  }

  /// What `COMMAND … --help` says: `words` are those after the command.
  static func explain(
    _ command: String, _ words: [String], _ options: ClientOptions
  ) async throws(ClientFailure) -> Int32 {
    guard let usage = usage(of: command) else {
      // of `capture start` it is that command's, of `model m1` that of all that begin with `model`
      let path = [command] + words.prefix(1)
      return try await run(Vocabulary.verbs.contains(path) ? path : [command], options)
    }
    guard options.isJSON else {
      Terminal.say(lines: usage)
      return ExitCode.done
    }
    showOwnCommands(of: command, isJSON: true)
    // the rest of a command that both this program and the agent have
    for verb in Vocabulary.verbs where verb[0] == command && ["config", "reconstruct"].contains(command) {
      Terminal.say(JSONText.line("command", ["usage": .text(verb.joined(separator: " ") + " …")]))
    }
    return ExitCode.done
  }

  /// Whether this program explains a command by itself; of `config` only what there is.
  private static func isExplained(_ words: [String]) -> Bool {
    guard let command = words.first, usage(of: command) != nil else { return false }
    let isOwn = Vocabulary.commands.contains { $0.usage.split(separator: " ").starts(with: words.map { $0[...] }) }
    return words.count == 1 || isOwn || Vocabulary.verbs.contains(words)
  }

  /// The usage of a command that does without an agent, or that stays with one.
  private static func usage(of command: String) -> String? {
    switch command {
    case "help": CommandLineDispatch.usage
    case "scan": CommandUsage.scan
    case "watch": CommandUsage.watch
    case "config": ConfigCommand.usage
    case "demo": DemoCommand.usage
    case "doctor": DoctorCommand.usage
    case "completions": CompletionsCommand.usage
    case "reconstruct": ReconstructCommand.usage
    default: nil
    }
  }

  /// What can be said where no agent answers.
  private static func showOwn(
    _ arguments: [String], _ options: ClientOptions, instead error: ClientFailure
  ) throws(ClientFailure) -> Int32 {
    guard error.code != ExitCode.usage else { throw error }
    guard let word = arguments.first else {
      showOwnCommands(isJSON: options.isJSON)
      return ExitCode.done
    }
    let usages = Vocabulary.usages(of: word)
    guard error.code == ExitCode.noAgent, !usages.isEmpty else { throw error }
    for usage in usages {
      Terminal.say(options.isJSON ? JSONText.line("command", ["usage": .text(usage)]) : "usage: twinrig \(usage)")
    }
    if !options.isJSON { Terminal.say("the words and keys they take are the agent's to tell; none answers") }
    return ExitCode.done
  }

  /// What this program does by itself, or one command of it: for people, or one JSON object a command.
  static func showOwnCommands(of name: String? = nil, isJSON: Bool) {
    guard isJSON else { return Terminal.say(lines: CommandLineDispatch.usage) }
    for command in Vocabulary.commands where command.name != "VERB" && command.name == name ?? command.name {
      Terminal.say(
        JSONText.line("command", ["usage": .text(command.usage), "summary": .text(command.summary)]))
    }
  }

  private static func line(_ fields: Fields) -> String {
    if let usage = fields.text("usage") {
      let gap = String(repeating: " ", count: max(2, 46 - usage.count))
      return "  \(usage)\(gap)\(fields.text("summary") ?? "")"
    }
    return "      \(fields.text("key").map { "\($0)=" } ?? fields.text("word") ?? "")  \(fields.text("is") ?? "")"
  }
}

/// `twinrig watch [CLASS…] [until=job:N]`: events until the agent, the job or the reader ends.
enum WatchCommand {
  static let classes = [
    "state", "progress", "coverage", "feedback", "prompt", "sample", "file", "battery", "button", "device"
  ]

  static func run(_ arguments: [String], _ options: ClientOptions) async throws(ClientFailure) -> Int32 {
    var request = try Request(arguments: ["watch"] + arguments)
    if request.words.isEmpty { request.words = classes }
    let client = try options.connect()
    defer { client.close() }
    // whoever has seen enough waits for no further event, and for no answer
    Terminal.whenUnread { client.close() }
    do throws(ClientFailure) {
      return try await follow(request, client, LinePrinter(isJSON: options.isJSON))
    } catch {
      if Terminal.isOutputLost { return ExitCode.done }
      throw error
    }
  }

  private static func follow(
    _ request: Request, _ client: ControlClient, _ printer: LinePrinter
  ) async throws(ClientFailure) -> Int32 {
    let answer = try await client.answer(request)
    if case .failure = answer.end {
      printer.show(answer)
      return ExitCode.refused
    }
    // With nothing more to say, the stream ends when the watch does; a plain one lasts as long as we do.
    if request.fields["until"] != nil { client.finishSending() }
    for await line in client.events {
      if case .event(let kind, let fields) = line { printer.show(kind, fields) }
      if Terminal.isOutputLost { return ExitCode.done }
    }
    if request.fields["until"] != nil { return ExitCode.done }
    throw ClientFailure(code: ExitCode.failed, message: "the agent has ended")
  }
}
