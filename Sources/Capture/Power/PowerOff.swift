import Glibc

/// Why a computer could not be powered off, and what a person can do.
public struct PowerOffError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The command that failed.
  public var command: String
  /// What it said, or what became of it.
  public var reason: String

  /// One line for a person.
  public var description: String {
    "powering off failed: \(command): \(reason); switch the station off by hand, and install twinrig's polkit rule "
      + "(60-twinrig.rules) or run the agent as a user that may power off"
  }
}

/// Powers the computer off through logind, which asks polkit whether we may. With a D-Bus call by a program of systemd's,
/// so that the agent needs no library for its one call.
public struct PowerOff: Sendable {
  private let program: String
  private let arguments: [String]
  private let patience: Duration

  /// By logind of this computer.
  public init() {
    self.init(
      program: "/usr/bin/busctl",
      arguments: [
        "--system", "--timeout=20", "call", "org.freedesktop.login1", "/org/freedesktop/login1",
        "org.freedesktop.login1.Manager", "PowerOff", "b", "false"
      ])
  }

  /// By a program that ends with 0 where it did what was asked; it is given up after `patience`.
  package init(program: String, arguments: [String] = [], patience: Duration = .seconds(30)) {
    self.program = program
    self.arguments = arguments
    self.patience = patience
  }

  /// Asks for it, and returns when it has been granted: the computer then ends everything in its own order. Throws where
  /// that is refused, or not answered in time.
  public func ask() async throws(PowerOffError) {
    let child: ChildProcess
    do throws(JobRefusal) {
      child = try await ChildProcess.start(program, arguments, limits: ChildLimits(niceness: 0))
    } catch {
      throw PowerOffError(command: program, reason: error.message)
    }
    let patience = patience
    let alarm = Task {
      try await ContinuousClock().sleep(for: patience)
      child.signal(SIGKILL)
      return true
    }
    let end = await child.termination
    alarm.cancel()
    if end.code == 0 { return }
    let wasTooSlow = (try? await alarm.value) ?? false
    let said = end.errors.split(separator: "\n").joined(separator: " ")
    let reason =
      wasTooSlow ? "no answer in \(patience)" : said.isEmpty ? "it ended with \(end.code)" : said
    throw PowerOffError(command: program, reason: reason)
  }
}
