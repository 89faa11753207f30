import Capture
import Codecs
import Imaging
import Rig
import Session
import SimulatedRig
import Testing

@Suite(.serialized) struct ScanTests {
  @Test func aScanWithAFlipEndsWithAWholeSession() async throws {
    let station = try Station()
    await station.controller.initialize()
    #expect(await station.controller.status.state == .ready)
    let told = try await station.scan(ScanRequest(name: "toy", shots: 8, passes: 2))
    let reason = await station.controller.status.reason
    #expect(
      states(told) == [.detecting, .capturing, .detecting, .capturing, .finishing, .completed], "\(reason)")
    let contents = try station.contents()
    #expect(contents.ended?.state == "completed")
    #expect(contents.passes.map(\.kind) == [.first, .flip])
    #expect(contents.shots.count == 16 && contents.completedPasses == [1, 2])
    #expect(contents.shots.map(\.sequence) == Array(1...16))
    #expect(contents.plates.count == 3)
    // what is in the journal is on disk and can be read
    for shot in contents.shots {
      for file in [shot.left, shot.right] {
        let image = try Picture.read("\(station.library.folder(of: contents.manifest.id))/\(file.file)")
        #expect(image.width == 240 && image.height == 320)
        #expect(file.controls == contents.shots[0].left.controls)
        #expect(file.meanLuma > 0.1 && file.meanLuma < 0.8)
      }
      #expect(abs(shot.left.sensorTimestamp - shot.right.sensorTimestamp) < 8_000_000)
    }
    // exposure against flicker: whole half-waves of 50 Hz
    let exposure = contents.shots[0].left.controls.exposureMicroseconds!
    #expect(abs((exposure / 10_000).rounded() - exposure / 10_000) < 0.01 && exposure >= 9_900)
    // the locomotive is 125 mm long and stands near the middle
    let box = try #require(contents.boxes[1])
    let size = box.max - box.min
    #expect(max(size.x, size.z) > 100 && max(size.x, size.z) < 175, "\(size)")
    #expect(size.y > 40 && size.y < 130, "\(size)")
  }

  @Test func aLongScanIsWhole() async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    let told = try await station.scan(ScanRequest(shots: 120, passes: 1))
    #expect(states(told) == [.detecting, .capturing, .finishing, .completed])
    let contents = try station.contents()
    #expect(contents.ended?.state == "completed")
    #expect(contents.shots.compactMap(\.viewpoint).sorted() == Array(0..<120))
  }

  /// A rig whose table reaches behind its cameras is of no use, and its agent still ends a scan in order.
  @Test(arguments: [400.0, 1000]) func aTableThatReachesBehindTheCamerasEndsAScanInOrder(radius: Double) async throws {
    let station = try Station { rig in
      rig.mode = CameraMode(width: 96, height: 128, previewWidth: 48, previewHeight: 64, framesPerSecond: 30)
      rig.geometry = RigGeometry.nominal(width: 96, height: 128)
      rig.geometry.tableRadius = radius
    }
    await station.controller.initialize()
    let stream = await station.controller.events()
    _ = try await station.controller.start(ScanRequest(shots: 4, passes: 1))
    for await event in stream {
      if case .state(_, let to, _, _) = event, to == .paused { try await station.controller.cancel() }
      if case .sessionEnded = event { break }
    }
    await station.controller.untilIdle()
    #expect(await station.controller.status.state.isIdle)
  }

  @Test(arguments: [
    [ScanChoice.flipped, .height], [.height, .flipped], [.height, .height], [.flipped, .finish], [.finish]
  ])
  func progressNeverGoesBackAndEndsWithTheWhole(answers: [ScanChoice]) async throws {
    let station = try Station.quick(person: .absent, settings: { $0.asksForPlates = false })
    await station.controller.initialize()
    var rest = answers[...]
    let told = try await station.scan(ScanRequest(shots: 4, passes: 3)) { event in
      guard case .prompt(let prompt) = event, let choice = rest.popFirst() else { return }
      try await station.controller.answer(prompt.id, choice)
    }
    let fractions = told.compactMap { event -> Double? in
      if case .progress(let progress) = event { return progress.fraction }
      return nil
    }
    #expect(fractions == fractions.sorted(), "\(fractions)")
    #expect(fractions.first == 0 && fractions.last == 1, "\(fractions)")
    // every shot of a whole scan counts alike
    if !answers.contains(.finish) {
      for shot in 1...12 { #expect(fractions.contains { abs($0 - Double(shot) / 12) < 1e-9 }, "\(shot): \(fractions)") }
    }
  }
}
