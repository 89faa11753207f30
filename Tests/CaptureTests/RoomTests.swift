import Capture
import Foundation
import Session
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
