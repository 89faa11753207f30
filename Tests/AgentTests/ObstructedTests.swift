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

/// Something else stands where the agent keeps what it keeps, or is gone from there.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ObstructedTests {
  private func health(_ client: ControlClient, _ check: String) async throws -> Fields? {
    try await client.ask(line: "health").data.first { $0.text("check") == check }
  }

  @Test func whatIsNoFolderIsNoEmptyLibrary() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    let state = agent.folder + "/state"
    _ = try await client.ask(line: "watch state")
    _ = try await client.ask(line: "capture start shots=4 passes=1").end.get()
    let end = try await client.event(.state) { $0["kept"] != nil }
    // the model that is made by itself, or cannot be of so few pictures
    let next = try #require(end.integer("next"))
    _ = try await client.event(.state) {
      $0.integer("job") == next && ["completed", "failed"].contains($0.text("to"))
    }
    let session = try #require(try await client.ask(line: "sessions").data.first?.text("id"))

    try "".write(toFile: state + "/models", atomically: true, encoding: .utf8)
    #expect(try await client.refusal(of: "models").token == "IO")
    #expect(try await client.refusal(of: "model m1").token == "IO")
    let rejection = try await client.refusal(of: "reconstruct \(session)")
    #expect(rejection.token == "IO" && rejection.message.contains("models is no folder: move it away"), "\(rejection)")
    _ = try await client.ask(line: "reconstruct \(session) output=poses").end.get()
    let models = try await health(client, "models")
    #expect(models?.integer("ok") == 0 && models?.text("reason")?.contains("no folder") == true)

    try FileManager.default.moveItem(atPath: state + "/sessions", toPath: state + "/away")
    try FileManager.default.createSymbolicLink(
      atPath: state + "/sessions", withDestinationPath: state + "/sessions")
    #expect(try await client.refusal(of: "sessions").token == "IO")
    #expect(try await client.refusal(of: "capture start").token == "IO")
    let sessions = try await health(client, "sessions")
    #expect(sessions?.integer("ok") == 0 && sessions?.text("reason")?.contains("leads back to itself") == true)
    #expect(try await client.ask(line: "health").end.get().integer("problems").map { $0 >= 2 } == true)
    try await agent.cleanUp()
  }

  /// Of a job from before a restart there is nothing more to tell.
  @Test func jobsOfAnEarlierRunAndAFolderInTheLedgersPlace() async throws {
    let first = try await RunningAgent.start()
    var client = try await first.client()
    let job = try #require(try await client.ask(line: "home").end.get().integer("job"))
    #expect(try await health(client, "jobs")?.integer("ok") == 1)
    client.close()
    first.signal(SIGTERM)
    _ = try await first.end()

    let agent = try await RunningAgent.start(continuing: first)
    client = try await agent.client()
    let unknown = try await client.refusal(of: "watch state until=job:\(job)")
    #expect(unknown.token == "NOTFOUND" && unknown.message == "there is no job \(job); see jobs")
    #expect(try await client.refusal(of: "job \(job)").message == unknown.message)
    let ledger = agent.folder + "/state/jobs.json"
    try FileManager.default.removeItem(atPath: ledger)
    try FileManager.default.createDirectory(atPath: ledger, withIntermediateDirectories: true)
    _ = try await client.ask(line: "home").end.get()
    while try await health(client, "jobs")?.integer("ok") != 0 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(try await health(client, "jobs")?.text("reason")?.contains("a folder has the name of a file") == true)
    client.close()
    agent.signal(SIGTERM)
    _ = try await agent.end()

    // one that is there at the start is set aside, and that is said until the next
    let third = try await RunningAgent.start(continuing: agent)
    client = try await third.client()
    defer { client.close() }
    let found = try await health(client, "jobs")
    #expect(
      found?.integer("ok") == 0 && found?.text("reason")?.contains("jobs.json.damaged") == true, "\(found as Any)")
    #expect(await third.logs("jobs begin at 1 again"))
    try await third.cleanUp()
  }

  @Test func aScanWhoseSessionIsGoneFailsAndSaysThatThereIsNoModel() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    _ = try await client.ask(line: "watch state sample")
    let session = try await client.ask(line: "capture start shots=60 passes=1").end.get().text("session") ?? "?"
    _ = try await client.event(.sample) { $0.text("verdict") == "kept" }
    try FileManager.default.removeItem(atPath: "\(agent.folder)/state/sessions/\(session)")
    _ = try await client.event(.state) { $0.text("to") == "paused" }
    _ = try await client.ask(line: "capture finish").end.get()
    let end = try await client.event(.state) { $0["kept"] != nil }
    #expect(end.text("from") == "finishing" && end.text("to") == "failed" && end["next"] == nil, "\(end)")
    #expect(end.text("reason")?.contains("the session's folder is gone") == true, "\(end)")
    let job = try await client.ask(line: "job \(end.integer("job") ?? 0)").data[0]
    #expect(job.text("state") == "failed" && job.text("reason") == end.text("reason"))
    #expect(!agent.log.contains("Refusal("))

    // a scan that is complete, and no place for its model
    try "".write(toFile: agent.folder + "/state/models", atomically: true, encoding: .utf8)
    _ = try await client.ask(line: "capture start shots=4 passes=1").end.get()
    let notice = try await client.event(.state) { $0.text("notice")?.hasPrefix("no model is made of session") == true }
    #expect(notice.text("notice")?.contains("models is no folder: move it away") == true, "\(notice)")
    let last = try await client.event(.state) { $0["kept"] != nil }
    #expect(last.text("to") == "completed" && last["next"] == nil)
    #expect(await agent.logs("no model is made of session"))
    #expect(!agent.log.contains("Refusal("))
    try await agent.cleanUp()
  }

  @Test(arguments: [
    ("model m1", "NOTFOUND", "there is no model m1; see models"),
    ("model set m1 name=x", "NOTFOUND", "there is no model m1; see models"),
    ("session 2020", "NOTFOUND", "there is no session 2020; see sessions"),
    ("capture resume 2020", "NOTFOUND", "there is no session 2020; see sessions"),
    ("reconstruct 2020", "NOTFOUND", "there is no session 2020; see sessions"),
    ("answer 99 flipped", "NOTFOUND", "there is no prompt 99"),
    ("model ste m4", "BADARG", "model takes no word m4; did you mean model set?"),
    ("spin turntable velocity=0", "BADARG", "velocity is at least 0.01°/s either way; stop ends a turning"),
    ("spin tilt velocity=5", "BADARG", "tilt cannot turn all the way round: it goes from"),
    ("capture start box=0,0,0,1,1,1", "BADARG", "a side of the box is shorter than 5 mm; lengths are mm")
  ]) func aRefusalSaysWhatIsWrong(_ line: String, _ token: String, _ message: String) async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    let rejection = try await client.refusal(of: line)
    #expect(rejection.token == token && rejection.message.hasPrefix(message), "\(rejection)")
    if line.hasPrefix("model ste") { #expect(rejection.fields.text("nearest") == "model set") }
    if line.hasPrefix("capture start") { #expect(rejection.fields.text("key") == "box") }
    try await agent.cleanUp()
  }

  @Test func theConfigurationShownIsTheOneInForce() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    let shown = try await client.ask(line: "config").data
    let value = { (key: String) in shown.first { $0.text("key") == key }?.text("value") }
    #expect(value("agent.socket") == agent.socket && value("agent.state_folder") == agent.folder + "/state")
    try await agent.cleanUp()
  }

  @Test(arguments: ["state", "socket", "lock"])
  func anAgentThatHasNoPlaceEndsWithWrongUsage(what: String) async throws {
    let place = "/tmp/twinrig-place-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: place + "/s/agent.lock", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: place) }
    try "".write(toFile: place + "/file", atomically: true, encoding: .utf8)
    let state = ["state": place + "/file", "lock": place + "/s"]
    let agent = try await RunningAgent.start(state: state[what], socket: what == "socket" ? place + "/file" : nil)
    #expect(try await agent.end() == 2)
    let words = [
      "state": "file is no folder: move it away", "lock": "a folder has the name of a file: move it away",
      "socket": "listen: this is no left-over socket; choose another with --socket"
    ]
    #expect(await agent.logs(words[what] ?? "?"), "\(agent.log)")
    try await agent.cleanUp()
  }
}
