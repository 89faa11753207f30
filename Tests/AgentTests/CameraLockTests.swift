import Control
import Testing

/// Cameras that are locked for aiming, between scans.
@Suite(.serialized) struct CameraLockTests {
  /// Asks for it and waits for its end.
  private func outcome(of line: String, _ client: ControlClient) async throws -> Fields {
    let job = try await client.ask(line: line).end.get().integer("job")
    return try await client.event(.state) {
      $0.integer("job") == job && ["completed", "failed"].contains($0.text("to"))
    }
  }

  @Test func theCamerasAreLockedAndUnlockedAndAScanTakesThemAsTheyAre() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    _ = try await client.ask(line: "watch state sample")
    _ = try await client.ask(line: "light 1").end.get()
    // once more finds the light as it is then
    for _ in 0..<2 {
      let locked = try await outcome(of: "camera lock", client)
      #expect(locked.text("to") == "completed", "\(locked)")
      let words = locked.text("reason")?.split(separator: " ").map { $0.split(separator: "=") } ?? []
      #expect(words.map(\.first) == ["exposure_us", "gain", "red", "blue"], "\(locked)")
      #expect(words.allSatisfy { (Double($0.last ?? "") ?? 0) > 0 }, "\(locked)")
    }
    // a scan finds its own, and lets nobody else at them
    let scan = try await client.ask(line: "capture start shots=200 passes=1").end.get().integer("job")
    _ = try await client.event(.sample) { $0.text("verdict") == "kept" }
    for line in ["camera lock", "camera unlock"] {
      let refusal = try await client.refusal(of: line)
      #expect(refusal.token == "BUSY" && refusal.message.contains("a scan has the cameras"), "\(refusal.message)")
    }
    _ = try await client.ask(line: "capture cancel").end.get()
    _ = try await client.event(.state) { $0.integer("job") == scan && $0["kept"] != nil }
    for line in ["camera lock", "camera unlock", "camera unlock"] {
      let ended = try await outcome(of: line, client)
      #expect(ended.text("to") == "completed", "\(line): \(ended)")
    }
    try await agent.cleanUp()
  }
}
