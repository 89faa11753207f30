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

/// A disk that truly takes no more: a file at its size limit, and a small file system without room.
@Suite(.serialized, .timeLimit(.minutes(2))) struct DiskTests {
  /// Where all axes stand, within one turn.
  private func positions(_ client: ControlClient) async throws -> [Double] {
    var positions: [Double] = []
    for axis in ["turntable", "pan", "tilt"] {
      let limits = try await client.ask(line: "limits \(axis)").data[0]
      positions.append((limits.number("position") ?? .nan).remainder(dividingBy: 360))
    }
    return positions
  }

  private func expectPausedAtRest(_ client: ControlClient, _ reason: String) async throws {
    #expect(reason.contains("no space") && reason.contains("free some space, then go on"), "\(reason)")
    while try await positions(client).contains(where: { abs($0) > 0.01 }) {
      try await Task.sleep(for: .milliseconds(10))
    }
    let status = try await client.ask(line: "status").data[0]
    #expect(status.text("state") == "paused" && status.text("reason") == reason)
  }

  /// Scans until the disk takes no more, makes room, and goes on to the end. Returns what the session is said to hold.
  private func scanOverAFullDisk(_ agent: RunningAgent, makeRoom: () throws -> Void) async throws -> Fields {
    let client = try await agent.client()
    defer { client.close() }
    _ = try await client.ask(line: "watch state sample")
    let job = try #require(try await client.ask(line: "capture start shots=40 passes=1").end.get().integer("job"))
    var told = 0
    var reason = ""
    for await line in client.events {
      guard case .event(let kind, let fields) = line else { continue }
      if kind == .sample, fields.text("verdict") == "kept" { told += 1 }
      if kind == .state, fields.text("to") == "paused" {
        reason = fields.text("reason") ?? ""
        break
      }
    }
    try await expectPausedAtRest(client, reason)
    let cut = try #require(try await client.ask(line: "sessions").data.last)
    #expect(cut.text("state") == "running" && cut.integer("shots") == told && told < 40)
    // going on without room comes back to the same place
    _ = try await client.ask(line: "capture resume").end.get()
    let again = try await client.event(.state) { $0.text("to") == "paused" }
    try await expectPausedAtRest(client, again.text("reason") ?? "")
    try makeRoom()
    _ = try await client.ask(line: "capture resume").end.get()
    let end = try await client.event(.state) { $0.integer("job") == job && $0["kept"] != nil }
    #expect(end.text("to") == "completed" && end.integer("kept") == 40, "\(end)")
    return try #require(try await client.ask(line: "sessions").data.last)
  }

  @Test func aJournalAtItsSizeLimitPausesTheScanAndLosesNothing() async throws {
    let agent = try await RunningAgent.start(through: "ulimit -S -f 12; exec \"$@\"")
    let session = try await scanOverAFullDisk(agent) { agent.liftFileLimit() }
    let folder = try #require(session.text("folder"))
    let journal = try String(contentsOfFile: folder + "/journal.ndjson", encoding: .utf8)
    let shots = journal.split(separator: "\n").filter { $0.hasPrefix("{\"shot\"") }
    #expect(shots.count == 40 && journal.hasSuffix("\n"))
    for shot in shots {
      let name = shot.split(separator: "\"").first { $0.hasSuffix("-left.jpg") }
      #expect(access("\(folder)/\(name ?? "?")", R_OK) == 0)
    }
    try await agent.cleanUp()
  }

  /// Whether a file system may be mounted where nobody else sees it.
  private static let canMount = system("unshare -m mount -t tmpfs -o size=1m none /tmp 2>/dev/null") == 0

  @Test(.enabled(if: canMount)) func aFileSystemWithoutRoomPausesTheScanAndLosesNothing() async throws {
    let agent = try await RunningAgent.start(
      RunningAgent.configuration + "\n[agent]\ndisk_floor_mb = 10\n",
      through: """
        FOLDER=${3%/rig.toml}
        exec unshare -m bash -c '
          FOLDER=$1; shift
          mkdir -p $FOLDER/state && mount -t tmpfs -o size=64m,nr_inodes=60 none $FOLDER/state || exit 9
          (for i in $(seq 2000); do [ -e $FOLDER/room ] && break; sleep 0.02; done; mount -o remount,nr_inodes=4000 $FOLDER/state; rm $FOLDER/room) &
          exec "$@"' sh "$FOLDER" "$@"
        """)
    let room = agent.folder + "/room"
    let session = try await scanOverAFullDisk(agent) {
      try "".write(toFile: room, atomically: true, encoding: .utf8)
      while access(room, F_OK) == 0 { usleep(10_000) }
    }
    #expect(session.text("state") == "completed" && session.integer("shots") == 40)
    try await agent.cleanUp()
  }
}
