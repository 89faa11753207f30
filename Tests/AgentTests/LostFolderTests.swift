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

/// Somebody removes folders under a running agent.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LostFolderTests {
  @Test func aStateFolderThatIsRemovedIsNotMadeAnewWithoutItsLock() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    let state = agent.folder + "/state"
    try FileManager.default.moveItem(atPath: state, toPath: state + ".away")
    let rejection = try await client.refusal(of: "capture start")
    #expect(rejection.token == "IO" && rejection.message.contains("the state folder was removed or replaced"))
    let health = try await client.ask(line: "health").data.first { $0.text("check") == "state" }
    #expect(health?.integer("ok") == 0)
    #expect(access(state, F_OK) != 0)
    // another agent may have it now, and the first one keeps its hands off
    let other = try await RunningAgent.start(continuing: agent, servesSocket: true, socket: agent.folder + "/other")
    let second = try await other.client()
    defer { second.close() }
    #expect(try await client.refusal(of: "capture start").token == "IO")
    #expect(try await second.ask(line: "sessions").data.isEmpty)
    other.signal(SIGTERM)
    #expect(try await other.end() == 0)
    // put back, it is as before
    try FileManager.default.removeItem(atPath: state)
    try FileManager.default.moveItem(atPath: state + ".away", toPath: state)
    _ = try await client.ask(line: "capture start shots=4 passes=1").end.get()
    _ = try await client.ask(line: "capture cancel")
    try await agent.cleanUp()
  }

  /// What cannot be read is told by the lists with the reason, and counted by `health`; a session whose journal is gone is
  /// not offered to be taken up.
  @Test func damagedSessionsAndModelsAreProblems() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    func problems() async throws -> [String: Fields] {
      let answer = try await client.ask(line: "health")
      return Dictionary(answer.data.map { ($0.text("check") ?? "?", $0) }) { first, _ in first }
    }
    _ = try await client.ask(line: "watch state sample")
    let id = try await client.ask(line: "capture start shots=60 passes=1").end.get().text("session") ?? "?"
    _ = try await client.event(.sample) { $0.text("verdict") == "kept" }
    _ = try await client.ask(line: "capture cancel")
    _ = try await client.event(.state) { $0.text("to") == "cancelled" }
    let before = try await problems()
    #expect(before["sessions"]?.integer("ok") == 1 && before["sessions"]?.integer("count") == 1)
    #expect(before["models"]?.integer("ok") == 1 && before["models"]?.integer("damaged") == 0)

    try FileManager.default.removeItem(atPath: "\(agent.folder)/state/sessions/\(id)/journal.ndjson")
    try FileManager.default.createDirectory(
      atPath: "\(agent.folder)/state/models/m1", withIntermediateDirectories: true)
    try "{\"id\":5}".write(toFile: "\(agent.folder)/state/models/m1/model.json", atomically: true, encoding: .utf8)
    let after = try await problems()
    #expect(after["sessions"]?.integer("ok") == 0 && after["sessions"]?.text("first") == id)
    #expect(after["models"]?.integer("ok") == 0 && after["models"]?.text("first") == "m1")
    let session = try await client.ask(line: "sessions").data.first
    #expect(session?.text("state") == "damaged" && session?.text("reason")?.contains("the journal is gone") == true)
    let model = try await client.ask(line: "models").data.first
    #expect(model?.text("reason")?.contains("\"id\" is not a text") == true, "\(String(describing: model))")
    #expect(try await client.refusal(of: "capture resume \(id)").message.contains("the journal is gone"))
    #expect(try await client.refusal(of: "reconstruct \(id)").message.contains("the journal is gone"))
    try await agent.cleanUp()
  }

  @Test func aBoxOfASessionThatIsGoneIsRefused() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    _ = try await client.ask(line: "watch state sample")
    let session = try await client.ask(line: "capture start shots=60 passes=1").end.get().text("session") ?? "?"
    _ = try await client.event(.sample) { $0.text("verdict") == "kept" }
    try FileManager.default.removeItem(atPath: "\(agent.folder)/state/sessions/\(session)")
    let rejection = try await client.refusal(of: "box set=-50,0,-50,50,90,50")
    #expect(rejection.token == "IO" && rejection.message.contains("the session's folder is gone"), "\(rejection)")
    let pause = try await client.event(.state) { $0.text("to") == "paused" }
    #expect(pause.text("reason")?.contains("put it back, then go on") == true, "\(pause)")
    _ = try await client.ask(line: "capture cancel").end.get()
    let end = try await client.event(.state) { $0["kept"] != nil }
    #expect(end.text("to") == "cancelled" && end.integer("kept") == 0, "\(end)")
    try await agent.cleanUp()
  }
}
