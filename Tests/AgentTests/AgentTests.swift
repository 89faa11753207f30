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

@Suite(.serialized) struct AgentTests {
  @Test func aSignalEndsItInOrder() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    agent.signal(SIGTERM)
    #expect(try await agent.end() == 0)
    await #expect(throws: ControlError.self) { try await client.ask(line: "status") }
    #expect(access(agent.socket, F_OK) != 0)
    #expect(agent.log.contains("ended: asked to by a signal"))
    try await agent.cleanUp()
  }

  @Test func twoAgentsDoNotShareAStateFolderOrASocket() async throws {
    let first = try await RunningAgent.start()
    let client = try await first.client()
    let second = try await RunningAgent.start(continuing: first)
    #expect(try await second.end() == 3)
    #expect(second.log.contains("another agent uses this state folder"))
    let third = try await RunningAgent.start(continuing: first, state: first.folder + "/other")
    #expect(try await third.end() == 3)
    #expect(third.log.contains("another agent answers here"))
    #expect(try await client.ask(line: "status").data.count == 1)
    client.close()
    try await first.cleanUp()
  }

  @Test func aWrongConfigurationIsRefusedWithFileAndLine() async throws {
    let agent = try await RunningAgent.start("[scan]\nshotz = 3\n")
    #expect(try await agent.end() == 2)
    #expect(agent.log.contains("rig.toml:2: scan.shotz"))
    try await agent.cleanUp()
  }

  @Test func helpNamesWhatTheProtocolHasAndNothingOfLaterWork() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    let verbs = Set(
      try await client.ask(line: "help").data.compactMap {
        $0.text("usage")?.split(separator: " ").first.map(String.init)
      })
    let now = [
      "help", "version", "caps", "status", "health", "watch", "unwatch", "capture", "shot", "box", "coverage", "answer",
      "sessions", "session", "reconstruct", "models", "model", "jobs", "job", "move", "spin", "home", "stop", "limits",
      "battery", "buttons", "light", "camera", "config"
    ]
    #expect(verbs == Set(now))
    for later in ["photo", "record", "track", "panorama", "gesture", "calibrate", "media"] {
      guard case .failure(let rejection) = try await client.ask(line: later).end else {
        Issue.record("\(later) was accepted")
        continue
      }
      #expect(rejection.token == "BADCMD")
    }
    try await agent.cleanUp()
  }

  @Test func healthTellsWhatIsLeftOfTheCamerasMemory() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    let checks = try await client.ask(line: "health").data
    let memory = try #require(checks.first { $0.text("check") == "memory" })
    let hasCameraMemory = try String(contentsOfFile: "/proc/meminfo", encoding: .utf8).contains("CmaFree:")
    #expect((memory.integer("cma_free") != nil) == hasCameraMemory, "\(memory)")
    #expect(hasCameraMemory || memory["cma_free"]?.isUnknown == true)
    // nor does it tell of throttling where no firmware does
    let throttling = try #require(checks.first { $0.text("check") == "throttling" })
    #expect((throttling.integer("now") == nil) == (throttling.integer("since_boot") == nil), "\(throttling)")
    try await agent.cleanUp()
  }

  @Test func theAxesObeyAndStopIsHeardAtOnce() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    _ = try await client.ask(line: "watch state")
    let move = try await client.ask(line: "move turntable=90 pan=5").end.get()
    _ = try await client.event(.state) { $0.integer("job") == move.integer("job") && $0.text("to") == "completed" }
    #expect(try await client.ask(line: "limits turntable").data[0].number("position") == 90)
    for (request, token) in [
      ("move pan=5000", "BADARG"), ("move", "BADARG"), ("spin turntable velocity=400", "BADARG"), ("spin", "BADARG"),
      ("limits tail", "BADARG"), ("capture pause", "BADSTATE"), ("answer 3 flipped", "NOTFOUND"),
      ("session 20200101-0001", "NOTFOUND"), ("model m7", "NOTFOUND"), ("job 99", "NOTFOUND"), ("light 2", "BADARG")
    ] {
      guard case .failure(let rejection) = try await client.ask(line: request).end else {
        Issue.record("\(request) was accepted")
        continue
      }
      #expect(rejection.token == token, "\(request)")
    }
    let spin = try await client.ask(line: "spin turntable velocity=20").end.get()
    #expect(try await client.ask(line: "stop").end.get().integer("axes") == 3)
    let ended = try await client.event(.state) {
      $0.integer("job") == spin.integer("job") && $0.text("from") == "spinning"
    }
    #expect(ended.text("to") == "cancelled")
    try await agent.cleanUp()
  }

  @Test func aConfigurationIsReadAgainOrLeftAsItWas() async throws {
    let agent = try await RunningAgent.start()
    let client = try await agent.client()
    defer { client.close() }
    let path = agent.folder + "/rig.toml"
    try "\(RunningAgent.configuration)\n[[lamp]]\nname = \"x\"\n".replacing("burst = 1", with: "burst = 1\nshots = 9")
      .write(toFile: path, atomically: true, encoding: .utf8)
    let answer = try await client.ask(line: "config reload")
    #expect(answer.data.contains { $0.text("key") == "scan.shots" && $0.integer("in_force") == 1 })
    #expect(answer.data.contains { $0.text("key") == "lamp[1].name" && $0.integer("in_force") == 0 })
    #expect(try answer.end.get().integer("restart") == 1)
    let config = try await client.ask(line: "config")
    #expect(config.data.contains { $0.text("key") == "scan.shots" && $0.text("value") == "9" })
    try "[scan]\nshots = 1\n".write(toFile: path, atomically: true, encoding: .utf8)
    guard case .failure(let rejection) = try await client.ask(line: "config reload").end else {
      Issue.record("a wrong configuration was taken over")
      return
    }
    #expect(rejection.token == "BADARG" && rejection.fields.integer("line") == 2)
    try await agent.cleanUp()
  }

  @Test func systemdPassesTheSocketAndHearsOfReadinessAndTheEnd() async throws {
    let folder = "/tmp/twinrig-notify-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // A listening socket for the agent to inherit as descriptor 3, as systemd hands it over.
    let listener = linux_socket_listen(folder + "/activated", 0o660, 8)
    #expect(listener > 3)
    _ = fcntl(listener, F_SETFD, 0)
    let notify = folder + "/notify"
    let receiver = linux_datagram_receiver(notify)
    #expect(receiver >= 0)
    defer { close(receiver) }
    let agent = try await RunningAgent.start(
      through: """
        exec 3<&\(listener); export LISTEN_PID=$$ LISTEN_FDS=1 NOTIFY_SOCKET=\(notify) WATCHDOG_USEC=300000
        exec "$@"
        """, servesSocket: false)
    close(listener)
    var said: [String] = []
    // it serves before the rig has come up, and says so when it has
    while !said.contains("READY=1") || !said.contains("WATCHDOG=1")
      || !said.contains(where: { $0.hasPrefix("STATUS=ready") })
    { said += try await next(receiver) }
    let client = try ControlClient(connectingTo: folder + "/activated", patience: .seconds(60))
    #expect(try await client.ask(line: "status").data[0].text("state") == "ready")
    client.close()
    agent.signal(SIGTERM)
    while !said.contains("STOPPING=1") { said += try await next(receiver) }
    #expect(try await agent.end() == 0)
    // The socket is systemd's: it stays.
    #expect(access(folder + "/activated", F_OK) == 0)
    try await agent.cleanUp()
  }

  /// The lines of the next datagram.
  private func next(_ receiver: Int32) async throws -> [String] {
    var buffer = [UInt8](repeating: 0, count: 512)
    while true {
      let count = recv(receiver, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 { return String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init) }
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}
