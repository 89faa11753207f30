import CLinux
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

/// The real programs, as somebody at a terminal meets them.
@Suite(.serialized, .timeLimit(.minutes(3))) struct CommandLineTests {
  /// What a program printed and how it ended.
  struct Ending {
    var code: Int32
    var output: String
    var errors: String
  }

  /// Runs a program of ours with the shell's own words. `before` are assignments of variables; `output`
  /// is where standard output goes.
  private func run(
    _ words: String, of program: String = "twinrig", before: String = "", output: String = "out"
  ) throws -> Ending {
    let folder = "/tmp/twinrig-words-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = try RunningAgent.neighbour(program)
    let script = """
      cd \(folder); >out; unset TWINRIG_SOCKET
      \(before) \(path) \(words) >\(output) 2>err </dev/null; echo $? >code
      """
    _ = script.withCString { system($0) }
    let text = { (name: String) in try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) }
    let code = try text("code").filter(\.isNumber)
    return Ending(code: Int32(code) ?? -1, output: try text("out"), errors: try text("err"))
  }

  private func isJSON(_ text: String) -> Bool {
    text.split(separator: "\n").allSatisfy { line in
      (try? JSONDecoder().decode([String: Anything].self, from: Data(line.utf8))) != nil
    }
  }
  private struct Anything: Decodable { init(from decoder: any Decoder) throws {} }

  @Test(arguments: [
    ("bogus", "unknown command bogus; see twinrig help"), ("xy", "unknown command xy; see twinrig help"),
    ("jobserver", "unknown command jobserver; see"), ("statsu", "did you mean \"status\"?"),
    ("STATUS", "unknown command STATUS; did you mean \"status\"? see twinrig help"),
    ("Scan", "did you mean \"scan\"?"), ("scna", "did you mean \"scan\"?"),
    ("capture strat", "did you mean \"capture start\"?"), ("camera-lock", "did you mean \"camera lock\"?"),
    ("models-set m1", "did you mean \"model set\"?"), ("model ste", "did you mean \"model set\"?"),
    ("capture", "needs another word: capture start"), ("config chek x", "did you mean \"config check\"?"),
    ("config ''", "config takes no empty word"), ("''", "an empty word is no command"),
    ("status ''", "an empty word says nothing"), ("config check", "config check needs a file"),
    ("help statsu", "did you mean \"status\"?"), ("statsu --help", "did you mean \"status\"?"),
    ("demo", "demo needs --output DIR"), ("demo x --output y", "demo takes no word x"),
    ("demo --outptu y", "did you mean \"--output\"?"), ("config check --jso x", "did you mean \"--json\"?"),
    ("-json status", "did you mean \"--json\"?"), ("--jso status", "did you mean \"--json\"?"),
    ("status --jso", "did you mean \"--json\"?"), ("status --json", "--json stands before the command"),
    ("--sokcet x status", "unknown option --sokcet; did you mean \"--socket\"?"),
    ("--socket=x status", "the value of --socket is the next word"), ("--socket '' status", "--socket needs the path"),
    ("--socket " + String(repeating: "/x", count: 150) + " status", "300 bytes, a socket's has at most 107"),
    ("completions", "completions needs one word: bash, zsh, fish"), ("completions csh", "no completions for csh"),
    ("doctor now", "doctor takes no word now"), ("doctor --confg x", "did you mean \"--config\"?"),
    ("doctor --config", "--config needs a file"), ("doctor --config /nope.toml", "/nope.toml: cannot be read"),
    ("", "a command is missing"), ("scan --yess", "unknown option --yess")
  ])
  func whatIsWrongWithTheWordsIsSaidInOneLine(words: String, message: String) throws {
    let ending = try run(words)
    #expect(ending.code == 2 && ending.output.isEmpty, "\(ending)")
    #expect(ending.errors.contains(message), "\(ending.errors)")
    #expect(ending.errors.split(separator: "\n").count == 1 && ending.errors.hasPrefix("twinrig: "))
    let json = try run("--json " + words)
    #expect(json.code == 2 && json.errors.isEmpty && isJSON(json.output) && json.output.contains("USAGE"), "\(json)")
  }

  @Test(arguments: [
    "status", "capture", "capture start", "model m1", "scan", "watch", "config", "demo", "doctor", "reconstruct"
  ])
  func everyCommandSaysHowItIsUsedAlsoWithoutAnAgent(words: String) throws {
    for option in ["--help", "-h"] {
      let ending = try run("--socket /nonexistent/s \(words) \(option)")
      #expect(ending.code == 0 && ending.errors.isEmpty && ending.output.hasPrefix("usage: twinrig "), "\(ending)")
      let json = try run("--socket /nonexistent/s --json \(words) \(option)")
      #expect(json.code == 0 && isJSON(json.output) && json.output.hasPrefix("{\"line\":\"command\""), "\(json)")
    }
    #expect(try run("--help", of: "twinrigd").output.hasPrefix("usage: twinrigd "))
  }

  @Test(arguments: [
    ["scan --help", "twinrig scan [--yes]", "overcapture="], ["help scan", "twinrig scan [--yes]", "capture resume"],
    ["watch --help", "twinrig watch [CLASS…]", "until=job:N ends"], ["help watch", "twinrig watch", "feedback"],
    ["config reload --help", "twinrig config check", "config reload  "], ["help demo", "twinrig demo", "passes="],
    ["help config check", "twinrig config check", "config defaults"],
    ["help config", "twinrig config check", "config reload  "],
    ["help config defaults", "twinrig config check", "prints every key"],
    ["reconstruct --help", "twinrig reconstruct", "output=LIST"], ["help reconstruct", "twinrig", "128 to 1000000"],
    ["help help", "twinrig [--socket PATH]", "Exit codes"]
  ]) func eachCommandHasAUsageOfItsOwn(words: [String]) throws {
    let ending = try run("--socket /nonexistent/s \(words[0])")
    #expect(ending.code == 0 && ending.errors.isEmpty, "\(ending)")
    let isRight = ending.output.hasPrefix("usage: \(words[1])") && ending.output.contains(words[2])
    #expect(isRight, "\(ending)")
    let json = try run("--socket /nonexistent/s --json \(words[0])")
    #expect(json.code == 0 && isJSON(json.output) && json.output.hasPrefix("{\"line\":\"command\""), "\(json)")
  }

  @Test func aWordThatIsNeitherAFolderNorASessionIsToldAsBoth() throws {
    let ending = try run("--socket /nonexistent/s reconstruct nope detail=medium")
    #expect(ending.code == 3, "\(ending)")
    #expect(ending.errors.hasPrefix("twinrig: there is no folder nope here, and no agent"), "\(ending)")
    #expect(ending.errors.contains("/nonexistent/s") && ending.errors.split(separator: "\n").count == 1, "\(ending)")
    // what can only be a folder is looked for here
    let folder = try run("--socket /nonexistent/s reconstruct ./nope")
    #expect(folder.code == 2 && !folder.errors.contains("/nonexistent/s"), "\(folder)")
  }

  @Test func aSlipThatTheAgentTakesForANameIsNone() async throws {
    let agent = try await RunningAgent.start()
    try await agent.client().close()
    for words in ["model ste", "model ste name=x", "modle m1"] {
      let ending = try run("--socket \(agent.socket) \(words)")
      #expect(ending.code == 2 && ending.errors.contains("did you mean \"model"), "\(ending)")
    }
    let missing = try run("--socket \(agent.socket) model m7")
    #expect(missing.code == 4 && missing.errors.contains("(NOTFOUND)"), "\(missing)")
    let help = try run("--socket \(agent.socket) capture start --help")
    #expect(help.code == 0 && help.output.contains("shots="), "\(help)")
    try await agent.cleanUp()
  }

  @Test func aWordThatWouldArriveChangedIsRefused() throws {
    for name in ["$(printf 'a\\001b')", "$(printf 'a\\177b')", "$(printf 'a\\377b')"] {
      for verb in ["capture start", "model set m1", "scan"] {
        let ending = try run("\(verb) name=\"\(name)\"")
        #expect(ending.code == 2, "\(ending)")
        #expect(ending.errors.contains("name=a"), "\(ending)")
      }
    }
  }

  @Test func whatNobodyAnswersForIsNoUsageError() throws {
    for words in ["status", "capture start", "job 3", "config", "config reload"] {
      let ending = try run("--socket /nonexistent/s \(words)")
      #expect(ending.code == 3 && ending.errors.contains("is twinrigd running?"), "\(ending)")
    }
    // a variable that is set to nothing names no socket
    #expect(try run("status", before: "TWINRIG_SOCKET=").errors.contains("/run/twinrig/control.sock"))
  }

  @Test func helpIsJSONWhereJSONIsAskedFor() async throws {
    for words in ["--json help", "--json --help", "--json --version", "--json config defaults"] {
      let ending = try run("--socket /nonexistent/s \(words)")
      #expect(ending.code == 0 && !ending.output.isEmpty && isJSON(ending.output), "\(ending)")
    }
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    let ending = try run("--socket \(agent.socket) --json help")
    #expect(ending.code == 0 && isJSON(ending.output))
    #expect(ending.output.contains("\"usage\":\"demo ") && ending.output.contains("\"usage\":\"capture start"))
    let plain = try run("--socket \(agent.socket) help")
    #expect(plain.output.contains("usage: twinrig") && plain.output.contains("verbs of the agent at"))
    // what the client thinks an agent knows is what the agent knows
    let usages = try await client.ask(line: "help").data.compactMap { $0.text("usage") }
    for usage in usages where !usage.hasPrefix("help") && !usage.hasPrefix("reconstruct") {
      let words = usage.split(separator: " ").prefix { $0.allSatisfy { $0.isLowercase || $0 == "-" } }
      let wrong = try run("--socket /nonexistent/s \(words.joined(separator: " "))")
      #expect(wrong.code == 3, "\(usage): \(wrong)")
    }
    try await agent.cleanUp()
  }

  @Test func listsAreTablesOfHoweverManyLines() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    let ask = { (words: String) throws -> [String] in
      let ending = try run("--socket \(agent.socket) \(words)")
      #expect(ending.code == 0, "\(words): \(ending)")
      return ending.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
    for list in ["sessions", "models", "jobs"] { #expect(try ask(list) == ["none"]) }
    #expect(try ask("buttons")[0].split(separator: " ") == ["id", "action", "pressed", "line"])
    #expect(try ask("buttons").count == 4)
    // one line of a list is a table, too
    #expect(try ask("battery")[0].hasPrefix("name  level") && ask("battery").count == 2)
    // what only some have follows
    let health = try ask("health")
    #expect(health[0] == "check        ok" && health[1].contains("free="))
    // of what has no name none is shown, not even that there is none
    let devices = try ask("caps")
    let buttons = devices.filter { $0.hasPrefix("button ") }
    #expect(!buttons.isEmpty && !buttons.contains { $0.contains(" - ") }, "\(devices)")
    #expect(!devices.contains { $0.hasPrefix("signal") && $0.hasSuffix("-") }, "\(devices)")
    // a single thing is shown a field a line
    #expect(try ask("version").count == 1 && ask("status")[0].hasPrefix("state"))
    try await agent.cleanUp()
  }

  @Test func theAgentSaysWhatIsWrongWithItsWords() throws {
    for (words, message) in [
      ("--bogus", "unknown option --bogus; see twinrigd --help"), ("--confg x", "did you mean \"--config\"?"),
      ("--config=x", "the value of --config is the next word"), ("--socket", "--socket needs a value"),
      ("--socket \(String(repeating: "/x", count: 150))", "300 bytes, a socket's has at most 107")
    ] {
      let ending = try run(words, of: "twinrigd")
      #expect(ending.code == 2 && ending.errors.split(separator: "\n").count == 1, "\(ending)")
      #expect(ending.errors.contains(message), "\(ending)")
    }
  }

  @Test func whatMakesModelsIsLookedForAtTheStart() throws {
    for (program, why) in [("/nope", "No such file"), ("/tmp", "it is no program"), ("/etc/passwd", "may not be run")] {
      let ending = try run(
        "--config rig.toml --state state --socket s --twinrig \(program)", of: "twinrigd", before: "echo >rig.toml;")
      #expect(ending.code == 2 && ending.errors.contains(why), "\(ending)")
      #expect(ending.errors.contains("name it with --twinrig"), "\(ending)")
    }
  }

  @Test func aScanSaysWhichOfItsStepsItShows() async throws {
    // progress is told twice a second at most
    let script = """
      for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        echo '{"event":"progress","stage":"depth","fraction":0.5,"remaining":7}'; sleep 0.1
      done
      echo usdz > "$OUT/model.usdz"
      """
    let agent = try await RunningAgent.start(script: script)
    try await agent.client().close()
    let both = try run("--socket \(agent.socket) scan shots=4 passes=1")
    #expect(both.code == 0 && both.output.contains("model m1 is ready"), "\(both)")
    let steps = both.output.split(separator: "\n").filter { $0.contains("%") }.compactMap {
      $0.split(separator: ":").first
    }
    #expect(Set(steps) == ["1/2 scan", "2/2 model"] && steps == steps.sorted(), "\(steps)")
    #expect(both.output.contains("2/2 model: depth  50%  0:07 left"), "\(both.output)")
    agent.signal(SIGTERM)
    _ = try await agent.end()
    let alone = try await RunningAgent.start(
      RunningAgent.configuration + "\n[reconstruction]\nautomatic = false\n", continuing: agent)
    try await alone.client().close()
    let one = try run("--socket \(alone.socket) scan shots=4 passes=1")
    #expect(one.code == 0 && one.output.contains("\nscan: capture") && !one.output.contains("model"), "\(one)")
    try await alone.cleanUp()
  }

  @Test func aWatchThatNobodyCanReadEnds() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    _ = try await client.ask(line: "capture start shots=100 passes=1")
    let ending = try run("--socket \(agent.socket) watch", before: "timeout 60", output: "/dev/full")
    #expect(ending.code == 1 && ending.errors.contains("standard output cannot be written"), "\(ending)")
    _ = try await client.ask(line: "capture cancel")
    try await agent.cleanUp()
  }

  @Test func pathsAreToldAsEverybodyCanUseThem() async throws {
    let agent = try await RunningAgent.start(state: "state", through: "cd ${3%/rig.toml}; exec \"$@\"")
    let client = try await agent.client()
    defer { client.close() }
    let health = try await client.ask(line: "health").data.first { $0.text("check") == "state" }
    #expect(health?.text("folder") == agent.folder + "/state")
    try await agent.cleanUp()
  }

  @Test func aDemoThatIsCancelledAtOnceSaysSo() throws {
    let ending = try run(
      "demo --output made --config rig.toml",
      before: "echo '[cameras]' >rig.toml; timeout --preserve-status -s INT 0.3")
    #expect(ending.code == 130, "\(ending)")
    #expect(ending.errors.contains("cancelled") || ending.output.contains("scan cancelled"), "\(ending)")
  }

  @Test(arguments: [
    ["--config nope.toml", "nope.toml"], ["--config wrong.toml", "config check says what else"],
    ["shots=4 --config", "--config needs a value"], ["'name=a\u{1}' --config right.toml", "control character"]
  ]) func aDemoThatCannotBeginLeavesNothing(words: [String]) throws {
    let folder = "/tmp/twinrig-demo-\(UUID().uuidString.prefix(8))"
    let files = "printf 'x = 1\\ny = 2\\n' >wrong.toml; echo >right.toml;"
    let ending = try run("demo --output \(folder) \(words[0])", before: files)
    #expect(ending.code == 2 && ending.output.isEmpty && ending.errors.contains(words[1]), "\(ending)")
    #expect(ending.errors.hasPrefix("twinrig: ") && ending.errors.split(separator: "\n").count == 1, "\(ending)")
    let json = try run("--json demo --output \(folder) \(words[0])", before: files)
    #expect(json.code == 2 && isJSON(json.output) && json.output.contains("USAGE"), "\(json)")
    #expect(access(folder, F_OK) != 0)
  }

  @Test func whoeverIsOneTooManyIsRefused() async throws {
    let agent = try await RunningAgent.start()
    try await agent.client().close()
    var clients: [ControlClient] = []
    while clients.count < 16 {
      if let client = try? ControlClient(connectingTo: agent.socket) { clients.append(client) }
    }
    for words in ["status", "watch", "scan", "help status"] {
      let ending = try run("--socket \(agent.socket) \(words)")
      #expect(ending.code == 4 && ending.errors.contains("16 clients are connected already"), "\(words): \(ending)")
    }
    let json = try run("--socket \(agent.socket) --json status")
    #expect(json.code == 4 && isJSON(json.output) && json.output.contains("\"token\":\"LIMIT\""), "\(json)")
    clients.forEach { $0.close() }
    try await agent.cleanUp()
  }
}
