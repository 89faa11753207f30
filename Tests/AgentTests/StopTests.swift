import Control
import Testing

/// `stop` on a rig that takes its time.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StopTests {
  private static let configuration = RunningAgent.configuration + "\npace = \"real-time\"\n"

  /// Waits until the turntable stands where it stood a while before, and says where that is.
  private func restingPlace(_ client: ControlClient) async throws -> Double? {
    var last: Double?
    while true {
      let now = try await client.ask(line: "limits turntable").data[0].number("position")
      if now == last { return now }
      last = now
      // longer than an axis stands between two moves of a scan
      try await Task.sleep(for: .milliseconds(700))
    }
  }

  @Test(arguments: ["prepare", "plates"]) func aScanThatIsStoppedMovesNothingUntilSomebodyGoesOn(stage: String)
    async throws
  {
    let agent = try await RunningAgent.start(Self.configuration)
    let client = try await agent.client()
    defer { client.close() }
    _ = try await client.ask(line: "watch state progress")
    let job = try #require(try await client.ask(line: "capture start shots=4 passes=1").end.get().integer("job"))
    _ = try await client.event(.progress) { $0.text("stage") == stage }
    if stage == "plates" {
      while (try await client.ask(line: "limits turntable").data[0].number("position") ?? 0) < 5 {
        try await Task.sleep(for: .milliseconds(10))
      }
    }
    // an axis ramps down for half a second; the answer is there before
    let asked = ContinuousClock.now
    #expect(try await client.ask(line: "stop").end.get().text("scan") == "pausing")
    #expect(ContinuousClock.now - asked < .milliseconds(400))
    let pause = try await client.event(.state) { $0.integer("job") == job && $0.text("to") == "paused" }
    #expect(pause.text("reason")?.contains("then go on") == true)
    let stood = try await restingPlace(client)
    #expect(stood.map { $0 < 115 } == true, "\(String(describing: stood))")
    #expect(try await client.ask(line: "status").data[0].text("state") == "paused")
    _ = try await client.ask(line: "capture resume").end.get()
    while try await client.ask(line: "limits turntable").data[0].number("position") == stood {
      try await Task.sleep(for: .milliseconds(20))
    }
    _ = try await client.ask(line: "capture cancel").end.get()
    let end = try await client.event(.state) { $0.integer("job") == job && $0["kept"] != nil }
    #expect(end.text("to") == "cancelled")
    try await agent.cleanUp()
  }

  @Test func aPromptOutlivesAStop() async throws {
    let agent = try await RunningAgent.start(RunningAgent.configuration + "\nperson = \"absent\"\n")
    let client = try await agent.client()
    defer { client.close() }
    _ = try await client.ask(line: "watch state prompt")
    _ = try await client.ask(line: "capture start shots=4 passes=1").end.get()
    let prompt = try await client.event(.prompt) { $0.text("kind") == "clear" }
    #expect(try await client.ask(line: "stop").end.get().text("scan") == nil)
    #expect(try await client.ask(line: "status").data[0].integer("prompt") == prompt.integer("id"))
    _ = try await client.ask(line: "answer \(prompt.integer("id") ?? 0) skip").end.get()
    _ = try await client.ask(line: "capture cancel").end.get()
    let end = try await client.event(.state) { $0["kept"] != nil }
    #expect(end.text("to") == "cancelled")
    try await agent.cleanUp()
  }
}
