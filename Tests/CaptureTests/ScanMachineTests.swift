import Capture
import Imaging
import Rig
import Session
import Testing

/// A machine brought to a phase by the events that lead there.
struct Course {
  var machine: ScanMachine
  var actions: [ScanMachine.Action] = []

  init(rules: ScanMachine.Rules = .init()) { machine = ScanMachine(rules: rules) }

  @discardableResult mutating func feed(_ events: ScanMachine.Event...) -> [ScanMachine.Action] {
    for event in events { actions = machine.handle(event) }
    return actions
  }

  /// The state changes among the last actions.
  var changes: [String] {
    actions.compactMap { action in
      if case .publish(.state(let from, let to, _, _)) = action { return "\(from.rawValue)>\(to.rawValue)" }
      return nil
    }
  }
  var refusal: ScanRefusal.Kind? {
    for case .refuse(let refusal) in actions { return refusal.kind }
    return nil
  }
  var signals: [SignalPattern] {
    actions.compactMap { action in
      if case .signal(let pattern) = action { return pattern }
      return nil
    }
  }

  static func stored(_ viewpoint: Int?, pass: Int = 1, sequence: Int = 1) -> ScanMachine.Event {
    let readback = CameraReadback(exposureMicroseconds: 10_000, gain: 1, redGain: 1, blueGain: 1)
    let frame = FrameRecord(
      file: "a.jpg", sensorTimestamp: 0, controls: readback, sharpness: 1, meanLuma: 0.4, clipped: 0)
    return .stored(
      ShotRecord(
        sequence: sequence, pass: pass, viewpoint: viewpoint,
        axes: AxisAngles(turntable: .zero, pan: .zero, tilt: .zero), left: frame, right: frame))
  }

  static let plan = CapturePlan(stops: 4, passes: 2)
  static let seen = PassAdvice(choice: .flipped, reason: "textured", isFlippable: true)

  static func ready() -> Course {
    var course = Course()
    course.feed(.initialized)
    return course
  }
  static func preparing() -> Course {
    var course = ready()
    course.feed(.start(session: "s", plan, hasBox: false))
    return course
  }
  static func approaching() -> Course {
    var course = preparing()
    course.feed(.prepared(havePlates: true, []), .looked(found: true, []))
    return course
  }
  static func shooting() -> Course {
    var course = approaching()
    course.feed(.arrived([]))
    return course
  }
  /// All viewpoints of the pass shot, all but the last stored.
  static func lastInFlight(_ first: Course = .shooting()) -> Course {
    var course = first
    for viewpoint in 0..<3 {
      course.feed(.judged(.keep, []), stored(viewpoint, pass: course.machine.pass), .arrived([]))
    }
    course.feed(.judged(.keep, []))
    return course
  }
  static func asking() -> Course {
    var course = lastInFlight()
    course.feed(stored(3), .advised(seen))
    return course
  }
  static func paused() -> Course {
    var course = approaching()
    course.feed(.pause, .arrived([]), .judged(.keep, []))
    return course
  }
  static func resting() -> Course {
    var course = approaching()
    let fault = ScanFault(.other, "the moon is full")
    course.feed(.failed(fault))
    return course
  }
  static func parking(_ outcome: ScanOutcome = .completed) -> Course {
    var course = asking()
    course.feed(outcome == .cancelled ? .cancel : .finish)
    return course
  }

  /// One machine in every phase.
  static func everywhere() -> [(String, Course)] {
    var clearing = preparing()
    clearing.feed(.prepared(havePlates: false, []))
    var plates = clearing
    plates.feed(.answer(1, .cleared))
    var placing = plates
    placing.feed(.platesTaken)
    var looking = preparing()
    looking.feed(.prepared(havePlates: true, []))
    var awaiting = shooting()
    awaiting.feed(.judged(.keep, []), .arrived([]))
    var restarting = shooting()
    restarting.feed(.failed(ScanFault(.camera, "no frame")))
    var rehoming = approaching()
    rehoming.feed(.failed(ScanFault(.axis, "stalled")))
    var waking = resting()
    waking.feed(.unpause)
    var advising = lastInFlight()
    advising.feed(stored(3))
    var byHand = paused()
    byHand.feed(.shot)
    return [
      ("initializing", Course()), ("ready", ready()), ("preparing", preparing()), ("clearing", clearing),
      ("photographingPlates", plates), ("placing", placing), ("looking", looking), ("approaching", approaching()),
      ("awaitingStore", awaiting), ("shooting", shooting()), ("restartingCamera", restarting), ("rehoming", rehoming),
      ("waking", waking), ("endingPass", lastInFlight()), ("advising", advising), ("asking", asking()),
      ("paused(resting: false)", paused()), ("paused(resting: true)", resting()), ("shootingByHand", byHand),
      ("parking", parking()), ("parking cancelled", parking(.cancelled))
    ]
  }
}

@Suite struct ScanMachineTests {
  @Test func aWholeScanInTwoPasses() {
    var course = Course()
    course.feed(.initialized)
    #expect(course.changes == ["initializing>ready"])
    course.feed(.start(session: "s", Course.plan, hasBox: false))
    #expect(course.changes == ["ready>detecting"])
    #expect(course.actions.contains(.prepare))
    course.feed(.prepared(havePlates: false, []))
    #expect(course.machine.prompt?.kind == .clear)
    #expect(course.signals == [.clear])
    course.feed(.answer(1, .cleared))
    #expect(course.actions.contains(.takePlates))
    course.feed(.platesTaken)
    #expect(course.machine.prompt?.kind == .place)
    #expect(course.signals == [.place])
    course.feed(.answer(2, .placed))
    #expect(course.actions.contains(.look(PassRecord(index: 1, kind: .first))))
    course.feed(.looked(found: true, []))
    #expect(course.changes == ["detecting>capturing"])
    #expect(course.actions.contains(.begin(PassRecord(index: 1, kind: .first))))
    course.feed(.arrived([]))
    course = Course.lastInFlight(course)
    #expect(course.machine.phase == .endingPass)
    course.feed(Course.stored(3))
    #expect(course.actions.contains(.complete(pass: 1)))
    course.feed(.advised(Course.seen))
    #expect(course.machine.prompt?.options == [.flipped, .height, .finish])
    #expect(course.signals == [.flip])
    course.feed(.answer(3, .flipped))
    #expect(course.actions.contains(.begin(PassRecord(index: 2, kind: .flip))))
    #expect(course.actions.contains(.look(PassRecord(index: 2, kind: .flip))))
    course.feed(.looked(found: true, []), .arrived([]))
    course = Course.lastInFlight(course)
    course.feed(Course.stored(3, pass: 2))
    #expect(course.changes == ["capturing>finishing"])
    #expect(course.actions.contains(.park))
    course.feed(.parked)
    #expect(course.changes == ["finishing>completed"])
    #expect(course.actions.contains(.end(.completed)))
    #expect(course.signals == [.done])
    #expect(course.machine.shots == 8)
  }

  @Test func phasesAreWhatTheTableSays() {
    for (name, course) in Course.everywhere() {
      #expect("\(course.machine.phase)".hasPrefix(name.split(separator: " ")[0]) || name == "ready", "\(name)")
    }
  }

  /// What each command does in each phase: the state that follows, or the refusal.
  @Test(arguments: [
    (
      "pause",
      [
        "initializing": "BADSTATE", "ready": "BADSTATE", "endingPass": "BADSTATE", "advising": "BADSTATE",
        "asking": "BADSTATE", "paused(resting: false)": "BADSTATE", "paused(resting: true)": "BADSTATE",
        "shootingByHand": "BADSTATE", "parking": "BADSTATE", "parking cancelled": "BADSTATE"
      ]
    ),
    ("start", ["ready": "detecting"]),
    ("unpause", ["paused(resting: false)": "capturing", "paused(resting: true)": "capturing"]),
    ("cancel", ["initializing": "cancelled", "ready": "BADSTATE", "parking": "BADSTATE"]),
    (
      "finish",
      [
        "approaching": "finishing", "awaitingStore": "capturing", "shooting": "capturing",
        "endingPass": "capturing", "advising": "finishing", "asking": "finishing",
        "paused(resting: false)": "finishing", "shootingByHand": "finishing"
      ]
    )
  ]) func commands(command: String, table: [String: String]) {
    // what the table leaves out
    let otherwise = [
      "pause": "same", "start": "BADSTATE", "unpause": "BADSTATE", "cancel": "cancelling",
      "finish": "BADSTATE"
    ]
    for (name, start) in Course.everywhere() {
      var course = start
      let before = course.machine.state.rawValue
      switch command {
      case "pause": course.feed(.pause)
      case "start": course.feed(.start(session: "t", Course.plan, hasBox: false))
      case "unpause": course.feed(.unpause)
      case "cancel": course.feed(.cancel)
      default: course.feed(.finish)
      }
      let outcome = course.refusal?.rawValue ?? course.machine.state.rawValue
      let wanted = table[name] ?? otherwise[command]!
      if command == "finish", table[name] == nil || name == "approaching" {
        // with nothing taken yet there is nothing to finish
        #expect(outcome == "BADSTATE", "\(command) in \(name)")
      } else {
        #expect(outcome == (wanted == "same" ? before : wanted), "\(command) in \(name)")
      }
      if course.refusal != nil { #expect(course.machine.phase == start.machine.phase, "\(command) in \(name)") }
    }
  }

  @Test func cancelParksFromEverywhereAScanRuns() {
    for (name, start) in Course.everywhere() where !start.machine.state.isIdle {
      if ["initializing", "parking"].contains(name) { continue }
      var course = start
      course.feed(.cancel)
      #expect(course.machine.state == .cancelling, "\(name)")
      if name != "parking cancelled" {
        #expect(course.actions.contains(.abandon) && course.actions.contains(.park), "\(name)")
      }
      #expect(course.machine.prompt == nil, "\(name)")
      course.feed(.parked)
      #expect(course.machine.state == .cancelled, "\(name)")
      #expect(course.actions.contains(.end(.cancelled)), "\(name)")
    }
  }

  @Test func everyPhaseButAnIdleOneHasATimeoutThatEndsSomewhereSafe() {
    for (name, start) in Course.everywhere() {
      var course = start
      guard !start.machine.state.isIdle else {
        #expect(start.machine.deadline == nil, "\(name)")
        continue
      }
      #expect(start.machine.deadline != nil, "\(name)")
      course.feed(.timedOut(epoch: start.machine.epoch - 1))
      #expect(course.actions.isEmpty, "an old time-out in \(name)")
      for _ in 0..<8 where !course.machine.state.isIdle { course.feed(.timedOut(epoch: course.machine.epoch)) }
      #expect(course.machine.state.hasEnded, "\(name) ends as \(course.machine.state)")
    }
  }

  @Test func everyFaultEverywhereEndsParkedOrPausedAtRest() {
    for source in ScanFault.Source.allCases {
      for (name, start) in Course.everywhere() {
        var course = start
        var rested = name == "paused(resting: true)"
        var parked = name.hasPrefix("parking")
        // whatever is tried to mend it fails as well
        for _ in 0..<10 {
          course.feed(.failed(ScanFault(source, "broken")))
          rested = rested || course.actions.contains(.rest)
          parked = parked || course.actions.contains(.park)
        }
        switch course.machine.phase {
        case .paused(resting: true): #expect(rested, "\(source) in \(name)")
        case .idle(.failed), .idle(.completed), .idle(.cancelled): break
        case .parking: #expect(parked, "\(source) in \(name)")
        case .idle(.ready): #expect(name == "ready")
        case .clearing, .placing, .asking, .awaitingStore, .endingPass, .paused: break
        default: Issue.record("\(source) in \(name) ends in \(course.machine.phase)")
        }
      }
    }
  }

  @Test func cameraIsRestartedTwiceAndTheSameViewpointTriedAgain() {
    var course = Course.shooting()
    for _ in 0..<2 {
      course.feed(.failed(ScanFault(.camera, "twin: capture: timed out")))
      #expect(course.actions.contains(.restartCamera))
      course.feed(.cameraRestarted)
      let first = Course.plan.viewpoints(pass: 1)[0]
      #expect(course.actions.contains(.go(first)))
      course.feed(.arrived([]))
      #expect(course.actions.contains(.shoot(first)))
    }
    course.feed(.failed(ScanFault(.camera, "twin: capture: timed out")))
    #expect(course.machine.state == .paused)
    #expect(course.machine.reason.contains("cables") && course.machine.reason.contains("power"))
    #expect(course.actions.contains(.rest))
    course.feed(.unpause, .woken)
    #expect(course.actions.contains(.go(Course.plan.viewpoints(pass: 1)[0])))
  }

  @Test func mendingWhileDetectingIsStillDetecting() {
    var course = Course.preparing()
    course.feed(.failed(ScanFault(.camera, "no frame")))
    #expect(course.machine.state == .detecting && course.changes.isEmpty)
    course.feed(.cameraRestarted)
    #expect(course.actions.contains(.prepare) && course.changes.isEmpty)
  }

  @Test func aStalledAxisIsHomedOnceThenTheScanPauses() {
    var course = Course.approaching()
    course.feed(.failed(ScanFault(.axis, "turntable: stalled")))
    #expect(course.actions.contains(.rehome))
    course.feed(.rehomed)
    #expect(course.machine.phase == .approaching)
    course.feed(.failed(ScanFault(.axis, "turntable: stalled")))
    #expect(course.machine.state == .paused)
    #expect(course.machine.reason.contains("blocked"))
  }

  @Test func aShotThatCouldNotBeStoredIsShotAgain() {
    var course = Course.shooting()
    course.feed(.judged(.keep, []))
    #expect(course.machine.phase == .approaching)
    course.feed(.storeFailed(ScanFault(.disk, "disk full")))
    #expect(course.machine.state == .paused && course.machine.reason == "disk full, then go on")
    #expect(course.actions.contains(.abandon) && course.actions.contains(.rest))
    course.feed(.unpause, .woken)
    #expect(course.actions.contains(.go(Course.plan.viewpoints(pass: 1)[0])))
  }

  @Test func neverMoreThanOneShotInFlight() {
    var course = Course.shooting()
    course.feed(.judged(.keep, []))
    course.feed(.arrived([]))
    #expect(course.machine.phase == .awaitingStore)
    #expect(!course.actions.contains { if case .shoot = $0 { true } else { false } })
    course.feed(Course.stored(0))
    #expect(course.machine.phase == .shooting)
  }

  @Test func aBadBurstIsTakenAgainABoundedNumberOfTimes() {
    var course = Course.shooting()
    var retakes = 0
    while course.machine.phase == .shooting, retakes < 10 {
      course.feed(.judged(.retake("blurred"), []))
      retakes += 1
    }
    #expect(retakes == 3)
    #expect(course.machine.phase == .approaching)
  }

  @Test func aBurstWithoutAnyUsablePairRestartsTheCamerasAndThenPausesWithItsReason() {
    var course = Course.shooting()
    for _ in 0..<20 where course.machine.state == .capturing {
      switch course.machine.phase {
      case .shooting: course.feed(.judged(.unusable("the twins are apart"), []))
      case .approaching: course.feed(.arrived([]))
      default: course.feed(.cameraRestarted)
      }
      #expect(!course.actions.contains { if case .keep = $0 { true } else { false } })
    }
    #expect(course.machine.phase == .paused(resting: true))
    #expect(course.machine.reason.contains("the twins are apart"))
    // one taken by hand says so, too, and nothing moves for it
    var byHand = Course.paused()
    byHand.feed(Course.stored(0), .shot, .judged(.unusable("the twins are apart"), []))
    #expect(byHand.machine.phase == .paused(resting: false) && byHand.machine.reason == "the twins are apart")
  }

  @Test func pauseComesAfterTheShotInFlightAndGoesOnWithTheNext() {
    var course = Course.approaching()
    course.feed(.pause)
    #expect(course.machine.state == .capturing)
    course.feed(.arrived([]), .judged(.keep, []))
    #expect(course.machine.state == .paused)
    course.feed(Course.stored(0))
    #expect(course.machine.state == .paused && course.machine.shots == 1)
    course.feed(.unpause)
    #expect(course.actions.contains(.go(Course.plan.viewpoints(pass: 1)[1])))
  }

  @Test(arguments: [ScanFeedback.environmentTooDark, .outOfFieldOfView, .tableNotTurning])
  func feedbackThatForbidsCapturePausesIt(feedback: ScanFeedback) {
    var course = Course.approaching()
    switch feedback {
    case .environmentTooDark: course.feed(.arrived([]), .judged(.keep, [feedback]))
    case .outOfFieldOfView:
      course = Course.preparing()
      course.feed(.prepared(havePlates: true, []), .looked(found: true, [feedback]))
    default: course.feed(.arrived([feedback]))
    }
    #expect(course.machine.state == .paused)
    #expect(!course.machine.reason.isEmpty)
    #expect(course.machine.feedback == [feedback])
    course.feed(.unpause)
    if feedback == .outOfFieldOfView {
      // the person has moved it: where is it now?
      #expect(course.actions.contains(.look(PassRecord(index: 1, kind: .first))))
      // and who goes on all the same has seen it
      course.feed(.looked(found: true, [feedback]))
    }
    #expect(course.machine.state == .capturing)
    // the viewpoint that was given up comes again
    #expect(course.actions.contains(.go(Course.plan.viewpoints(pass: 1)[0])))
  }

  @Test func darknessFoundWhilePreparingIsPreparedForAgain() {
    var course = Course.preparing()
    course.feed(.prepared(havePlates: false, [.environmentTooDark]))
    #expect(course.changes == ["detecting>paused"])
    #expect(course.machine.reason.contains("dark"))
    course.feed(.unpause)
    #expect(course.actions.contains(.prepare) && course.machine.state == .detecting)
    course.feed(.prepared(havePlates: true, []))
    #expect(course.machine.phase == .looking)
  }

  @Test func otherFeedbackIsOnlyTold() {
    var course = Course.approaching()
    course.feed(.arrived([.movingTooFast]))
    #expect(course.actions.contains(.publish(.feedback([.movingTooFast]))))
    #expect(course.machine.phase == .shooting)
    course.feed(.judged(.keep, [.environmentLowLight]))
    #expect(course.machine.feedback == [.movingTooFast, .environmentLowLight])
  }

  @Test func shotsByHandAreTakenInPausesAndBetweenViewpoints() {
    var course = Course.paused()
    course.feed(.shot)
    #expect(course.actions.contains(.shoot(nil)) && course.machine.state == .paused)
    course.feed(.judged(.keep, []))
    #expect(course.actions.contains(.keep(viewpoint: nil, pass: 1)))
    #expect(course.machine.phase == .paused(resting: false))

    course = Course.shooting()
    course.feed(.shot, .judged(.keep, []), Course.stored(0))
    #expect(course.actions.contains(.shoot(nil)))
    course.feed(.judged(.keep, []), Course.stored(nil))
    #expect(course.machine.phase == .approaching)
  }

  @Test func promptsAreAnsweredOnceAndOnlyWithWhatTheyOffer() {
    var course = Course.asking()
    let id = course.machine.prompt!.id
    course.feed(.answer(id + 1, .flipped))
    #expect(course.refusal == .notFound)
    course.feed(.answer(id, .cleared))
    #expect(course.refusal == .badArgument)
    course.feed(.answer(id, .height))
    #expect(course.refusal == nil)
    #expect(course.actions.contains(.begin(PassRecord(index: 2, kind: .height))))
    // at another height the object stands as before: nothing to look for
    #expect(course.machine.phase == .approaching)
    course.feed(.answer(id, .height))
    #expect(course.refusal == .notFound)
  }

  @Test func anUnansweredPromptEndsTheScanWithWhatThereIs() {
    var course = Course.asking()
    course.feed(.timedOut(epoch: course.machine.epoch))
    #expect(course.machine.state == .finishing)
    #expect(
      course.actions.contains(.publish(.promptClosed(id: 1, choice: .finish, byTimeout: true))))
    course.feed(.parked)
    #expect(course.machine.state == .completed)
  }

  @Test func nobodyClearingTheTableMeansGoingOnWithoutPlates() {
    var course = Course.preparing()
    course.feed(.prepared(havePlates: false, []))
    course.feed(.timedOut(epoch: course.machine.epoch))
    #expect(course.machine.phase == .looking)
  }

  @Test func anObjectThatIsNotFoundIsAskedForThreeTimes() {
    var course = Course.preparing()
    course.feed(.prepared(havePlates: true, []))
    for _ in 0..<3 {
      course.feed(.looked(found: false, [.objectNotDetected]))
      #expect(course.machine.prompt?.kind == .place)
      #expect(course.machine.feedback == [.objectNotDetected])
      course.feed(.answer(course.machine.prompt!.id, .placed))
      #expect(course.machine.phase == .looking)
    }
    course.feed(.looked(found: false, [.objectNotDetected]))
    #expect(course.machine.state == .finishing)
    course.feed(.parked)
    #expect(course.machine.state == .failed)
  }

  @Test func whatWasGivenUpHasNoConsequence() {
    for (name, start) in Course.everywhere() {
      for event in [
        ScanMachine.Event.initialized, .platesTaken, .looked(found: true, []), .arrived([]),
        .judged(.keep, []), .cameraRestarted, .rehomed, .woken, .advised(Course.seen), .parked,
        .prepared(havePlates: true, [])
      ] {
        var course = start
        course.feed(event)
        // in a phase that does not wait for it, a result changes nothing
        if course.machine.epoch == start.machine.epoch {
          #expect(course.machine.phase == start.machine.phase, "\(name)")
        }
      }
    }
    var course = Course.paused()
    course.feed(.arrived([]), .judged(.keep, []), .parked, .woken)
    #expect(course.machine.phase == .paused(resting: false))
  }

  @Test func aResumedPassGoesOnWithItsMissingViewpoints() {
    var course = Course.ready()
    let from = ScanMachine.Resumption(
      pass: PassRecord(index: 1, kind: .first), done: [0, 2], isPassComplete: false, hasBox: true, headIsKnown: true,
      shots: 2)
    course.feed(.resume(session: "s", Course.plan, from), .prepared(havePlates: false, []))
    #expect(course.actions.contains(.go(Course.plan.viewpoints(pass: 1)[1])))
    #expect(!course.actions.contains { if case .begin = $0 { true } else { false } })
    course.feed(.arrived([]), .judged(.keep, []), Course.stored(1))
    #expect(course.machine.phase == .approaching)
  }

  @Test func aResumedSessionAfterACompletePassAsksForTheNext() {
    var course = Course.ready()
    let from = ScanMachine.Resumption(
      pass: PassRecord(index: 1, kind: .first), done: [0, 1, 2, 3], isPassComplete: true, hasBox: true,
      headIsKnown: true, shots: 4)
    course.feed(.resume(session: "s", Course.plan, from), .prepared(havePlates: true, []))
    #expect(course.actions.contains(.advise(PassRecord(index: 1, kind: .first))))
    // it was noted before
    #expect(!course.actions.contains(.complete(pass: 1)))
  }

  @Test func suspendLeavesASessionThatCanBeResumed() {
    var course = Course.shooting()
    course.feed(.suspend("the battery is empty"))
    #expect(course.machine.state == .finishing)
    course.feed(.parked)
    #expect(course.machine.state == .failed)
    #expect(course.actions.contains(.end(.suspended("the battery is empty"))))
  }

  @Test func noSequenceOfEventsLeavesAScanWithoutAWayOut() {
    var seed: UInt64 = 99
    func random(_ below: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % below
    }
    for _ in 0..<300 {
      var course = Course.ready()
      var storing = false
      for _ in 0..<120 {
        let fault = ScanFault(ScanFault.Source.allCases[random(5)], "broken")
        let events: [ScanMachine.Event] = [
          .start(session: "s", Course.plan, hasBox: false), .pause, .unpause, .shot, .answer(random(6), .flipped),
          .answer(random(6), .placed), .prepared(havePlates: random(2) == 0, []), .platesTaken,
          .looked(found: random(4) > 0, []), .arrived([]), .arrived([.tableNotTurning]), .judged(.keep, []),
          .judged(.retake("soft"), []), .judged(.unusable("apart"), []), .cameraRestarted, .rehomed, .woken,
          .advised(Course.seen), .failed(fault), .timedOut(epoch: course.machine.epoch)
        ]
        course.feed(storing && random(2) == 0 ? Course.stored(nil) : events[random(events.count)])
        for action in course.actions {
          if case .keep = action { storing = true }
          if case .end = action { #expect(course.machine.state.hasEnded) }
        }
        if case .stored = events[0] { storing = false }
        #expect(course.machine.prompt == nil || [.detecting, .capturing].contains(course.machine.state))
      }
      if !course.machine.state.isIdle {
        course.feed(.cancel)
        if course.refusal == nil || course.machine.state == .finishing { course.feed(.parked) }
        #expect(course.machine.state.hasEnded)
      }
    }
  }
}
