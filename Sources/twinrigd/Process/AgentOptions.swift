import Spelling

/// What is wrong with a command line.
struct UsageError: Error, CustomStringConvertible {
  let message: String
  var description: String { message }
}

/// The release.
enum Version {
  static let text = "0.1.0"
}

/// The agent's command line.
struct AgentOptions {
  struct Settings: Sendable {
    var configuration = "/etc/twinrig/twinrig.toml"
    var state: String?
    var socket: String?
    var program: String?
    var isVerbose = false
  }

  enum Wish {
    case help
    case version
    case run(Settings)
    /// Switch off what a dead agent may have left on; the configuration's file.
    case motorsOff(String)
  }

  static let usage = """
    usage: twinrigd [--config FILE] [--state DIR] [--socket PATH] [--twinrig PROGRAM] [--verbose]
           twinrigd --motors-off [--config FILE]
      --config FILE      the configuration; default /etc/twinrig/twinrig.toml
      --state DIR        sessions, models and what must survive a restart; default: agent.state_folder
      --socket PATH      the control socket; default: agent.socket, or the one that systemd passes on
      --twinrig PROGRAM  what makes models; default: twinrig beside this program
      --verbose          says more in the log: who connects and goes
      --motors-off       takes the current from motors, lamps and buzzer that a dead agent may have left on, and ends
    Exit codes: 0 stopped in order, 1 a fault, 2 wrong usage, configuration, state folder or socket, 3 another agent runs.
    Signals: TERM and INT stop in order, HUP reads the configuration again.
    """

  let wish: Wish

  init(_ arguments: [String]) throws(UsageError) {
    var settings = Settings()
    var rest = arguments[...]
    var isForMotors = false
    while let option = rest.popFirst() {
      switch option {
      case "--help", "-h":
        wish = .help
        return
      case "--version":
        wish = .version
        return
      case "--config": settings.configuration = try Self.value(of: option, &rest)
      case "--state": settings.state = try Self.value(of: option, &rest)
      case "--socket": settings.socket = try Self.socket(try Self.value(of: option, &rest))
      case "--verbose": settings.isVerbose = true
      case "--motors-off": isForMotors = true
      case "--twinrig": settings.program = try Self.value(of: option, &rest)
      default:
        let options = Spelling.options(in: Self.usage) + ["--version"]
        throw UsageError(message: Spelling.unknownOption(option, among: options, see: "twinrigd --help"))
      }
    }
    wish = isForMotors ? .motorsOff(settings.configuration) : .run(settings)
  }

  private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
    guard let value = rest.popFirst(), !value.isEmpty else {
      throw UsageError(message: "\(option) needs a value; see twinrigd --help")
    }
    return value
  }

  /// A path that a socket can have: `sun_path` holds 107 bytes and the terminator (unix(7)).
  private static func socket(_ path: String) throws(UsageError) -> String {
    guard path.utf8.count <= 107 else {
      throw UsageError(
        message: "--socket: the path has \(path.utf8.count) bytes, a socket's has at most 107; choose a shorter one")
    }
    return path
  }
}
