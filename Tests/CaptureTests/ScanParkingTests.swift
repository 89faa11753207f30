import Capture
import Imaging
import Rig
import Session
import SimulatedRig
import Testing

/// A scripted fault at a moment of a scan of one pass: three plates and six shots, the table moving before each.
struct FaultCase: Sendable, CustomTestStringConvertible {
  var name: String
  var faults: [SimulatedFault]
  /// What the message has to name; nil where the scan mends it by itself.
  var says: [String]?
  var testDescription: String { name }

  /// Each fault, once and until the scan gives up, before the first shot, during the pass, and at its end.
  static let all: [FaultCase] = {
    var cases: [FaultCase] = []
    for (moment, shot) in [("the first plate", 1), ("the first shot", 4), ("the last shot", 9)] {
      let fault = { (count: Int, kind: SimulatedFault.Kind) in
        (0..<count).map { SimulatedFault(at: .shot(shot + $0), kind: kind) }
      }
      cases.append(FaultCase(name: "camera hangs at \(moment)", faults: fault(1, .cameraTimeout)))
      cases.append(
        FaultCase(
          name: "camera goes on hanging at \(moment)", faults: fault(3, .cameraTimeout),
          says: ["cameras: capture: timed out", "cable", "power", "then"]))
      cases.append(FaultCase(name: "frame dropped at \(moment)", faults: fault(1, .droppedFrame)))
    }
    for (moment, move) in [("the first plate", 1), ("the first shot", 5), ("the last shot", 9), ("parking", 10)] {
      let stall = { (count: Int) in
        (0..<count).map { SimulatedFault(at: .move(move + $0), kind: .stall(axis: "turntable")) }
      }
      cases.append(FaultCase(name: "table stalls at \(moment)", faults: stall(1)))
      if moment == "parking" { continue }
      cases.append(
        FaultCase(
          name: "table goes on stalling at \(moment)", faults: stall(2),
          says: ["turntable: move", "blocked", "motor", "then"]))
    }
    return cases
  }()
}

@Suite(.serialized) struct ScanParkingTests {
  private let request = ScanRequest(name: "faulty", shots: 6, passes: 1)

  /// Whether everything is as it should be where nobody works: axes parked and without power, lamps off.
  private func isParked(_ station: Station) async -> Bool {
    guard station.watch.powered.isEmpty, !station.watch.isLit else { return false }
    for axis in station.world.rig.axes {
      guard let position = await axis.position else { return false }
      if abs(position.degrees.remainder(dividingBy: 360)) > 0.01 { return false }
    }
    return true
  }

  private func expectWhole(_ station: Station) throws {
    let contents = try station.contents()
    #expect(contents.ended?.state == "completed")
    #expect(contents.shots.compactMap(\.viewpoint).sorted() == Array(0..<6))
  }

  @Test(arguments: FaultCase.all) func aFaultEndsParkedWithAMessageAndNothingLost(test: FaultCase) async throws {
    let station = try Station.quick(test.faults)
    await station.controller.initialize()
    var reasons: [String] = []
    let told = try await station.scan(request) { event in
      guard case .state(_, .paused, _, let reason) = event else { return }
      reasons.append(reason)
      while !(await isParked(station)) { try await Task.sleep(for: .milliseconds(5)) }
      try await station.controller.unpause()
    }
    #expect(await isParked(station))
    if states(told).last == .failed {
      // before the first shot there is nothing to pause for: the session waits to be resumed
      reasons.append(await station.controller.status.reason)
      let id = try #require(await station.controller.status.resumable)
      #expect(try station.contents().isResumable)
      try await station.controller.resume(id)
      await station.controller.untilIdle()
      #expect(await isParked(station))
    }
    for word in test.says ?? [] { #expect(reasons.first?.contains(word) == true, "\(reasons)") }
    #expect(reasons.count == (test.says == nil ? 0 : 1), "\(reasons)")
    try expectWhole(station)
    // and the station goes on as if nothing had been
    #expect(states(try await station.scan(request)).last == .completed)
    try expectWhole(station)
  }

  @Test func aScanThatRestsIsStoppedOnItsWayToItsPlace() async throws {
    let station = try Station.quick((5...7).map { SimulatedFault(at: .shot($0), kind: .cameraTimeout) })
    await station.controller.initialize()
    let told = try await station.scan(request) { event in
      guard case .state(_, .paused, _, _) = event else { return }
      _ = await station.controller.halt()
      for axis in station.world.rig.axes { await axis.stop() }
      while !station.watch.powered.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      try await station.controller.unpause()
    }
    #expect(states(told).last == .completed)
    try expectWhole(station)
  }

  @Test func aScanThatWasCutOffIsToldOfAndTakenUpByTheAnswerButton() async throws {
    let station = try Station.quick(person: .flips)
    await station.controller.initialize()
    var answered = false
    _ = try await station.scan(request) { event in
      if case .prompt(let prompt) = event { try await station.controller.answer(prompt.id, prompt.advice) }
      guard case .progress(let progress) = event, progress.done == 2, !answered else { return }
      answered = true
      await station.controller.suspend("power cut")
    }
    let id = try #require(await station.controller.status.resumable)

    let watch = RigWatch()
    let next = ScanController(
      rig: watch.watched(station.world.rig), library: station.library, stateFolder: "\(station.folder)/state")
    let events = await next.events()
    await next.initialize()
    let status = await next.status
    #expect(status.state == .ready && status.resumable == id)
    #expect(watch.patterns.last == .failed)
    #expect(await next.press(.answer) == "took up session \(id)")
    #expect(await next.status.resumable == nil)
    await next.untilIdle()
    #expect(watch.patterns.last == .done)
    try expectWhole(station)
    for await event in events {
      guard case .notice(let text) = event else { continue }
      #expect(text.contains(id) && text.contains("answer button"))
      break
    }
    // what is complete is not taken up again
    #expect(await next.press(.answer) == nil)
  }

  @Test func withButtonsAloneAPausedScanGoesOn() async throws {
    let faults = (5...7).map { SimulatedFault(at: .shot($0), kind: .cameraTimeout) }
    for action in [ButtonAction.answer, .shutter, .start] {
      let station = try Station.quick(faults)
      await station.controller.initialize()
      let told = try await station.scan(request) { event in
        guard case .state(_, .paused, _, _) = event else { return }
        #expect(await station.controller.press(action) == "going on")
      }
      #expect(states(told).last == .completed, "\(action.name)")
      #expect(station.watch.patterns.contains(.warning))
    }
  }

  @Test func aPersonWithButtonsAloneBringsAFaultyScanToItsEnd() async throws {
    let station = try Station.quick(
      (1...3).map { SimulatedFault(at: .shot($0), kind: .cameraTimeout) } + [
        SimulatedFault(at: .move(12), kind: .stall(axis: "turntable")),
        SimulatedFault(at: .move(13), kind: .stall(axis: "turntable"))
      ], person: .startsAndAnswers
    ) { $0.buttonRequest = ScanRequest(shots: 4, passes: 2) }
    let stream = await station.controller.events()
    await station.controller.initialize()
    for await event in stream {
      if case .sessionEnded(_, .completed, _) = event { break }
    }
    await station.controller.untilIdle()
    let contents = try station.contents()
    #expect(contents.completedPasses == [1, 2] && contents.shots.count == 8)
    let patterns = station.watch.patterns
    #expect(patterns.first == .ready && patterns.last == .done)
    for pattern in [SignalPattern.busy, .clear, .place, .failed, .flip] { #expect(patterns.contains(pattern)) }
    #expect(await isParked(station))
  }
}
