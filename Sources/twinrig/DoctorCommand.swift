import Board
import Configuration
import Control
import Spelling

/// `twinrig doctor`: what is wrong with this board as it is configured, and the line that mends it.
///
/// Exit status: 0 no faults, 1 faults, 2 the configuration or the command line is wrong.
enum DoctorCommand {
  /// What `--help` says.
  static let usage = """
    usage: twinrig doctor [--config FILE] [--json]
    Tries every device of the configuration, one by one, and looks at the computer, its disk and its users. Nothing moves.
      --config FILE   the configuration; default /etc/twinrig/twinrig.toml
      --json          one JSON object a finding
    Each finding is ok, a warning or a fault; below the last two stands the line that mends it: a command for root, a key of
    the configuration, or a line of config.txt. While an agent runs, devices are its: they are left alone, and it is asked
    how it is. As root everything can be tried; rights are judged for the user twinrig where there is one.
    Exit codes: 0 no faults, 1 faults, 2 wrong usage or configuration.
    """

  /// Does what the arguments after `doctor` say and returns the exit status.
  static func run(_ arguments: [String], _ options: ClientOptions) async throws(ClientFailure) -> Int32 {
    var file = "/etc/twinrig/twinrig.toml"
    var isJSON = options.isJSON
    var rest = arguments[...]
    while let word = rest.popFirst() {
      switch word {
      case "--json": isJSON = true
      case "--config":
        guard let value = rest.popFirst(), !value.isEmpty else { throw .usage("--config needs a file") }
        file = value
      default:
        guard word.hasPrefix("-") else { throw .usage("doctor takes no word \(word); see twinrig doctor --help") }
        throw .usage(Spelling.unknownOption(word, among: Spelling.options(in: usage), see: "twinrig doctor --help"))
      }
    }
    var doctor = Doctor(try configuration(file))
    var options = options
    // a socket that is asked for goes before the configuration's, and that before the usual one
    if options.namesSocket { doctor.socket = options.socket } else { options.socket = doctor.socket }
    var findings = await doctor.examine()
    if doctor.agentRuns { findings += await agentFindings(options) }
    DoctorReport(findings: findings, file: file).show(isJSON: isJSON)
    return findings.contains { $0.verdict == .fault } ? ExitCode.failed : ExitCode.done
  }

  /// The configuration, checked as a start of the agent would.
  private static func configuration(_ file: String) throws(ClientFailure) -> TwinrigConfiguration {
    do throws(ConfigurationError) {
      return try TwinrigConfiguration(file: file)
    } catch {
      for problem in error.problems.dropLast() { Terminal.complain("twinrig: \(problem)") }
      throw ClientFailure(code: ExitCode.usage, message: error.problems.last?.description ?? "\(error)")
    }
  }

  /// What the agent at work says of itself. Its socket was passed on to it or made by it, so asking starts none.
  private static func agentFindings(_ options: ClientOptions) async -> [Finding] {
    do throws(ClientFailure) {
      let client = try options.connect()
      defer { client.close() }
      return try await ask("health", client, Self.health) + ask("battery", client, Self.battery)
    } catch {
      return [
        .fault("agent", "it runs, but does not answer: \(error.message)", .command("journalctl -u twinrigd -n 50"))
      ]
    }
  }

  /// The findings that an answer's lines make. A busy board may not answer in time: it is asked again.
  private static func ask(
    _ verb: String, _ client: ControlClient, _ finding: (Fields) -> Finding?
  ) async throws(ClientFailure) -> [Finding] {
    var rejection: Answer.Rejection?
    for _ in 0..<tries {
      let answer = try await client.answer(Request(verb: verb))
      guard case .failure(let refusal) = answer.end else { return answer.data.compactMap(finding) }
      rejection = refusal
      guard refusal.token == Refusal.Token.timedOut.rawValue else { break }
    }
    let what = "\(verb) is not answered: \(rejection?.message ?? "")"
    return [.warning("agent", what, .command("journalctl -u twinrigd -n 50"))]
  }

  private static let tries = 10

  private static func health(_ fields: Fields) -> Finding? {
    guard let check = fields.text("check") else { return nil }
    let figures = fields.all.filter { !["check", "ok"].contains($0.key) && !$0.value.isNothing }
    let words = figures.map { "\($0.key) \($0.value.text)" }.joined(separator: ", ")
    guard fields.text("ok") == "0" else { return .ok("agent: \(check)", words) }
    return .fault("agent: \(check)", words, .command("twinrig health; journalctl -u twinrigd -n 50"))
  }

  private static func battery(_ fields: Fields) -> Finding? {
    guard let name = fields.text("name") else { return nil }
    let subject = "agent: battery \(name)"
    if let error = fields.text("error") ?? fields.text("reason") {
      return .fault(subject, error, .command("systemctl stop twinrigd && twinrig doctor"))
    }
    return .ok(subject, "level \(fields.text("level") ?? "?"), \(fields.text("state") ?? "?")")
  }
}

/// Shows findings to a person or a program.
struct DoctorReport {
  let findings: [Finding]
  /// The configuration they are about.
  let file: String

  func show(isJSON: Bool) {
    for finding in findings {
      if isJSON {
        Terminal.say(JSONText.line("data", fields(finding)))
      } else {
        for line in lines(finding) { Terminal.say(line) }
      }
    }
    let counts = Finding.Verdict.allCases.map { verdict in findings.filter { $0.verdict == verdict }.count }
    if isJSON {
      Terminal.say(
        JSONText.line(
          "ok", ["faults": .integer(counts[2]), "warnings": .integer(counts[1]), "good": .integer(counts[0])]))
    } else {
      func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
      Terminal.say("\(counted(counts[2], "fault")), \(counted(counts[1], "warning")), \(counts[0]) good")
    }
  }

  private func fields(_ finding: Finding) -> Fields {
    [
      "subject": .text(finding.subject), "verdict": .text(finding.verdict.rawValue), "what": .text(finding.what),
      "remedy": finding.remedy.map { .text($0.line) } ?? .nothing,
      "place": finding.remedy.map { .text($0.place) } ?? .nothing
    ]
  }

  /// The finding, and below it what mends it.
  private func lines(_ finding: Finding) -> [String] {
    let verdict = finding.verdict.rawValue
    let head = verdict + String(repeating: " ", count: max(1, 9 - verdict.count))
    let line = "\(head)\(finding.subject): \(finding.what)"
    guard let remedy = finding.remedy else { return [line] }
    let place =
      switch remedy {
      case .command: "run"
      case .setting: "in \(file)"
      case .bootLine: "in /boot/firmware/config.txt, then boot"
      case .byHand: "by hand"
      }
    return [line, "         \(place): \(remedy.line)"]
  }
}
