import Control
import Testing

/// The protocol's examples, word for word, over a real socket. `t=*` stands for any time.
struct TranscriptTests {
  private enum Step {
    case client(String)
    case server(String)
    case publish(Event)
  }

  private func play(_ script: [Step]) async throws {
    let station = try Station()
    let client = try RawClient(station.path)
    for step in script {
      switch step {
      case .client(let line): await client.send(line + "\n")
      case .publish(let event): station.server.publish(event)
      case .server(let expected):
        let line = try #require(try await client.line())
        #expect(normalised(line) == expected)
      }
    }
    await station.server.stop()
  }

  private func normalised(_ line: String) -> String {
    line.split(separator: " ", omittingEmptySubsequences: false).map { word in
      word.hasPrefix("t=") && Double(word.dropFirst(2)) != nil ? "t=*" : String(word)
    }.joined(separator: " ")
  }

  @Test func requestsAndAnswers() async throws {
    try await play([
      .server("OK twinrig 1 version=0.1.0 board=pi5"),
      .client("status"),
      .server("- state=ready session=- jobs=0 cameras=2 temp=51.2 disk_free=18234567680 battery=0.81"),
      .server("OK"),
      .client("@1 capture start name=\"blue vase\" shots=36 passes=3"),
      .server("@1 OK job=12 session=20261130-0007"),
      .client("answer 3 flipped"),
      .server("OK job=12"),
      .client("answer 4 flipped"),
      .server("ERR NOTFOUND \"prompt 4 is closed\" prompt=4"),
      .client("models"),
      .server(
        "- id=m4 name=\"blue vase\" file=/var/lib/twinrig/models/m4/m4.usdz bytes=9120333 x=8.10 y=22.40 z=8.02"),
      .server("OK count=1"),
      .client("battery"),
      .server("- name=main level=0.48 state=discharging low=0 volts=3.742 source=max17048"),
      .server("- name=grip level=? state=unknown low=? source=ina219 error=NODEV"),
      .server("OK count=2"),
      .client("fly"),
      .server("ERR BADCMD \"unknown verb fly; see help\" verb=fly")
    ])
  }

  @Test func eventsStartWithTheCurrentState() async throws {
    try await play([
      .server("OK twinrig 1 version=0.1.0 board=pi5"),
      .publish(
        Event(
          .state, job: 12, retention: .current(key: "scan"), ["job": 12, "from": "ready", "to": "detecting", "pass": 1])
      ),
      .client("watch state progress feedback prompt battery button"),
      .server("! state seq=1 t=* job=12 from=ready to=detecting pass=1"),
      .server("OK"),
      .publish(
        Event(.progress, job: 12, ["job": 12, "stage": "capture", "done": 3, "of": 36, "eta": 118])),
      .server("! progress seq=2 t=* job=12 stage=capture done=3 of=36 eta=118"),
      .publish(Event(.feedback, retention: .current(key: "feedback"), ["set": "environmentLowLight"])),
      .server("! feedback seq=3 t=* set=environmentLowLight"),
      .publish(
        Event(
          .prompt, job: 12, retention: .current(key: "prompt"),
          [
            "id": 3, "job": 12, "kind": "flip", "advice": "flip", "options": .list(["flipped", "height", "finish"]),
            "timeout": 600
          ])),
      .server("! prompt seq=4 t=* id=3 job=12 kind=flip advice=flip options=flipped,height,finish timeout=600"),
      .client("@2 answer 3 flipped"),
      .server("@2 OK job=12"),
      .publish(Event(.button, ["id": 1, "pressed": .flag(true), "action": "shutter"])),
      .server("! button seq=5 t=* id=1 pressed=1 action=shutter"),
      .client("unwatch"),
      .server("OK"),
      .publish(Event(.button, ["id": 1, "pressed": .flag(false), "action": "shutter"])),
      .client("status"),
      .server("- state=ready session=- jobs=0 cameras=2 temp=51.2 disk_free=18234567680 battery=0.81"),
      .server("OK")
    ])
  }
}
