import Control
import Glibc

/// Finds out which command is meant, and runs it.
enum CommandLineDispatch {
  static let usage = """
    usage: twinrig [--socket PATH] [--json] COMMAND …
      scan [name=…] [shots=…] [passes=…] [--yes]   scans an object, with progress and prompts, until its model is ready
      watch [CLASS…] [until=job:N]                 shows what happens
      VERB …                                       any verb of the agent: status, caps, models, jobs, …; see twinrig help
      help [VERB]                                  this, and what the agent says about its verbs
    without an agent:
      reconstruct INPUT --output DIR …             makes a model of a session or of posed pictures
      config check FILE…                           says what is wrong with configuration files
      demo --output DIR [--config FILE]            scans the object of a simulated rig and puts its model into DIR
    --socket PATH  the agent's socket; default $TWINRIG_SOCKET, else /run/twinrig/control.sock
    --json         one JSON object a line, for scripts
    Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no agent, 4 refused by the agent, 5 not enough memory, 130 cancelled.
    """

  /// Whether the command handles INT and TERM itself.
  static func takesSignals(_ arguments: [String]) -> Bool {
    let command = (try? ClientOptions(arguments))?.rest.first
    return command == "scan" || command == "demo"
  }

  /// Runs the command line and returns the exit code.
  static func run(_ arguments: [String]) async -> Int32 {
    let options: ClientOptions
    do throws(ClientFailure) {
      options = try ClientOptions(arguments)
    } catch {
      return complain(error)
    }
    let rest = Array(options.rest.dropFirst())
    if rest.last == "--help", let usage = usage(of: options.rest[0]) {
      Terminal.say(usage)
      return ExitCode.done
    }
    switch options.rest.first {
    case nil, "--help", "-h":
      Terminal.say(usage)
      return options.rest.isEmpty ? ExitCode.usage : ExitCode.done
    case "--version":
      Terminal.say("twinrig 0.1.0")
      return ExitCode.done
    case "config" where ConfigCommand.handles(rest):
      let json = options.isJSON && rest.first == "check" ? ["--json"] : []
      return ConfigCommand.run(rest + json, print: Terminal.say, complain: Terminal.complain)
    // with a session of the agent's (and `key=value` words) it is the agent's verb
    case "reconstruct" where ReconstructCommand.handles(rest): return await ReconstructCommand.run(rest)
    default: break
    }
    do throws(ClientFailure) {
      switch options.rest[0] {
      case "help": return try await HelpCommand.run(rest, options)
      case "scan": return try await ScanCommand.run(rest, options)
      case "watch": return try await WatchCommand.run(rest, options)
      case "demo": return try await DemoCommand.run(rest, options)
      case let verb where rest.last == "--help": return try await HelpCommand.run([verb], options)
      default: return try await VerbCommand.run(options.rest, options)
      }
    } catch {
      return complain(error)
    }
  }

  /// What `COMMAND --help` says, or nil where the command or the agent says it.
  private static func usage(of command: String) -> String? {
    switch command {
    case "scan", "watch", "help": usage
    case "config": ConfigCommand.usage
    case "demo": DemoCommand.usage
    default: nil
    }
  }

  private static func complain(_ failure: ClientFailure) -> Int32 {
    Terminal.complain("twinrig: \(failure.message)")
    return failure.code
  }
}

/// Why a command ended early: what to say, and the exit code.
struct ClientFailure: Error {
  let code: Int32
  let message: String

  static func usage(_ message: String) -> ClientFailure { ClientFailure(code: ExitCode.usage, message: message) }

  init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  init(_ error: ControlError) {
    self.init(code: error.kind == .noAgent ? ExitCode.noAgent : ExitCode.failed, message: error.description)
  }
}

/// The options every command that talks to the agent knows; they stand before the command.
struct ClientOptions {
  var socket: String
  var isJSON = false
  /// The command and what follows it.
  var rest: [String]

  init(_ arguments: [String]) throws(ClientFailure) {
    socket = getenv("TWINRIG_SOCKET").map { String(cString: $0) } ?? "/run/twinrig/control.sock"
    var rest = arguments[...]
    while let option = rest.first, option.hasPrefix("--"), !["--help", "--version"].contains(option) {
      rest = rest.dropFirst()
      switch option {
      case "--json": isJSON = true
      case "--socket":
        guard let path = rest.popFirst() else { throw .usage("--socket needs a path") }
        socket = path
      default: throw .usage("unknown option \(option); see twinrig --help")
      }
    }
    self.rest = Array(rest)
  }

  /// Connects to the agent.
  func connect() throws(ClientFailure) -> ControlClient {
    do throws(ControlError) { return try ControlClient(connectingTo: socket) } catch { throw ClientFailure(error) }
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
    for argument in arguments.dropFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, !parts[0].isEmpty {
        fields.append(String(parts[0]), .text(String(parts[1])))
      } else if argument.contains(where: { $0 == " " || $0 == "\"" || $0 == "\n" }) || argument.isEmpty {
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
}
