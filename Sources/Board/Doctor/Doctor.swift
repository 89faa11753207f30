import Configuration
import LinuxRig
import Rig

#if canImport(Glibc)
  import Glibc
#endif

/// Looks at everything that a configuration names and that a station needs, one by one. Nothing moves: lines are requested
/// with the direction they have, chips are only read. Of an agent at work it leaves the devices alone.
package struct Doctor: Sendable {
  private let configuration: TwinrigConfiguration
  /// Where the kernel shows what there is.
  package var roots = SystemRoots()
  /// How devices are tried.
  package var probe: any DeviceProbe = LinuxProbe()
  /// The agent's account; nil where there is none.
  package var agent = Account.named("twinrig")
  /// Whoever runs this.
  package var caller = Account.current
  /// The control socket.
  package var socket: String
  /// The year it is.
  package var year = Doctor.thisYear

  /// Looks at what a configuration that was read and checked names.
  package init(_ configuration: TwinrigConfiguration) {
    self.configuration = configuration
    socket = configuration.agent.socket
  }

  /// All findings, in the order in which a board is brought up: itself, its disk, its users, its devices.
  package func examine() async -> [Finding] {
    let agentRuns = agentRuns
    let account = agent ?? caller
    let lines = ClaimedLine.all(of: configuration)
    let chips = ClaimedChip.all(of: configuration)
    var groups = lines.isEmpty ? [] : ["gpio"]
    if !chips.isEmpty { groups.append("i2c") }
    if configuration.cameras.driver != .simulated { groups += ["video", "render"] }
    var findings = ComputerExamination(configuration: configuration, roots: roots, year: year).findings()
    findings += StorageExamination(configuration: configuration, roots: roots, account: account).findings()
    findings += SocketExamination(
      path: socket, agent: agent, caller: caller, deviceGroups: groups, agentRuns: agentRuns
    ).findings()
    if agentRuns {
      findings.append(.ok("agent", "it runs: motors, lines and chips are its, and are left alone"))
    }
    findings += CameraExamination(configuration: configuration, roots: roots, account: account).findings()
    findings += LineExamination(
      lines: lines, probe: probe, roots: roots, account: account, agentRuns: agentRuns
    ).findings()
    findings += await BusExamination(
      chips: chips, probe: probe, roots: roots, account: account, agentRuns: agentRuns
    ).findings()
    return findings + (await SupplyExamination(configuration: configuration, roots: roots).findings())
  }

  /// Whether an agent is at work with the configuration's state folder: it holds a lock there. Where that cannot be seen for
  /// want of rights, a process of that name counts. The socket says nothing: asking there may start an agent.
  package var agentRuns: Bool {
    let path = "\(configuration.agent.stateFolder)/agent.lock"
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno == EACCES && hasAgentProcess }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  private var hasAgentProcess: Bool {
    roots.names(in: roots.proc).contains { name in
      name.allSatisfy(\.isNumber) && roots.text(of: "\(roots.proc)/\(name)/comm") == "twinrigd"
    }
  }

  private static var thisYear: Int {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    return Int(parts.tm_year) + 1900
  }
}
