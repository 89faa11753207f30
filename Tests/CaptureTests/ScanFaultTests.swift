import Capture
import Imaging
import Rig
import Session
import SimulatedRig
import Testing

/// What goes wrong on a rig, one by one, and what is left afterwards.
@Suite(.serialized) struct ScanFaultTests {
  private let request = ScanRequest(name: "faulty", shots: 6, passes: 1)

  private func notices(_ events: [ScanEvent]) -> [String] {
    events.compactMap { event in
      if case .notice(let text) = event { return text }
      return nil
    }
  }

  private func expectWhole(_ station: Station, _ comment: Comment? = nil) throws {
    let contents = try station.contents()
    #expect(contents.ended?.state == "completed", comment)
    #expect(contents.shots.compactMap(\.viewpoint).sorted() == Array(0..<6), comment)
  }

  @Test(arguments: [SimulatedFault.Kind.cameraTimeout, .droppedFrame]) func aCameraFaultIsMendedOnTheSpot(
    kind: SimulatedFault.Kind
  ) async throws {
    // three plates come first: the fifth picture is the second viewpoint's
    let station = try Station.quick([SimulatedFault(at: .shot(5), kind: kind)])
    await station.controller.initialize()
    let told = try await station.scan(request)
    #expect(states(told).last == .completed)
    // one frame that is lost is not worth a word; the next one comes
    #expect(notices(told).contains { $0.contains("timed out") } == (kind == .cameraTimeout), "\(notices(told))")
    try expectWhole(station)
  }

  @Test func aCameraThatKeepsFailingPausesTheScanAtRestAndNamesCableAndPower() async throws {
    let station = try Station.quick((5...7).map { SimulatedFault(at: .shot($0), kind: .cameraTimeout) })
    await station.controller.initialize()
    var pauses: [String] = []
    let told = try await station.scan(request) { event in
      guard case .state(_, .paused, _, let reason) = event, reason != "" else { return }
      pauses.append(reason)
      #expect(try station.contents().shots.count == 1)
      try await station.controller.unpause()
    }
    #expect(pauses.count == 1)
    #expect(pauses.first.map { $0.contains("cable") && $0.contains("power") } == true, "\(pauses)")
    #expect(states(told).last == .completed)
    try expectWhole(station)
  }

  @Test func twinsThatAreFarApartPauseTheScanAndAreToldAsThat() async throws {
    // more than a quarter of a frame
    let station = try Station.quick(skew: 9000)
    await station.controller.initialize()
    var pauses: [String] = []
    let told = try await station.scan(request) { event in
      guard case .state(_, .paused, _, let reason) = event, reason != "" else { return }
      pauses.append(reason)
      try await station.controller.cancel()
    }
    #expect(pauses.count == 1)
    let words = try #require(pauses.first)
    let apart = words.split(separator: " ").compactMap { Int($0) }.first ?? 0
    #expect(words.contains("the twin pictures are") && (8500...9500).contains(apart), "\(words)")
    #expect(notices(told).contains { $0.contains("restarting the cameras") }, "\(notices(told))")
    #expect(try station.contents().shots.isEmpty)
  }

  @Test func aStalledTableIsHomedAndTheViewpointTakenAgain() async throws {
    let station = try Station.quick([SimulatedFault(at: .move(9), kind: .stall(axis: "turntable"))])
    await station.controller.initialize()
    let told = try await station.scan(request)
    #expect(states(told).last == .completed)
    #expect(notices(told).contains { $0.contains("turntable") && $0.contains("homing again") }, "\(notices(told))")
    try expectWhole(station)
  }

  @Test func aTableThatStallsAgainPausesTheScanAtRest() async throws {
    let station = try Station.quick((9...10).map { SimulatedFault(at: .move($0), kind: .stall(axis: "turntable")) })
    await station.controller.initialize()
    var pauses: [String] = []
    let told = try await station.scan(request) { event in
      guard case .state(_, .paused, _, let reason) = event, reason != "" else { return }
      pauses.append(reason)
      try await station.controller.unpause()
    }
    #expect(pauses.count == 1 && pauses[0].contains("blocked"), "\(pauses)")
    #expect(states(told).last == .completed)
    try expectWhole(station)
  }

  @Test func aTableThatDoesNotTurnThoughItSaysSoIsSeenByTheCameras() async throws {
    let station = try Station.quick([
      SimulatedFault(at: .move(9), kind: .lostSteps(axis: "turntable", by: .degrees(60)))
    ])
    await station.controller.initialize()
    var pauses: [String] = []
    let told = try await station.scan(request) { event in
      if case .state(_, .paused, _, let reason) = event {
        pauses.append(reason)
        let feedback = await station.controller.status.feedback
        #expect(feedback == [.tableNotTurning])
        try await station.controller.unpause()
      }
    }
    #expect(pauses.count == 1, "\(pauses)")
    #expect(states(told).last == .completed)
    try expectWhole(station)
  }

  @Test func aDiskBelowItsFloorRefusesTheScanBeforeAnythingMoves() async throws {
    let station = try Station.quick(diskFloor: .max / 2)
    await station.controller.initialize()
    do {
      _ = try await station.controller.start(request)
      Issue.record("started on a full disk")
    } catch {
      #expect(error.kind == .noSpace)
      #expect(error.message.contains("free some space"))
    }
    #expect(await station.controller.status.state == .ready)
    await station.controller.untilIdle()
    // nor is anything left behind that could be gone on with
    #expect(try station.library.sessions().isEmpty)
  }

  @Test func darknessPausesTheScan() async throws {
    let station = try Station.quick(roomLight: 0.0002)
    await station.controller.initialize()
    let told = try await station.scan(request) { event in
      if case .state(_, .paused, _, let reason) = event {
        #expect(reason.contains("dark"))
        #expect(await station.controller.status.feedback.contains(.environmentTooDark))
        try await station.controller.cancel()
      }
    }
    #expect(states(told) == [.detecting, .paused, .cancelling, .cancelled], "\(notices(told))")
  }

  @Test func withNobodyThereThePromptsTimeOutAndOnePassIsTaken() async throws {
    let station = try Station.quick(person: .absent) { $0.promptTimeout = .milliseconds(200) }
    await station.controller.initialize()
    var request = request
    request.passes = 3
    let told = try await station.scan(request)
    #expect(states(told).last == .completed)
    let closed = told.compactMap { event -> ScanChoice? in
      if case .promptClosed(_, let choice, byTimeout: true) = event { return choice }
      return nil
    }
    #expect(closed == [.skip, .finish])
    #expect(try station.contents().plates.isEmpty)
    try expectWhole(station)
  }

  @Test(arguments: ["prepare", "plates", "detect", "capture"]) func cancelWorksAtEveryStageAndParks(stage: String)
    async throws
  {
    let station = try Station.quick()
    await station.controller.initialize()
    var isCancelled = false
    let told = try await station.scan(request) { event in
      if case .progress(let progress) = event, progress.stage == stage, !isCancelled {
        isCancelled = true
        try await station.controller.cancel()
      }
    }
    #expect(states(told).suffix(2) == [.cancelling, .cancelled])
    let contents = try station.contents()
    #expect(contents.ended?.state == "cancelled")
    for axis in station.world.rig.axes {
      let position = try #require(await axis.position)
      #expect(abs(position.degrees.remainder(dividingBy: 360)) < 0.01, "\(axis.name) stands at \(position.degrees)°")
    }
    // and the next scan starts
    let again = try await station.scan(request)
    #expect(states(again).last == .completed)
  }

  @Test func lampsAreOffAfterTheEnd() async throws {
    let station = try Station({ rig in
      rig.mode = CameraMode(width: 96, height: 128, previewWidth: 48, previewHeight: 64, framesPerSecond: 30)
      rig.geometry = RigGeometry.nominal(width: 96, height: 128)
      rig.roomLight = 0.001
    }) { $0.burst = 1 }
    await station.controller.initialize()
    _ = try await station.scan(ScanRequest(shots: 4, passes: 1)) { event in
      if case .progress(let progress) = event, progress.stage == "capture", progress.done == 1 {
        try await station.controller.cancel()
      }
    }
    // the cameras tell: with the scan's own exposure there is next to nothing to see
    let camera = station.world.rig.camera
    let shot = try station.contents().shots[0]
    try await camera.start(camera.modes[0])
    _ = try await camera.apply(
      CameraControls(exposureMicroseconds: shot.left.controls.exposureMicroseconds, gain: shot.left.controls.gain))
    let picture = try await camera.preview().left.image
    let mean = picture.bytes.reduce(0) { $0 + Int($1) } / picture.bytes.count
    await camera.stop()
    #expect(shot.left.meanLuma > 0.15)
    #expect(mean < 25, "\(mean)")
  }
}
