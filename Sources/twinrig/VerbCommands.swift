import Control

/// `twinrig VERB …`: one request, one answer.
enum VerbCommand {
  static func run(_ arguments: [String], _ options: ClientOptions) async throws(ClientFailure) -> Int32 {
    let request = try Request(arguments: arguments)
    let client = try options.connect()
    defer { client.close() }
    let answer = try await client.answer(request)
    LinePrinter(isJSON: options.isJSON).show(answer)
    if case .failure = answer.end { return ExitCode.refused }
    return ExitCode.done
  }
}

/// `twinrig help [VERB]`: works without an agent, too, but then knows only what this program does.
enum HelpCommand {
  static func run(_ arguments: [String], _ options: ClientOptions) async throws(ClientFailure) -> Int32 {
    if arguments.isEmpty { Terminal.say(CommandLineDispatch.usage) }
    let request = try Request(arguments: ["help"] + arguments)
    let client: ControlClient
    do throws(ClientFailure) {
      client = try options.connect()
    } catch {
      if arguments.isEmpty { return ExitCode.done }
      throw error
    }
    defer { client.close() }
    let answer = try await client.answer(request)
    if options.isJSON {
      LinePrinter(isJSON: true).show(answer)
    } else {
      if arguments.isEmpty { Terminal.say("\nverbs of the agent at \(options.socket):") }
      for fields in answer.data { Terminal.say(line(fields)) }
    }
    guard case .failure(let rejection) = answer.end else { return ExitCode.done }
    throw ClientFailure(code: ExitCode.refused, message: rejection.message)
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
    }
    if request.fields["until"] != nil { return ExitCode.done }
    throw ClientFailure(code: ExitCode.failed, message: "the agent has ended")
  }
}
