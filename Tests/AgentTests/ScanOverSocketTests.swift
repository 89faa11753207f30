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

@Suite(.serialized) struct ScanOverSocketTests {
  /// Waits, and then makes a model as the real program does.
  private static let script = """
    while [ ! -e "$OUT/go" ]; do sleep 0.05; done
    echo usdz > "$OUT/model.usdz"
    echo '{"event":"done","triangles":1,"seconds":1}'
    """

  @Test func killedInTheMiddleItGoesOnToTheModel() async throws {
    var agent = try await RunningAgent.start(script: Self.script)
    var client = try await agent.client()
    _ = try await client.ask(line: "watch state progress prompt sample")
    let started = try await client.ask(line: "capture start name=\"blue vase\" shots=6 passes=1").end.get()
    let session = try #require(started.text("session"))
    // A second scan is refused, and so is moving what the scan moves.
    for request in ["capture start", "move turntable=10", "light 0"] {
      guard case .failure(let rejection) = try await client.ask(line: request).end else {
        Issue.record("\(request) was accepted")
        continue
      }
      #expect(["BADSTATE", "BUSY"].contains(rejection.token))
    }
    _ = try await client.event(.sample) { $0.text("verdict") == "kept" && $0.integer("job") == started.integer("job") }
    agent.signal(SIGKILL)
    _ = try await agent.end()

    agent = try await RunningAgent.start(script: Self.script, continuing: agent)
    client = try await agent.client()
    let listed = try #require(try await client.ask(line: "sessions").data.first)
    #expect(listed.text("id") == session && listed.text("state") == "interrupted" && listed.integer("resumable") == 1)
    _ = try await client.ask(line: "watch state progress prompt sample file")
    let resumed = try await client.ask(line: "capture resume \(session)").end.get()
    let job = try #require(resumed.integer("job"))
    #expect(job > (started.integer("job") ?? 0))
    let end = try await client.event(.state) { $0.integer("job") == job && $0["kept"] != nil }
    #expect(end.text("to") == "completed" && end.integer("kept") == 6)
    let next = try #require(end.integer("next"))

    // The model is being made by a child, which dies with the agent, and is made anew after the next start.
    let output = "\(agent.folder)/state/sessions/\(session)/result"
    while access(output + "/pid", F_OK) != 0 { try await Task.sleep(for: .milliseconds(10)) }
    try await Task.sleep(for: .milliseconds(50))
    let child = try String(contentsOfFile: output + "/pid", encoding: .utf8).filter(\.isNumber)
    agent.signal(SIGKILL)
    _ = try await agent.end()
    while FileManager.default.fileExists(atPath: "/proc/\(child)") { try await Task.sleep(for: .milliseconds(10)) }

    agent = try await RunningAgent.start(script: Self.script, continuing: agent)
    client = try await agent.client()
    let jobs = try await client.ask(line: "jobs").data
    let again = try #require(
      jobs.first { $0.text("kind") == "reconstruct" && $0.text("session") == session }?.integer("job"))
    #expect(again > next)
    _ = try await client.ask(line: "watch state file until=job:\(again)")
    try "go\n".write(toFile: output + "/go", atomically: true, encoding: .utf8)
    let ready = try await client.event(.state) { $0.integer("job") == again && $0.text("to") == "completed" }
    let model = try #require(ready.text("model"))
    let shown = try await client.ask(line: "model \(model)").data[0]
    #expect(shown.text("name") == "blue vase" && shown.text("session") == session)
    #expect(access(shown.text("file") ?? "", R_OK) == 0)
    client.close()
    try await agent.cleanUp()
  }

  @Test func aScanIsPausedResumedAndCancelledOverTheSocket() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    _ = try await client.ask(line: "watch state sample")
    let job = try #require(try await client.ask(line: "capture start shots=200 passes=1").end.get().integer("job"))
    _ = try await client.event(.sample) { $0.text("verdict") == "kept" }
    _ = try await client.ask(line: "job pause \(job)").end.get()
    _ = try await client.event(.state) { $0.integer("job") == job && $0.text("to") == "paused" }
    #expect(try await client.ask(line: "status").data[0].text("state") == "paused")
    _ = try await client.ask(line: "capture resume").end.get()
    _ = try await client.event(.sample) { $0.text("verdict") == "kept" }
    let folder = try #require(try await client.ask(line: "sessions").data.first?.text("folder"))
    try await finish(client, "coverage")
    for name in ["coverage.svg", "coverage.png"] { #expect(access("\(folder)/\(name)", R_OK) == 0) }
    try await finish(client, "box set=-50,0,-50,50,100,50")
    #expect(try await client.ask(line: "box").end.get().text("box") == "-50.0,0.0,-50.0,50.0,100.0,50.0")
    // stop leaves the scan paused, with everything kept
    #expect(try await client.ask(line: "stop").end.get().text("scan") == "pausing")
    _ = try await client.event(.state) { $0.integer("job") == job && $0.text("to") == "paused" }
    _ = try await client.ask(line: "job cancel \(job)").end.get()
    let end = try await client.event(.state) { $0.integer("job") == job && $0["kept"] != nil }
    #expect(end.text("to") == "cancelled" && (end.integer("kept") ?? 0) >= 2)
    #expect(end["next"] == nil)
    #expect(try await client.ask(line: "job \(job)").data[0].text("state") == "cancelled")
    try await agent.cleanUp()
  }

  /// Begins a scan and kills the agent in the middle of it; returns its session.
  private func cutOff(_ agent: RunningAgent) async throws -> String {
    let client = try await agent.client()
    _ = try await client.ask(line: "watch sample")
    let session = try #require(
      try await client.ask(line: "capture start shots=200 passes=1").end.get().text("session"))
    _ = try await client.event(.sample) { $0.text("verdict") == "kept" }
    agent.signal(SIGKILL)
    _ = try await agent.end()
    return session
  }

  @Test func aScanThatWasCutOffCanBeTakenUpAndCancelled() async throws {
    var agent = try await RunningAgent.start()
    let session = try await cutOff(agent)
    agent = try await RunningAgent.start(continuing: agent)
    let client = try await agent.client()
    defer { client.close() }
    // nothing runs that could be cancelled; what there is to be dropped is told, and stays until somebody means it
    let idle = try await client.refusal(of: "capture cancel")
    #expect(idle.token == "BADSTATE" && idle.message.contains("capture resume \(session)"), "\(idle.message)")
    #expect(try await client.ask(line: "status").data[0].text("resumable") == session)
    _ = try await client.ask(line: "watch state")
    let job = try #require(try await client.ask(line: "capture resume \(session)").end.get().integer("job"))
    _ = try await client.ask(line: "capture cancel").end.get()
    let end = try await client.event(.state) { $0.integer("job") == job && $0["kept"] != nil }
    #expect(end.text("to") == "cancelled" && (end.integer("kept") ?? 0) >= 1)
    let listed = try #require(try await client.ask(line: "sessions").data.first)
    #expect(listed.text("state") == "cancelled" && listed.integer("resumable") == 0)
    #expect(try await client.ask(line: "status").data[0]["resumable"] == nil)
    #expect(try await client.refusal(of: "capture resume \(session)").token == "BADSTATE")
    let again = try await client.refusal(of: "capture cancel")
    #expect(again.token == "BADSTATE" && !again.message.contains(session), "\(again.message)")
    try await agent.cleanUp()
  }

  @Test func anotherScanMayBeginOverOneThatWasCutOff() async throws {
    var agent = try await RunningAgent.start()
    let old = try await cutOff(agent)
    agent = try await RunningAgent.start(continuing: agent)
    let client = try await agent.client()
    defer { client.close() }
    _ = try await client.ask(line: "watch state")
    let started = try await client.ask(line: "capture start shots=4 passes=1").end.get()
    let (job, session) = (started.integer("job"), started.text("session"))
    #expect(session != old)
    let end = try await client.event(.state) { $0.integer("job") == job && $0["kept"] != nil }
    #expect(end.text("to") == "completed" && end.integer("kept") == 4)
    #expect(try await client.ask(line: "status").data[0]["resumable"] == nil)
    // the old one has kept what it had, and can still be taken up by its name
    let listed = try await client.ask(line: "sessions").data.first { $0.text("id") == old }
    #expect(listed?.text("state") == "interrupted" && listed?.integer("resumable") == 1)
    try await agent.cleanUp()
  }

  @Test func theMainsOfTheConfigurationDecideTheExposure() async throws {
    let agent = try await RunningAgent.start(RunningAgent.configuration + "\n[rig]\nmains_hz = 60\n")
    let client = try await agent.client()
    defer { client.close() }
    _ = try await client.ask(line: "watch sample")
    _ = try await client.ask(line: "capture start shots=200 passes=1").end.get()
    _ = try await client.event(.sample) { $0.text("verdict") == "kept" }
    let exposure = try #require(try await client.ask(line: "status").data[0].number("exposure_us"))
    let waves = (exposure / 8333.3).rounded()
    #expect(waves >= 1 && abs(exposure - waves * 8333.3) <= 10, "\(exposure) µs")
    try await agent.cleanUp()
  }

  /// Asks for something that is done at once or, on a slow machine, as a job.
  private func finish(_ client: ControlClient, _ request: String) async throws {
    guard let job = try await client.ask(line: request).end.get().integer("job") else { return }
    _ = try await client.event(.state) { $0.integer("job") == job && $0.text("to") == "completed" }
  }
}
