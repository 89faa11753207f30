import Capture
import Foundation
import Imaging
import Rig
import Session
import SimulatedRig
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Going on needs room on the disk as starting does.
@Suite(.serialized) struct RoomTests {
  /// What others may write meanwhile is less.
  private static let margin: Int64 = 400 << 20

  private func kind(_ work: () async throws(ScanRefusal) -> Void) async -> ScanRefusal.Kind? {
    do throws(ScanRefusal) {
      try await work()
      return nil
    } catch {
      return error.kind
    }
  }

  @Test func whatAScanNeedsIsToldBeforeItAndDependsOnItsPlan() async throws {
    let free = try SessionLibrary(root: FileManager.default.temporaryDirectory.path).freeBytes()
    guard free > 4 * Self.margin else { return }
    let station = try Station(
      { rig in
        rig.mode = CameraMode(
          width: 1200, height: 1600, previewWidth: 48, previewHeight: 64, framesPerSecond: 30)
        rig.geometry = RigGeometry.nominal(width: 1200, height: 1600)
        rig.lamps = []
        rig.roomLight = 1
      }, diskFloor: free - Self.margin)
    await station.controller.initialize()
    do {
      _ = try await station.controller.start(ScanRequest(shots: 400, passes: 9))
      Issue.record("there is no room for that")
    } catch {
      #expect(error.kind == .noSpace)
      // 3600 pairs and 3 of the empty table, at a byte a pixel
      #expect(error.message.contains("about 6918 MB") && error.message.contains("free some space"), "\(error.message)")
    }
    #expect(try station.library.sessions().isEmpty)
    let id = try await station.controller.start(ScanRequest(shots: 4, passes: 1))
    #expect(try station.library.sessions().map(\.id) == [id])
    try await station.controller.cancel()
    await station.controller.untilIdle()
  }

  @Test func aSessionIsNotTakenUpOnAFullDisk() async throws {
    let station = try Station.quick()
    let id = try await station.suspendedScan(ScanRequest(shots: 6, passes: 1), reason: "the agent ends") {
      $0.done == 2
    }
    let full = SessionLibrary(root: station.library.root, diskFloor: .max / 2)
    let next = ScanController(rig: station.world.rig, library: full, stateFolder: "\(station.folder)/state")
    await next.initialize()
    let before = try station.contents()
    let refused = await kind { () async throws(ScanRefusal) in try await next.resume(id) }
    #expect(refused == .noSpace)
    let status = await next.status
    #expect(status.state == .ready && status.resumable == id)
    #expect(try station.contents().ended?.state == before.ended?.state)
  }

  @Test func aPausedScanDoesNotGoOnOnAFullDisk() async throws {
    let free = try SessionLibrary(root: FileManager.default.temporaryDirectory.path).freeBytes()
    guard free > 4 * Self.margin else { return }
    let station = try Station.quick(diskFloor: free - Self.margin)
    await station.controller.initialize()
    var refused: ScanRefusal.Kind?
    let told = try await station.scan(ScanRequest(shots: 6, passes: 1)) { event in
      if case .sample(let sample) = event, sample.sequence == 1 { try await station.controller.pause() }
      guard case .state(_, .paused, _, _) = event, refused == nil else { return }
      let path = "\(station.folder)/ballast"
      let file = open(path, O_RDWR | O_CREAT, 0o600)
      #expect(posix_fallocate(file, 0, off_t(2 * Self.margin)) == 0)
      close(file)
      refused = await kind { () async throws(ScanRefusal) in try await station.controller.unpause() }
      #expect(await station.controller.status.state == .paused)
      unlink(path)
      try await station.controller.unpause()
    }
    #expect(refused == .noSpace && states(told).last == .completed)
  }
}
