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

/// What is asked for is answered in time, whatever goes on.
@Suite(.serialized, .timeLimit(.minutes(3))) struct BusyTests {
  @Test func nobodyWaitsForWhoeverReadsTheLog() async throws {
    // a pipe that nobody reads takes 64 KiB
    let agent = try await RunningAgent.start(
      through: "mkfifo ${3%/rig.toml}/log; exec 2<>${3%/rig.toml}/log; exec \"$@\" --verbose")
    let client = try await agent.client()
    defer { client.close() }
    for _ in 0..<1500 { try ControlClient(connectingTo: agent.socket).close() }
    let status = try await client.ask(line: "status")
    #expect((try? status.end.get()) != nil && status.data.count == 1, "\(status)")
    agent.signal(SIGTERM)
    #expect(try await agent.end() == 0)
    try await agent.cleanUp()
  }

  @Test func hundredsOfSessionsAreListedInTime() async throws {
    let first = try await RunningAgent.start(script: "exit 1")
    let client = try await first.client()
    _ = try await client.ask(line: "watch state")
    _ = try await client.ask(line: "capture start shots=40 passes=1").end.get()
    _ = try await client.event(.state) { $0["kept"] != nil }
    client.close()
    first.signal(SIGTERM)
    _ = try await first.end()
    let sessions = first.folder + "/state/sessions"
    let one = try #require(try FileManager.default.contentsOfDirectory(atPath: sessions).first)
    for number in 2...300 {
      let copy = "\(sessions)/20261130-\(String(10_000 + number).dropFirst())"
      try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
      for file in ["session.json", "journal.ndjson"] {
        try FileManager.default.copyItem(atPath: "\(sessions)/\(one)/\(file)", toPath: "\(copy)/\(file)")
      }
    }
    let agent = try await RunningAgent.start(continuing: first)
    let next = try await agent.client()
    defer { next.close() }
    // the first list may come while the agent is still reading them
    while case .failure(let rejection) = try await next.ask(line: "sessions").end {
      #expect(rejection.token == "TIMEOUT")
    }
    for _ in 0..<5 {
      let asked = ContinuousClock.now
      let answer = try await next.ask(line: "sessions")
      #expect(try answer.end.get().integer("count") == 300 && answer.data.count == 300)
      #expect(ContinuousClock.now - asked < .milliseconds(200))
    }
    // one that changes is read again
    let journal = "\(sessions)/20261130-0007/journal.ndjson"
    let handle = try #require(fopen(journal, "a"))
    fputs("{\"resumed\":\"by a test\"}\n", handle)
    fclose(handle)
    let changed = try await next.ask(line: "sessions").data.first { $0.text("id") == "20261130-0007" }
    #expect(changed?.text("state") == "interrupted" && changed?.integer("resumable") == 1)
    try await agent.cleanUp()
  }

  @Test func whoeverAsksForTheDialWithoutEndKeepsNobodyWaiting() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    let greedy = try ControlClient(connectingTo: agent.socket)
    defer {
      client.close()
      greedy.close()
    }
    _ = try await client.ask(line: "watch state")
    _ = try await client.ask(line: "capture start shots=40 passes=1").end.get()
    _ = try await client.event(.state) { $0.text("to") == "capturing" }
    // nobody waits for these: they are sent one after the other as soon as they are taken
    async let asked: Void = withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<60 { group.addTask { _ = try await greedy.ask(line: "coverage") } }
      try await group.waitForAll()
    }
    var late = 0
    for _ in 0..<50 {
      if case .failure(let rejection) = try await client.ask(line: "status").end, rejection.token == "TIMEOUT" {
        late += 1
      }
    }
    _ = try await asked
    #expect(late == 0)
    // all of them draw what is to be seen once
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(agent.process)/task").filter { task in
      (try? String(contentsOfFile: "/proc/\(agent.process)/task/\(task)/comm", encoding: .utf8)) == "coverage\n"
    }
    #expect(threads.count <= 1)
    try await agent.cleanUp()
  }
}
