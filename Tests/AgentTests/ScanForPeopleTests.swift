import Control
import Foundation
import TestSupport
import Testing

/// What `twinrig scan` says to a person.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ScanForPeopleTests {
  private static let withoutModels = RunningAgent.configuration + "\n[reconstruction]\nautomatic = false\n"

  /// Runs a scan and, meanwhile, what `act` does as another client.
  private func scan(
    _ words: String, _ configuration: String = withoutModels,
    while act: @escaping @Sendable (ControlClient, RunningAgent) async throws -> Void
  ) async throws -> Program.Outcome {
    let agent = try await RunningAgent.start(configuration)
    let client = try await agent.client()
    defer { client.close() }
    _ = try await client.ask(line: "watch state prompt sample")
    let script = "timeout 100 twinrig --socket \(agent.socket) scan \(words)"
    async let outcome = Self.aside(script)
    try await act(client, agent)
    let end = try await outcome
    try await agent.cleanUp()
    return end
  }

  /// Runs a script on a thread of its own: the tests' are few.
  private static func aside(_ script: String) async throws -> Program.Outcome {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try Program.run(script) }) }
    }
  }

  @Test func thePassIsSaidWhereThereAreSeveral() async throws {
    let several = try await scan("shots=12 passes=2") { _, _ in }
    #expect(several.code == 0, "\(several)")
    #expect(several.output.contains("scan: capture, pass 1 of 2, "), "\(several)")
    #expect(several.output.contains("scan: capture, pass 2 of 2, "), "\(several)")
    let one = try await scan("shots=12 passes=1") { _, _ in }
    #expect(one.output.contains("scan: capture ") && !one.output.contains("pass"), "\(one)")
  }

  @Test func aPromptSaysWhyAndThenHowItIsAnswered() async throws {
    let outcome = try await scan("shots=8 passes=2") { _, _ in }
    let lines = outcome.output.split(separator: "\n").map(String.init)
    let isWish = { (line: String) in line.hasPrefix("Please turn") || line.hasPrefix("Please set") }
    let wish = try #require(lines.firstIndex(where: isWish), "\(outcome)")
    #expect(!outcome.output.contains("advice:") && !lines[wish + 1].contains(";"), "\(outcome)")
    #expect(lines[wish + 2].contains("then press the answer button, or enter elsewhere: twinrig answer "), "\(outcome)")
    #expect(lines[wish + 2].contains("finish"), "\(outcome)")
    #expect(lines.contains { $0.hasPrefix("answered: ") && !$0.contains("(") }, "\(outcome)")
  }

  @Test func aPromptThatIsTakenBackIsSaidSo() async throws {
    let slow = Self.withoutModels.replacingOccurrences(of: "reaction_s = 0.0", with: "reaction_s = 600.0")
    let outcome = try await scan("shots=8 passes=1", slow) { client, _ in
      _ = try await client.event(.prompt) { $0["options"] != nil }
      _ = try await client.ask(line: "capture cancel")
    }
    #expect(outcome.output.contains("the rig no longer asks for that"), "\(outcome)")
    #expect(!outcome.output.contains("answered: -"), "\(outcome)")
  }

  @Test func aPauseSaysHowToGoOn() async throws {
    let outcome = try await scan("shots=100 passes=1") { client, _ in
      _ = try await client.event(.sample) { $0.text("verdict") == "kept" }
      _ = try await client.ask(line: "capture pause")
      _ = try await client.event(.state) { $0.text("to") == "paused" }
      _ = try await client.ask(line: "capture finish")
    }
    let lines = outcome.output.split(separator: "\n").map(String.init)
    let pause = try #require(lines.firstIndex { $0.hasPrefix("paused: on request") }, "\(outcome)")
    #expect(lines[pause + 1].contains("twinrig capture resume") && lines[pause + 1].contains("capture finish"))
    #expect(outcome.code == 0 && lines.last?.hasPrefix("scan completed") == true, "\(outcome)")
  }
}
