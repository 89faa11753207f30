import Capture
import Foundation
import Session
import Testing

/// A scan is complete when its session says so, and when there is something in it.
@Suite(.serialized) struct UnclosedTests {
  /// Removes something of the session after its first shot, and finishes when the scan has paused for that.
  private func finishWithout(_ name: String, _ station: Station) async throws -> [ScanEvent] {
    await station.controller.initialize()
    return try await station.scan(ScanRequest(shots: 40, passes: 1)) { event in
      if case .sample(let sample) = event, sample.sequence == 1 {
        let folder = try #require(await station.controller.status.folder)
        try FileManager.default.removeItem(atPath: folder + name)
      }
      if case .state(_, .paused, _, _) = event { try await station.controller.finish() }
    }
  }

  @Test(arguments: ["", "/journal.ndjson"])
  func aScanWhoseSessionIsGoneFails(name: String) async throws {
    let station = try Station.quick()
    let told = try await finishWithout(name, station)
    guard case .sessionEnded(_, .failed(let why), _)? = told.last else {
      Issue.record("\(String(describing: told.last))")
      return
    }
    let status = await station.controller.status
    #expect(why.contains("gone or has been replaced") && why.contains(name.isEmpty ? "folder" : "journal"), "\(why)")
    #expect(status.state == .failed && status.reason == why && status.resumable == nil)
    #expect(states(told).last == .failed)
  }

  @Test func finishingNothingIsRefusedAlsoWhilePaused() async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    var refusal: ScanRefusal?
    _ = try await station.scan(ScanRequest(shots: 4, passes: 1)) { event in
      if case .state(_, .detecting, _, _) = event { try await station.controller.pause() }
      guard case .state(_, .paused, _, _) = event, refusal == nil else { return }
      #expect(await station.controller.status.shots == 0)
      do throws(ScanRefusal) { try await station.controller.finish() } catch { refusal = error }
      try await station.controller.unpause()
    }
    #expect(refusal?.kind == .badState && refusal?.message == "nothing has been taken yet; cancel instead")
    #expect(try station.contents().shots.count == 4 && station.contents().ended?.state == "completed")
  }

  /// A pair that was to be the scan's last one and never came to be does not make it a complete scan of nothing.
  @Test func whatWasToBeTheOnlyShotIsTriedAgain() {
    var course = Course.shooting()
    course.feed(.finish)
    #expect(course.refusal == nil)
    course.feed(.judged(.keep, []))
    course.feed(.storeFailed(ScanFault(.disk, "full")))
    #expect(course.machine.state == .finishing || course.machine.state == .paused)
    if course.machine.state == .paused {
      course.feed(.unpause, .woken)
      #expect(course.machine.state == .capturing)
    }
  }
}
