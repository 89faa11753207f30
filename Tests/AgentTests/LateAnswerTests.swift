import Control
import Foundation
import TestSupport
import Testing

/// The real `twinrig` with an agent whose disk is slow: a server of the protocol that makes a job of every answer.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LateAnswerTests {
  /// The agent, in a folder of its own.
  private final class SlowAgent: Sendable {
    let folder = "\(NSTemporaryDirectory())/twinrig-slow-\(UUID().uuidString.prefix(8))"
    let server: ControlServer

    init() throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      server = try ControlServer(greeting: ["version": "0.1.0", "board": "pi5"])
      let commands = [
        late("coverage", files: ["/a b/coverage.svg", "/a b/coverage.png"], end: "covered=3 of=96 pictures=6"),
        late("box reset", end: "box=0,0,0,1,1,1 pass=1 by_hand=0"),
        late("capture start", state: "failed", end: "no space left on device; free some space, then go on"),
        late("model set", words: .required(Parameter("ID", .text))),
        Command("model", words: .required(Parameter("ID", .text)), summary: "") { _ in
          Reply(data: [["id": "m4", "name": "vase"]])
        },
        Command("capture pause", summary: "") { _ in Reply(ok: ["job": 16]) }
      ]
      let table = CommandTable(commands, eventClasses: [.state, .file], jobIsRunning: { _ in true })
      try server.start(at: try SocketEndpoint.bind(path: folder + "/s", group: nil), handler: table)
    }

    /// A command that is answered with a job, which ends a moment later.
    private func late(
      _ path: String, words: WordSyntax = .none, files: [String] = [], state: String = "completed", end: String = ""
    ) -> Command {
      Command(path, words: words, summary: "") { [server] _ in
        Task {
          try await Task.sleep(for: .milliseconds(200))
          for file in files {
            server.publish(Event(.file, job: 16, ["kind": "coverage", "path": .text(file)]))
          }
          let fields: Fields = ["kind": "command", "from": "running", "to": .text(state), "reason": .text(end)]
          server.publish(Event(.state, job: 16, endsJob: true, fields))
        }
        return Reply(ok: ["job": 16])
      }
    }

    func end() async {
      await server.stop()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  /// Runs the program aside: the server needs this thread.
  private func run(_ words: String, _ agent: SlowAgent) async throws -> Program.Outcome {
    let script = "twinrig --socket \(agent.folder)/s \(words)"
    return try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try Program.run(script) }) }
    }
  }

  @Test func whatTheAnswerWouldHaveSaidIsSaidOnceItIsThere() async throws {
    let agent = try SlowAgent()
    let coverage = try await run("coverage", agent)
    #expect(coverage.code == 0 && coverage.errors.isEmpty, "\(coverage)")
    for part in ["/a b/coverage.svg\n", "/a b/coverage.png\n", "covered=3 of=96 pictures=6\n"] {
      #expect(coverage.output.contains(part), "\(coverage)")
    }
    let json = try await run("--json coverage", agent)
    #expect(json.output.hasPrefix("{\"line\":\"data\",\"fields\":{\"file\":\"/a b/coverage.svg\"}}\n"), "\(json)")
    #expect(json.output.hasSuffix("{\"line\":\"ok\",\"fields\":{\"covered\":3,\"of\":96,\"pictures\":6}}\n"), "\(json)")
    let box = try await run("box reset", agent)
    #expect(box.code == 0 && box.output == "box=0,0,0,1,1,1 pass=1 by_hand=0\n", "\(box)")
    let model = try await run("model set m4", agent)
    #expect(model.code == 0 && model.output.contains("name  vase"), "\(model)")
    await agent.end()
  }

  @Test func whatFailsLateIsRefusedWithItsReason() async throws {
    let agent = try SlowAgent()
    let outcome = try await run("capture start", agent)
    #expect(outcome.code == 4 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors == "twinrig: no space left on device; free some space, then go on\n", "\(outcome)")
    let json = try await run("--json capture start", agent)
    #expect(json.code == 4 && json.output.contains("\"token\":\"REFUSED\""), "\(json)")
    await agent.end()
  }

  @Test func aJobThatWasAskedForIsOnlyNamed() async throws {
    let agent = try SlowAgent()
    let outcome = try await run("capture pause", agent)
    #expect(outcome.code == 0 && outcome.output == "job=16\n", "\(outcome)")
    await agent.end()
  }
}
