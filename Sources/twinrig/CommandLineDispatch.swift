import Control
import Glibc
import Spelling

/// Finds out which command is meant, and runs it.
enum CommandLineDispatch {
  static let usage: String = {
    func lines(_ commands: [Vocabulary.Command]) -> String {
      commands.map { command in
        let gap = String(repeating: " ", count: max(2, 46 - command.usage.count))
        return "  \(command.usage)\(gap)\(command.summary)"
      }.joined(separator: "\n")
    }
    return """
      usage: twinrig [--socket PATH] [--json] COMMAND …
      \(lines(Vocabulary.commands.filter(\.needsAgent)))
      without an agent:
      \(lines(Vocabulary.commands.filter { !$0.needsAgent }))
      --socket PATH  the agent's socket; default $TWINRIG_SOCKET, else /run/twinrig/control.sock
      --json         one JSON object a line, for scripts
      Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no agent, 4 refused by the agent, 5 not enough memory, 130 cancelled.
      """
  }()

  /// Whether the command handles INT and TERM itself.
  static func takesSignals(_ arguments: [String]) -> Bool {
    let command = (try? ClientOptions(arguments))?.rest.first
    return command == "scan" || command == "demo"
  }

  /// Runs the command line and returns the exit code.
  static func run(_ arguments: [String]) async -> Int32 {
    var isJSON = arguments.prefix { $0.hasPrefix("-") }.contains("--json")
    do throws(ClientFailure) {
      let options = try ClientOptions(arguments)
      isJSON = options.isJSON
      return try await run(options)
    } catch {
      if isJSON {
        Terminal.say(JSONText.error(error))
      } else {
        Terminal.complain("twinrig: \(error.message)")
      }
      return error.code
    }
  }

  private static func run(_ options: ClientOptions) async throws(ClientFailure) -> Int32 {
    let rest = Array(options.rest.dropFirst())
    guard let command = options.rest.first else { throw .usage("a command is missing; see twinrig help") }
    if rest.contains("--help") || rest.contains("-h") {
      return try await HelpCommand.explain(command, rest.filter { !$0.hasPrefix("-") }, options)
    }
    switch command {
    case "--help", "-h":
      if options.isJSON { HelpCommand.showOwnCommands(isJSON: true) } else { Terminal.say(lines: usage) }
      return ExitCode.done
    case "--version":
      Terminal.say(options.isJSON ? JSONText.line("ok", ["version": "0.1.0"]) : "twinrig 0.1.0")
      return ExitCode.done
    case "config" where ConfigCommand.handles(rest):
      return try ConfigCommand.run(rest, isJSON: options.isJSON)
    // with a session of the agent's (and `key=value` words) it is the agent's verb
    case "reconstruct" where ReconstructCommand.handles(rest):
      return try await ReconstructCommand.run(rest, isJSON: options.isJSON)
    case "help": return try await HelpCommand.run(rest, options)
    case "scan": return try await ScanCommand.run(rest, options)
    case "watch": return try await WatchCommand.run(rest, options)
    case "demo": return try await DemoCommand.run(rest, options)
    case "completions": return try CompletionsCommand.run(rest, isJSON: options.isJSON)
    case "doctor": return try await DoctorCommand.run(rest, options)
    default: return try await VerbCommand.run(options.rest, options)
    }
  }
}

/// Why a command ended early: what to say, and the exit code.
struct ClientFailure: Error {
  let code: Int32
  let message: String
  /// The agent's own token, where it was the agent that refused.
  var token: String?

  static func usage(_ message: String) -> ClientFailure { ClientFailure(code: ExitCode.usage, message: message) }

  init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  init(_ error: ControlError) {
    self.init(code: error.kind == .noAgent ? ExitCode.noAgent : ExitCode.failed, message: error.description)
  }

  /// Why there is no connection. An agent that answers with a reason instead of its greeting has refused.
  init(connecting error: ControlError) {
    self.init(error)
    if error.kind == .full {
      self.init(code: ExitCode.refused, message: error.description)
      token = Refusal.Token.limit.rawValue
    }
  }
}

/// The options every command that talks to the agent knows; they stand before the command.
struct ClientOptions {
  var socket: String
  /// Whether the command line or the environment names the socket.
  var namesSocket: Bool
  var isJSON = false
  /// The command and what follows it.
  var rest: [String]

  init(_ arguments: [String]) throws(ClientFailure) {
    // a variable that is set to nothing says nothing
    let named = getenv("TWINRIG_SOCKET").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    socket = named ?? "/run/twinrig/control.sock"
    namesSocket = named != nil
    var source = "TWINRIG_SOCKET"
    var rest = arguments[...]
    while let option = rest.first, option.hasPrefix("-"), !["--help", "-h", "--version"].contains(option) {
      rest = rest.dropFirst()
      switch option {
      case "--json": isJSON = true
      case "--socket":
        guard let path = rest.popFirst(), !path.isEmpty else {
          throw .usage("--socket needs the path of the agent's socket; see twinrig help")
        }
        socket = path
        namesSocket = true
        source = option
      default: throw .usage(Spelling.unknownOption(option, among: Self.names, see: "twinrig --help"))
      }
    }
    self.rest = Array(rest)
    guard socket.utf8.count <= Self.longestSocket else {
      throw .usage(
        "\(source): the path has \(socket.utf8.count) bytes, a socket's has at most \(Self.longestSocket); "
          + "name it by a shorter one, e.g. of a symbolic link to its folder")
    }
  }

  /// The options that stand before the command.
  private static let names = ["--help", "--json", "--socket", "--version"]

  /// Why a command does not take an option: it has none but `others`; those before it are often put after it.
  static func misplaced(_ option: String, before command: String, others: [String] = []) -> ClientFailure {
    switch option {
    case "--json": return .usage("--json stands before the command: twinrig --json \(command)")
    case "--socket": return .usage("--socket stands before the command: twinrig --socket PATH \(command)")
    default: break
    }
    return .usage(Spelling.unknownOption(option, among: names + others, see: "twinrig help"))
  }

  /// `sun_path` holds so many bytes and the terminator (unix(7)).
  private static let longestSocket = 107

  /// Connects to the agent.
  func connect() throws(ClientFailure) -> ControlClient {
    do throws(ControlError) {
      return try ControlClient(connectingTo: socket)
    } catch {
      throw ClientFailure(connecting: error)
    }
  }

  /// Connects to ask for `words`. Where no agent answers, words that hardly any agent would know are to blame first.
  func connect(for words: [String]) throws(ClientFailure) -> ControlClient {
    do throws(ClientFailure) {
      return try connect()
    } catch {
      guard error.code == ExitCode.noAgent, let doubt = Vocabulary.doubt(about: words) else { throw error }
      throw .usage(doubt)
    }
  }
}

extension ControlClient {
  /// The same as `ask`, with errors of the connection as the command's failure.
  func answer(_ request: Request) async throws(ClientFailure) -> Answer {
    do throws(ControlError) { return try await ask(request) } catch { throw ClientFailure(error) }
  }
}

extension Request {
  /// The request that command-line words stand for: `key=value` words are pairs.
  init(arguments: [String]) throws(ClientFailure) {
    guard let verb = arguments.first else { throw .usage("a verb is missing; see twinrig help") }
    self.init(verb: verb)
    for argument in arguments {
      if let trouble = Self.unsayable(argument) { throw .usage(trouble) }
    }
    for argument in arguments.dropFirst() {
      if argument.hasPrefix("--"), !argument.contains("=") {
        throw ClientOptions.misplaced(argument, before: verb)
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, !parts[0].isEmpty {
        fields.append(String(parts[0]), .text(String(parts[1])))
      } else if argument.isEmpty {
        throw .usage("an empty word says nothing; an empty value is written key=")
      } else if argument.contains(where: { $0 == " " || $0 == "\"" || $0 == "\n" }) {
        throw .usage("the word \"\(argument)\" holds a blank or a quote; only values of key=value may")
      } else {
        words.append(argument)
      }
    }
    // What the agent would say about it, without the way there.
    do throws(RequestError) {
      _ = try Request(line: Array(description.utf8)[...])
    } catch {
      throw .usage(error.refusal.message)
    }
  }

  /// Why a word cannot be sent as it is, for a person: it would arrive changed.
  private static func unsayable(_ argument: String) -> String? {
    let shown = argument.prefix { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } }.prefix(40)
    for scalar in argument.unicodeScalars {
      switch scalar {
      case "\n", "\t": continue
      case "\u{FFFD}": return "the word that begins with \"\(shown)\" is not UTF-8"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        return "the word that begins with \"\(shown)\" holds a control character; only line feed and tab may be sent"
      default: continue
      }
    }
    return nil
  }
}
