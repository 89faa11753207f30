import Control

/// `twinrig VERB …`: one request, one answer.
enum VerbCommand {
  static func run(_ arguments: [String], _ options: ClientOptions) async throws(ClientFailure) -> Int32 {
    let request = try request(arguments)
    let client = try options.connect(for: arguments)
    defer { client.close() }
    let answer = try await client.answer(request)
    if case .failure(let rejection) = answer.end, let doubt = doubt(about: arguments, rejection) {
      throw .usage(doubt)
    }
    LinePrinter(isJSON: options.isJSON).show(answer)
    if case .failure = answer.end { return ExitCode.refused }
    return ExitCode.done
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

/// `twinrig help [VERB]`: works without an agent, too, but then knows only what this program does.
enum HelpCommand {
  static func run(_ arguments: [String], _ options: ClientOptions) async throws(ClientFailure) -> Int32 {
    let request = try Request(arguments: ["help"] + arguments)
    let client: ControlClient
    do throws(ClientFailure) {
      client = try options.connect(for: arguments)
    } catch {
      guard arguments.isEmpty, error.code != ExitCode.usage else { throw error }
      showOwnCommands(isJSON: options.isJSON)
      return ExitCode.done
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

  /// What this program does by itself: for people, or one JSON object a command.
  static func showOwnCommands(isJSON: Bool) {
    guard isJSON else { return Terminal.say(lines: CommandLineDispatch.usage) }
    for command in Vocabulary.commands where command.name != "VERB" {
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
  static let classes = ["state", "progress", "coverage", "feedback", "prompt", "sample", "file", "battery", "button"]

  static func run(_ arguments: [String], _ options: ClientOptions) async throws(ClientFailure) -> Int32 {
    var request = try Request(arguments: ["watch"] + arguments)
    if request.words.isEmpty { request.words = classes }
    let client = try options.connect()
    defer { client.close() }
    let printer = LinePrinter(isJSON: options.isJSON)
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
