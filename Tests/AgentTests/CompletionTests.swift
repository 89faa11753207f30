import Control
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#endif

/// Completions, asked of the shells themselves where they are installed.
@Suite struct CompletionTests {
  private static func isInstalled(_ shell: String) -> Bool { access("/usr/bin/\(shell)", X_OK) == 0 }

  /// Runs a shell's script beside the file `rules`, its completions; returns the lines it printed.
  private func run(_ shell: String, _ script: String, completionsOf other: String? = nil) throws -> [String] {
    let folder = "/tmp/twinrig-completions-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: "\(folder)/sub", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try script.write(toFile: "\(folder)/script", atomically: true, encoding: .utf8)
    let program = try RunningAgent.neighbour("twinrig")
    let status = system(
      "cd \(folder) && HOME=\(folder) && export HOME && \(program) completions \(other ?? shell) >rules && touch rig.toml && "
        + "\(shell) script >out 2>&1 </dev/null")
    let output = try String(contentsOfFile: "\(folder)/out", encoding: .utf8)
    #expect(status == 0, "\(script): \(output)")
    return output.split(separator: "\n").map(String.init)
  }

  /// What bash offers where a line ends.
  private func bash(_ line: String, breaks: String = " =:") throws -> [String] {
    try run(
      "bash",
      """
      . ./rules
      COMP_WORDBREAKS='\(breaks)' COMP_LINE='\(line)' COMP_POINT=${#COMP_LINE}
      _twinrig
      for word in "${COMPREPLY[@]}"; do echo "$word"; done
      """)
  }

  @Test(arguments: [
    ("twinrig stat", ["status"]), ("twinrig capture ", ["start", "pause", "resume", "cancel", "finish", "--help"]),
    ("twinrig capture start ov", ["overcapture="]), ("twinrig capture start shots=3 det", ["detail="]),
    ("twinrig --socket /tmp/s --json capture st", ["start"]), ("twinrig answer 3 fl", ["flipped"]),
    ("twinrig doctor --config r", ["rig.toml", "rules"]), ("twinrig doctor --config rig.toml --js", ["--json"]),
    ("twinrig reconstruct s", ["sub"]), ("twinrig reconstruct sub --detail m", ["medium"]),
    ("twinrig reconstruct sub --output s", ["sub"]), ("twinrig completions ", ["bash", "zsh", "fish", "--help"]),
    ("twinrig model s", ["set"]), ("twinrig model set m1 pr", ["price="]), ("twinrig config check ri", ["rig.toml"]),
    ("twinrig watch state ba", ["battery"]), ("twinrig help capt", ["capture"]), ("twinrig nonsense", [])
  ])
  func bashOffersWhatMayFollow(line: String, words: [String]) throws {
    let offered = try bash(line).filter { $0 != "out" && $0 != "script" }
    // names of files come in the order of the folder
    #expect(line.contains("--config") ? offered.sorted() == words : offered == words)
  }

  @Test func bashReplacesOnlyWhatItTakesForAWord() throws {
    #expect(try bash("twinrig capture start detail=re") == ["reduced"])
    #expect(try bash("twinrig capture start detail=re", breaks: " ") == ["detail=reduced"])
    let rule = try run("bash", ". ./rules; complete -p twinrig")
    #expect(rule == ["complete -o filenames -F _twinrig twinrig"])
  }

  @Test(.enabled(if: isInstalled("fish"))) func fishOffersWhatMayFollow() throws {
    func offers(_ line: String) throws -> [String] {
      try run("fish", "source rules; complete -C '\(line)'")
    }
    #expect(try offers("twinrig stat") == ["status"])
    #expect(
      try offers("twinrig capture start detail=").sorted() == ["detail=medium", "detail=preview", "detail=reduced"])
    #expect(try offers("twinrig reconstruct sub --detail m") == ["medium"])
    #expect(try offers("twinrig doctor --config rig").contains("rig.toml"))
  }

  @Test(.enabled(if: isInstalled("zsh"))) func zshOffersWhatMayFollow() throws {
    // what compadd is given, without a terminal to complete on
    func offers(_ line: String) throws -> [String] {
      try run(
        "zsh",
        """
        compdef() { : }
        compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- "$@" }
        _files() { print -- files "$@" }
        source ./rules
        words=(${(s: :)1}) ; words=(\(line)) ; CURRENT=$#words
        _twinrig
        """)
    }
    #expect(try offers("twinrig capture start detail=").contains("detail=medium"))
    #expect(try offers("twinrig capture \"\"") == ["start", "pause", "resume", "cancel", "finish", "--help"])
    #expect(try offers("twinrig capture start \"\"").prefix(2) == ["name=", "shots="])
    #expect(try offers("twinrig reconstruct sub --output \"\"") == ["files -/"])
  }

  @Test func everyShellTakesItsScript() throws {
    for shell in ["bash", "zsh", "fish"] where Self.isInstalled(shell) || shell == "bash" {
      #expect(try run(shell, "\(shell) -n rules") == [])
    }
  }

  /// The package of another machine's architecture is made where its program does not run: what it would print is there.
  @Test func thePackageInstallsWhatTheProgramPrints() throws {
    let packaging = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/packaging/completions"
    for (shell, file) in [("bash", "twinrig"), ("zsh", "_twinrig"), ("fish", "twinrig.fish")] {
      let printed = try run("bash", "cat rules", completionsOf: shell)
      let kept = try String(contentsOfFile: "\(packaging)/\(file)", encoding: .utf8)
      #expect(
        printed == kept.split(separator: "\n").map(String.init),
        "twinrig completions \(shell) >packaging/completions/\(file)")
    }
  }

  /// What is offered without an agent is what an agent takes.
  @Test func theAgentsWordsAndKeysAreThoseOfItsTable() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    for usage in try await client.ask(line: "help").data.compactMap({ $0.text("usage") }) {
      let path = usage.split(separator: " ").prefix { $0.allSatisfy { $0.isLowercase || $0 == "-" } }
      let command = path.joined(separator: " ")
      if command == "help" { continue }
      let help = try await client.ask(line: "help \(command)").data
      // help of a beginning tells of all that follow: up to the next usage
      let own = help.dropFirst().prefix { $0.text("usage") == nil }
      let keys = own.compactMap { $0.text("key") }
      let offered = try bash("twinrig \(command) ")
      let offeredKeys = offered.filter { $0.hasSuffix("=") }.map { String($0.dropLast()) }
      let others = command == "reconstruct" ? ["detail", "output"] : []
      #expect(Set(offeredKeys) == Set(keys + others), "\(command)")
      for parameter in own {
        guard let values = Self.choices(parameter.text("is") ?? "") else { continue }
        let found = parameter.text("key").map { "\(command) \($0)=" } ?? "\(command) "
        let words = try bash("twinrig \(found)").filter { !$0.hasPrefix("-") && !$0.hasSuffix("=") && $0 != "set" }
        #expect(Set(words) == Set(values), "\(found)")
      }
    }
    try await agent.cleanUp()
  }

  /// The values of a parameter that has a list of them: `…: preview, reduced or medium`.
  private static func choices(_ text: String) -> [String]? {
    let last = text.split(separator: ":").last.map(String.init) ?? text
    guard last.contains(" or ") || last.contains(", ") else { return nil }
    let plain = last.replacing("one or more of ", with: "").replacing(", comma between", with: "")
    let words = plain.replacing(" or ", with: ", ").split(separator: ",").map { $0.drop { $0 == " " } }
    return words.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isLetter } } ? words.map(String.init) : nil
  }
}
