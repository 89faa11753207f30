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

/// From a button to the model with the real programs, through what can go wrong on the way.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ButtonToModelTests {
  /// A person with buttons and nothing else, and pictures that make a model in seconds.
  private static let configuration = text(storing: "jpeg")

  private static func text(storing format: String) -> String {
    """
    [cameras]
    image_format = "\(format)"
    width = 150
    height = 200
    preview_width = 75
    preview_height = 100
    [scan]
    burst = 1
    shots = 8
    passes = 1
    detail = "preview"
    [reconstruction]
    niceness = 0
    [simulation]
    reaction_s = 0.0
    person = "starts-and-answers"

    """
  }

  /// Waits for a file without asking the agent anything.
  private func wait(for path: String, _ agent: RunningAgent) async throws {
    while access(path, F_OK) != 0 {
      try #require(!agent.hasEnded, "\(agent.log)")
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// The processes that reconstruct a session.
  private func children(of session: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).filter { name in
      guard name.allSatisfy(\.isNumber) else { return false }
      let words = (try? String(contentsOfFile: "/proc/\(name)/cmdline", encoding: .utf8)) ?? ""
      return words.contains("\0reconstruct\0\(session)\0")
    }
  }

  @Test func aScanByButtonsAloneSurvivesPowerCutsInTheScanAndInTheReconstruction() async throws {
    // the power goes at the seventh picture: three plates, three shots, and one in flight; what comes later is stored otherwise
    let cut = Self.text(storing: "heic") + "[[simulation.fault]]\nkind = \"power-cut\"\nshot = 7\n"
    var agent = try await RunningAgent.start(cut, script: nil)
    #expect(try await agent.end() == 128 + SIGKILL)
    #expect(await agent.logs("button 1 (shutter): started session"), "\(agent.log)")
    let sessions = agent.folder + "/state/sessions"
    let id = try #require(try FileManager.default.contentsOfDirectory(atPath: sessions).first)

    // power is back: the station says so, and the answer button takes the scan up
    agent = try await RunningAgent.start(Self.configuration, script: nil, continuing: agent)
    let session = "\(sessions)/\(id)"
    try await wait(for: session + "/work/depth.checkpoint", agent)
    #expect(await agent.logs("session \(id) was cut off after 3 shots"), "\(agent.log)")
    #expect(await agent.logs("button 2 (answer): took up session \(id)"))
    #expect(!children(of: session).isEmpty)
    // and goes again in the middle of the reconstruction
    agent.signal(SIGKILL)
    _ = try await agent.end()
    while !children(of: session).isEmpty { try await Task.sleep(for: .milliseconds(10)) }

    // nobody presses anything: the work goes on by itself
    let nobody = Self.configuration.replacing("starts-and-answers", with: "absent")
    agent = try await RunningAgent.start(nobody, script: nil, continuing: agent)
    try await wait(for: agent.folder + "/state/models/m1/model.json", agent)
    let report = try String(contentsOfFile: agent.folder + "/state/models/m1/report.json", encoding: .utf8)
    #expect(report.contains("\"resumed\" : true"), "\(report)")

    // only now somebody looks
    let client = try await agent.client()
    defer { client.close() }
    let model = try #require(try await client.ask(line: "models").data.first)
    #expect(model.text("id") == "m1" && access(model.text("file") ?? "", R_OK) == 0)
    // no word of its size: the world that was cut off with the agent has forgotten where the object stood
    let listed = try #require(try await client.ask(line: "sessions").data.first)
    #expect(listed.text("state") == "completed" && listed.integer("shots") == 8)
    try await agent.cleanUp()
  }

  @Test func aDiskThatIsFullDuringTheReconstructionCostsNothingButTime() async throws {
    // pictures and journal are smaller than this, results and checkpoints are not
    let agent = try await RunningAgent.start(
      Self.configuration, script: nil, through: "ulimit -S -f 64; exec \"$@\"")
    let client = try await agent.client()
    defer { client.close() }
    _ = try await client.ask(line: "watch state")
    let failed = try await client.event(.state) {
      $0.text("kind") == "reconstruct" && ["failed", "completed"].contains($0.text("to"))
    }
    let reason = failed.text("reason") ?? ""
    #expect(failed.text("to") == "failed")
    #expect(
      reason.contains("no space left") && reason.contains("free some") && reason.contains("/result/"), "\(reason)")
    let id = try #require(failed.text("session"))
    #expect(try await client.ask(line: "models").data.isEmpty)
    agent.liftFileLimit()
    let job = try #require(try await client.ask(line: "reconstruct \(id)").end.get().integer("job"))
    let done = try await client.event(.state) {
      $0.integer("job") == job && ["failed", "completed"].contains($0.text("to"))
    }
    #expect(done.text("to") == "completed" && done.text("model") == "m1", "\(done)")
    try await agent.cleanUp()
  }
}
