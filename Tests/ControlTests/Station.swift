import CLinux
import Control
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A real server on a real socket, with a handler table that answers as the protocol's examples do.
final class Station: Sendable {
  let path: String
  let server: ControlServer
  let gate = Gate()
  let log = NoticeLog()
  let stops = Counter()
  private let folder: String

  init(_ limits: ServerLimits = Station.patient, more: [Command] = []) throws {
    folder = "\(FileManager.default.temporaryDirectory.path)/twinrig-control-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = "\(folder)/s"
    server = try ControlServer(
      greeting: ["version": "0.1.0", "board": "pi5"], limits: limits, notice: { [log] in log.note($0) })
    let table = CommandTable(
      commands() + more, eventClasses: [.state, .progress, .feedback, .prompt, .battery, .button],
      jobIsRunning: { $0 == 12 ? true : $0 == 11 ? false : nil })
    try server.start(at: try SocketEndpoint.bind(path: path, group: nil), handler: table)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Limits that hold on the slowest machine under a sanitizer.
  static var patient: ServerLimits {
    var limits = ServerLimits()
    limits.answerWithin = .seconds(30)
    limits.overrunGrace = .seconds(60)
    return limits
  }

  func client() async throws -> RawClient {
    let client = try RawClient(path)
    guard try await client.line()?.hasPrefix("OK twinrig 1 ") == true else {
      throw RawClient.Failure(what: "no greeting")
    }
    return client
  }

  private func commands() -> [Command] {
    [
      Command("status", summary: "says how the rig is") { _ in
        Reply(data: [
          [
            "state": "ready", "session": .nothing, "jobs": 0, "cameras": 2, "temp": .number(51.2, decimals: 1),
            "disk_free": 18_234_567_680, "battery": .number(0.81, decimals: 2)
          ]
        ])
      },
      Command(
        "capture start",
        keys: [
          Parameter("name", .freeText), Parameter("shots", .integer(4...400)), Parameter("passes", .integer(1...9)),
          Parameter("overcapture", .yesNo), Parameter("box", .numbers(count: 6, unit: "mm"))
        ], summary: "starts a scan"
      ) { _ in Reply(ok: ["job": 12, "session": "20261130-0007"]) },
      Command("capture pause", summary: "pauses") { _ in Reply() },
      Command(
        "answer",
        words: .required(Parameter("ID", .integer(1...1000)), Parameter("CHOICE", .choice(["flipped", "finish"]))),
        summary: "answers a prompt"
      ) { call throws(Refusal) in
        guard call.words[0] == "3" else {
          throw Refusal(.notFound, "prompt \(call.words[0]) is closed", ["prompt": .integer(Int(call.words[0]))])
        }
        return Reply(ok: ["job": 12])
      },
      Command("models", summary: "lists models") { _ in
        Reply(
          data: [
            [
              "id": "m4", "name": "blue vase", "file": "/var/lib/twinrig/models/m4/m4.usdz", "bytes": 9_120_333,
              "x": .number(8.1, decimals: 2), "y": .number(22.4, decimals: 2), "z": .number(8.02, decimals: 2)
            ]
          ], ok: ["count": 1])
      },
      Command("battery", summary: "lists batteries") { _ in
        Reply(
          data: [
            [
              "name": "main", "level": .number(0.48, decimals: 2), "state": "discharging", "low": .flag(false),
              "volts": .number(3.742, decimals: 3), "source": "max17048"
            ],
            [
              "name": "grip", "level": .number(nil, decimals: 2), "state": "unknown", "low": .flag(nil),
              "source": "ina219", "error": "NODEV"
            ]
          ], ok: ["count": 2])
      },
      Command("echo", keys: [Parameter("text", .freeText)], summary: "says a text back") { call in
        Reply(ok: ["text": .text(call.text("text") ?? "")])
      },
      Command("wait", summary: "answers when the test lets it") { [gate] _ in
        await gate.pass()
        return Reply(ok: ["waited": 1])
      },
      Command("stop", summary: "stops everything", isUrgent: true) { [stops, gate] _ in
        stops.add()
        await gate.open()
        return Reply(ok: ["stopped": 1])
      }
    ]
  }
}

/// What the server reported.
final class NoticeLog: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock { $0 } }

  func note(_ notice: ControlServer.Notice) {
    let text =
      switch notice {
      case .connected: "connected"
      case .disconnected: "disconnected"
      case .refused: "refused"
      case .tooSlow: "too slow"
      case .fault(let error): "fault \(error)"
      }
    texts.withLock { $0.append(text) }
  }
}

/// Something to wait at until it is opened.
actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func pass() async {
    if isOpen { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}

/// Counts what happens on other threads.
final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}
