import Control
import TestSupport
import Testing

/// The real programs with a reader that has seen enough, as in `| head`.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ClosedReaderTests {
  private static let withoutModels = RunningAgent.configuration + "\n[reconstruction]\nautomatic = false\n"

  // of buttons no event ever comes; without the limit of time these would wait for ever
  @Test(arguments: ["watch button", "--json watch button", "watch button until=job:1", "watch", "--json watch"])
  func aWatchEndsWithItsReader(words: String) async throws {
    let agent = try await RunningAgent.start(Self.withoutModels)
    let client = try await agent.client()
    defer { client.close() }
    _ = try await client.ask(line: "capture start shots=100 passes=1")
    let outcome = try Program.run(
      "timeout 60 twinrig --socket \(agent.socket) \(words) | true; exit ${PIPESTATUS[0]}")
    #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome)")
    try await agent.cleanUp()
  }

  @Test func aWatchThatIsReadStays() async throws {
    let agent = try await RunningAgent.start()
    try await agent.client().close()
    for reader in ["| cat", "> /dev/null", "> \(agent.folder)/events"] {
      let outcome = try Program.run(
        "timeout 1 twinrig --socket \(agent.socket) watch button \(reader); exit ${PIPESTATUS[0]}")
      #expect(outcome.code == 124 && outcome.errors.isEmpty, "\(reader): \(outcome)")
    }
    try await agent.cleanUp()
  }

  @Test(arguments: ["scan", "--json scan"]) func aScanGoesOnWithoutItsReaderAndSaysSo(words: String) async throws {
    let agent = try await RunningAgent.start(Self.withoutModels)
    let client = try await agent.client()
    defer { client.close() }
    let outcome = try Program.run(
      """
      exec 3> >(true); wait $!
      timeout 60 twinrig --socket \(agent.socket) \(words) shots=4 passes=1 >&3
      """)
    #expect(outcome.code == 0 && outcome.output.isEmpty, "\(outcome)")
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.contains { $0.contains("nobody reads standard output any more; the scan goes on") }, "\(outcome)")
    // what asks something of a person, and how it ended
    #expect(lines.contains { $0.hasPrefix("Please put the object") }, "\(outcome)")
    #expect(lines.last == "scan completed, 4 shots", "\(outcome)")
    let session = try await client.ask(line: "sessions").data.first
    #expect(session?.text("state") == "completed" && session?.integer("shots") == 4, "\(session as Any)")
    try await agent.cleanUp()
  }

  @Test func namesFromTheSocketSteerNoTerminal() async throws {
    let agent = try await RunningAgent.start(Self.withoutModels)
    let client = try await agent.client()
    defer { client.close() }
    let outcome = try Program.run(
      #"""
      export TWINRIG_SOCKET=\#(agent.socket)
      twinrig capture start shots=4 passes=1 "name=$(printf 'vä\302\233\342\200\256se')"
      twinrig sessions; twinrig --json sessions
      """#)
    #expect(outcome.output.components(separatedBy: #"vä\u009b\u202ese"#).count == 3, "\(outcome)")
    #expect(!outcome.output.unicodeScalars.contains { $0 == "\u{9b}" || $0 == "\u{202e}" }, "\(outcome)")
    try await agent.cleanUp()
  }
}
