import Capture
import Foundation
import Session
import SimulatedRig
import Testing

/// Somebody removes pictures of a session that is not complete.
@Suite struct LostPictureTests {
  private func exists(_ shot: ShotRecord, in folder: String) -> Bool {
    [shot.left.file, shot.right.file].allSatisfy { FileManager.default.fileExists(atPath: "\(folder)/\($0)") }
  }

  private func notices(_ events: [ScanEvent]) -> [String] {
    events.compactMap { if case .notice(let text) = $0 { text } else { nil } }
  }

  @Test func aResumedScanTakesAgainWhatIsGone() async throws {
    let station = try Station.quick()
    let id = try await station.suspendedScan(ScanRequest(shots: 6, passes: 1), reason: "the agent ends") {
      $0.done == 3
    }
    let folder = station.library.folder(of: id)
    let before = try station.contents().shots.count
    for name in ["pass-01", "plates"] { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }

    let next = ScanController(
      rig: station.world.rig, library: station.library, stateFolder: "\(station.folder)/state")
    let told = await next.events()
    await next.initialize()
    try await next.resume(id)
    var events: [ScanEvent] = []
    for await event in told {
      events.append(event)
      if case .sessionEnded(_, _, let shots) = event {
        #expect(shots == 6)
        break
      }
    }
    await next.untilIdle()
    let said = notices(events)
    #expect(said.contains { $0.contains("after 0 shots") })
    #expect(
      said.contains {
        $0.contains("the pictures of \(before) shots are gone from \(folder) (\(before) of pass 1)")
          && $0.contains("\(before) are taken again") && $0.contains("3 pairs of the empty table")
      }, "\(said)")
    let after = try station.contents()
    #expect(after.ended?.state == "completed" && after.completedPasses == [1])
    #expect(after.shots.compactMap(\.viewpoint).sorted() == Array(0..<6))
    #expect(after.shots.allSatisfy { exists($0, in: folder) && $0.sequence > before })
    #expect(after.plates.count == 3 && after.missing(in: folder) == nil)
  }

  @Test func whatIsGoneOfAnEarlierPassIsToldAndDoesNotCount() async throws {
    let station = try Station.quick()
    let id = try await station.suspendedScan(ScanRequest(shots: 4, passes: 2), reason: "the agent ends") {
      $0.fraction > 0.6
    }
    let folder = station.library.folder(of: id)
    try FileManager.default.removeItem(atPath: "\(folder)/pass-01/0002-right.jpg")
    let told = await station.controller.events()
    try await station.controller.resume(id)
    var events: [ScanEvent] = []
    for await event in told {
      events.append(event)
      if case .sessionEnded = event { break }
    }
    await station.controller.untilIdle()
    #expect(notices(events).contains { $0.contains("1 of pass 1") && $0.contains("1 cannot be") }, "\(notices(events))")
    let after = try station.contents()
    #expect(after.shots.map(\.sequence) == [1, 3, 4, 5, 6, 7, 8])
    #expect(after.completedPasses == [2] && after.ended?.state == "completed")
  }

  @Test func aPassFolderRemovedWhileScanningIsShotAgain() async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    var isRemoved = false
    let events = try await station.scan(ScanRequest(shots: 8, passes: 1)) { event in
      guard case .sample(let sample) = event, sample.sequence == 3, !isRemoved else { return }
      isRemoved = true
      let folder = try #require(await station.controller.status.folder)
      try FileManager.default.removeItem(atPath: "\(folder)/pass-01")
    }
    let after = try station.contents()
    let folder = try #require(try station.library.last()?.folder)
    #expect(notices(events).contains { $0.contains("are gone from \(folder)") }, "\(notices(events))")
    #expect(after.shots.count == 8 && after.missing(in: folder) == nil)
    #expect(after.shots.compactMap(\.viewpoint).sorted() == Array(0..<8))
    guard case .sessionEnded(_, .completed, 8)? = events.last else {
      Issue.record("\(String(describing: events.last))")
      return
    }
  }

  @Test func aSessionThatIsGoneIsNotOfferedAgain() async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    let id = try await station.controller.start(ScanRequest(shots: 6, passes: 1))
    await station.controller.suspend("the agent ends")
    #expect(await station.controller.status.resumable == id)
    try FileManager.default.removeItem(atPath: station.library.folder(of: id))
    do throws(ScanRefusal) {
      try await station.controller.resume(id)
      Issue.record("resumed nothing")
    } catch {
      #expect(error.kind == .notFound)
    }
    #expect(await station.controller.status.resumable == nil)
    #expect(await station.controller.press(.answer) == nil)
  }

  @Test func aBoxIsNotSaidToBeSetWhereTheSessionIsGone() async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    var refusal: ScanRefusal?
    var pause = ""
    let events = try await station.scan(ScanRequest(shots: 40, passes: 1)) { event in
      if case .sample(let sample) = event, sample.sequence == 2 {
        let folder = try #require(await station.controller.status.folder)
        try FileManager.default.moveItem(atPath: folder, toPath: folder + ".away")
        let before = await station.controller.status.box
        do throws(ScanRefusal) {
          _ = try await station.controller.box(.set(min: [-50, 0, -60], max: [50, 70, 60]))
        } catch {
          refusal = error
        }
        #expect(await station.controller.status.box == before)
      }
      guard case .state(_, .paused, _, let reason) = event else { return }
      pause = reason
      let folder = try #require(await station.controller.status.folder)
      // put back, it goes on where it stopped
      try FileManager.default.moveItem(atPath: folder + ".away", toPath: folder)
      try await station.controller.unpause()
    }
    #expect(refusal?.kind == .inputOutput && refusal?.message.contains("put it back") == true)
    #expect(pause.contains("the session's folder is gone") && pause.contains("put it back, then go on"), "\(pause)")
    guard case .sessionEnded(_, .completed, 40)? = events.last else {
      Issue.record("\(String(describing: events.last))")
      return
    }
    #expect(try station.contents().shots.count == 40)
  }

  @Test func aBoxSaysWhatIsWrongWithIt() async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    for (x, words) in [(1e7, "more than 10000 mm"), (-1, "the lower corner first")] {
      do throws(ScanRefusal) {
        _ = try await station.controller.start(Self.request(boxTo: x))
        Issue.record("accepted \(x)")
      } catch {
        #expect(error.kind == .badArgument && error.message.contains(words), "\(error.message)")
      }
    }
  }

  private static func request(boxTo x: Double) -> ScanRequest { ScanRequest(box: (min: [0, 0, 0], max: [x, 1, 1])) }
}
