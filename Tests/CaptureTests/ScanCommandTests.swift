import Capture
import Codecs
import Imaging
import Rig
import Session
import SimulatedRig
import Testing

/// What people do to a running scan.
@Suite(.serialized) struct ScanCommandTests {
  @Test func withButtonsAloneAScanRunsToItsEnd() async throws {
    let station = try Station.quick { $0.buttonRequest = ScanRequest(shots: 4, passes: 2) }
    await station.controller.initialize()
    let stream = await station.controller.events()
    // the person beside the rig presses the answer button at the prompts; this is the shutter
    await station.world.press(button: 1)
    var last: ScanEvent?
    for await event in stream {
      last = event
      if case .sessionEnded = event { break }
    }
    guard case .sessionEnded(_, .completed, 8) = last else {
      Issue.record("\(String(describing: last))")
      return
    }
    let contents = try station.contents()
    #expect(contents.passes.count == 2)
  }

  @Test func pausingShootingByHandAndGoingOn() async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    var paused = 0
    let told = try await station.scan(ScanRequest(shots: 5, passes: 1)) { event in
      switch event {
      case .progress(let progress) where progress.stage == "capture" && progress.done == 2:
        if paused == 0 { try await station.controller.pause() }
      case .state(_, .paused, _, _):
        paused += 1
        try await station.controller.shot()
      case .sample(let sample) where sample.viewpoint == nil && sample.verdict == .kept:
        try await station.controller.unpause()
      default: break
      }
    }
    #expect(paused == 1)
    #expect(states(told).last == .completed)
    let contents = try station.contents()
    #expect(contents.shots.filter { $0.viewpoint == nil }.count == 1)
    #expect(contents.shots.compactMap(\.viewpoint) == [0, 1, 2, 3, 4] || contents.shots.count == 6)
    let byHand = try #require(contents.shots.first { $0.viewpoint == nil })
    let before = contents.shots.last { $0.sequence < byHand.sequence && $0.viewpoint != nil }
    #expect(byHand.axes == before?.axes)
  }

  @Test func aBoxSetByHandIsDurableAndResetGoesBackToTheFoundOne() async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    var found: BoxRecord?
    var isDone = false
    _ = try await station.scan(ScanRequest(shots: 4, passes: 1)) { event in
      guard case .progress(let progress) = event, progress.stage == "capture", !isDone else { return }
      isDone = true
      found = await station.controller.status.box
      let set = try await station.controller.box(.set(min: [-50, 0, -60], max: [50, 70, 60]))
      #expect(set.byHand && set.max == [50, 70, 60])
      #expect(try station.contents().boxes[1] == set)
      do throws(ScanRefusal) {
        _ = try await station.controller.box(.set(min: [1, 0, 0], max: [0, 1, 1]))
        Issue.record("an empty box was accepted")
      } catch {
        #expect(error.kind == .badArgument)
      }
      let reset = try await station.controller.box(.reset)
      #expect(reset == found)
    }
    #expect(isDone)
    #expect(try station.contents().boxes[1] == found)
  }

  @Test func aSuspendedScanIsResumedByTheNextAgent() async throws {
    let station = try Station.quick()
    let id = try await station.suspendedScan(ScanRequest(shots: 6, passes: 1), reason: "the battery is empty") {
      $0.done == 3
    }
    #expect(await station.controller.status.state == .failed)
    let before = try station.contents()
    #expect(before.ended?.state == "failed" && before.ended?.reason == "the battery is empty")
    #expect(before.isResumable && before.shots.count >= 3 && before.shots.count < 6)

    let next = ScanController(
      rig: station.world.rig, library: station.library, stateFolder: "\(station.folder)/state")
    await next.initialize()
    try await next.resume(id)
    await next.untilIdle()
    let after = try station.contents()
    #expect(after.ended?.state == "completed")
    #expect(after.shots.compactMap(\.viewpoint).sorted() == Array(0..<6))
    #expect(Array(after.shots.prefix(before.shots.count)) == before.shots)
    // the exposure is the one that the session was begun with
    let exposures = Set(after.shots.map { $0.left.controls })
    #expect(exposures.count == 1, "\(exposures)")
    do {
      try await next.resume(id)
      Issue.record("resumed what is complete")
    } catch {
      #expect(error.kind == .badState)
    }
  }

  @Test func aSecondScanNeedsNoClearedTable() async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    let first = try await station.scan(ScanRequest(shots: 4, passes: 1))
    let second = try await station.scan(ScanRequest(shots: 4, passes: 1))
    let prompts = { (events: [ScanEvent]) in
      events.compactMap { event -> ScanPrompt.Kind? in
        if case .prompt(let prompt) = event { return prompt.kind }
        return nil
      }
    }
    #expect(prompts(first) == [.clear, .place])
    #expect(prompts(second) == [])
    #expect(try station.contents().plates.count == 3)
  }

  @Test func coverageIsCountedAndDrawn() async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    let told = try await station.scan(ScanRequest(shots: 24, passes: 1)) { event in
      guard case .progress(let progress) = event, progress.stage == "capture", progress.done == 24 else { return }
      let files = try await station.controller.writeCoverage()
      #expect(files.map { $0.split(separator: "/").last } == ["coverage.svg", "coverage.png"])
      let picture = try Picture.read(files[1])
      #expect(picture.width == 640 && picture.height == 640)
    }
    let summaries = told.compactMap { event -> CoverageSummary? in
      if case .coverage(let summary) = event { return summary }
      return nil
    }
    #expect(summaries.map(\.pictures) == Array(1...24))
    #expect(summaries.last?.covered == 24 && summaries.last?.fraction == 1)
    // replayed from the journal it is the same
    #expect(Coverage(try station.contents()).summary == summaries.last)
  }

  @Test(arguments: [(18, true), (8, false)])
  func stopsNearEnoughToEachOtherCoverTheWholeRing(_ shots: Int, _ isWhole: Bool) async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    _ = try await station.scan(ScanRequest(shots: shots, passes: 1))
    let summary = await station.controller.coverage
    #expect(summary.of == 24 && summary.pictures == shots)
    #expect((summary.covered == 24) == isWhole && summary.covered >= shots)
  }

  @Test func aLowBatteryHoldsNewScans() async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    await station.controller.hold("the battery is at 12 %")
    do {
      _ = try await station.controller.start(ScanRequest(shots: 4, passes: 1))
      Issue.record("started on a low battery")
    } catch {
      #expect(error.kind == .lowBattery && error.message == "the battery is at 12 %")
    }
    await station.controller.hold(nil)
    let told = try await station.scan(ScanRequest(shots: 4, passes: 1))
    #expect(states(told).last == .completed)
  }

  @Test(arguments: [
    ScanRequest(shots: 3), ScanRequest(shots: 401), ScanRequest(passes: 0), ScanRequest(passes: 10),
    ScanRequest(box: (min: [0, 0, 0], max: [10, -5, 10]))
  ]) func requestsThatMakeNoSenseAreRefused(request: ScanRequest) async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    do {
      _ = try await station.controller.start(request)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .badArgument)
    }
    #expect(try station.library.sessions().isEmpty)
  }
}

@Suite struct PowerMonitorTests {
  @Test func aGaugeThatIsSilentOrReadsZeroOnceChangesNothing() async throws {
    var settings = Station.smallRig()
    // on a busy machine real time would make readings stale between two polls
    settings.pace = .stepped
    settings.batteries = [BatterySettings(name: "main", level: 0.5)]
    settings.faults = [
      SimulatedFault(at: .time(.seconds(30)), kind: .gaugeReadsZero(name: "main")),
      SimulatedFault(at: .time(.seconds(60)), kind: .gaugeSilent(name: "main", for: .seconds(20)))
    ]
    let world = try SimulatedWorld(settings)
    let monitor = PowerMonitor(supplies: world.rig.power, clock: world.rig.clock)
    var missed = 0
    for _ in 0..<30 {
      await monitor.poll()
      let battery = await monitor.batteries[0]
      #expect(await monitor.condition == .good)
      #expect(battery.level.map { abs($0 - 0.5) < 0.03 } == true, "\(battery)")
      if battery.error != nil { missed += 1 }
      try await world.rig.clock.sleep(for: .seconds(5))
    }
    #expect(missed > 0)
  }

  @Test func anEmptyingBatteryWarnsHoldsAndStops() async throws {
    var settings = Station.smallRig()
    // on a busy machine real time would make readings stale between two polls
    settings.pace = .stepped
    settings.batteries = [BatterySettings(name: "main", level: 0.3, dischargePerHour: 6)]
    let world = try SimulatedWorld(settings)
    let monitor = PowerMonitor(supplies: world.rig.power, clock: world.rig.clock)
    let events = await monitor.events()
    for _ in 0..<60 where await monitor.condition != .critical {
      await monitor.poll()
      try await world.rig.clock.sleep(for: .seconds(5))
    }
    var conditions: [PowerCondition] = []
    for await event in events {
      if case .condition(let condition, _) = event { conditions.append(condition) }
      if conditions.last == .critical || conditions.count > 5 { break }
    }
    #expect(conditions == [.good, .warning, .low, .critical])
  }
}
