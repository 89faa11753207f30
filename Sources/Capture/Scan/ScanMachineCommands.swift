import Rig
import Session

/// What people ask for.
extension ScanMachine {
  mutating func command(_ event: Event) {
    switch event {
    case .start(let session, let plan, let hasBox): start(session, plan, hasBox)
    case .resume(let session, let plan, let resumption): resume(session, plan, resumption)
    case .pause: pauseCommand()
    case .unpause: unpause()
    case .cancel: cancel()
    case .finish: finish()
    case .shot: shotByHand()
    case .halt: halt()
    case .suspend(let reason): suspend(reason)
    case .answer(let id, let choice): answer(id, choice)
    case .lookAgain: lookAgain()
    default: break
    }
  }

  /// Begins anew where the start-up failed, and nothing has been tried since.
  private mutating func lookAgain() {
    guard case .idle(.failed) = phase, course == nil else { return }
    work(.initializing, .initialize)
  }

  private mutating func start(_ session: String, _ plan: CapturePlan, _ hasBox: Bool) {
    guard state.isIdle else { return refuse(.badState, whyNotNow) }
    course = Course(session: session, plan: plan, hasBox: hasBox)
    interrupted = nil
    setFeedback([])
    act(.signal(.busy))
    work(.preparing, .prepare)
  }

  private mutating func resume(_ session: String, _ plan: CapturePlan, _ from: Resumption) {
    guard state.isIdle else { return refuse(.badState, whyNotNow) }
    var course = Course(session: session, plan: plan)
    if let pass = from.pass {
      course.pass = pass
      course.hasPassBegun = true
    }
    course.done = from.done
    course.isPassComplete = from.isPassComplete
    course.hasBox = from.hasBox
    course.headIsKnown = from.headIsKnown
    course.shots = from.shots
    self.course = course
    interrupted = nil
    setFeedback([])
    act(.signal(.busy))
    work(.preparing, .prepare)
  }

  /// Why no scan can begin in a state that is not idle.
  package var whyNotNow: String {
    state == .initializing
      ? "the rig is finding its axes; wait until the state is ready"
      : "a scan is \(state.rawValue) already; cancel it first"
  }

  private mutating func pauseCommand() {
    switch phase {
    case .preparing, .clearing, .photographingPlates, .placing, .looking, .approaching, .awaitingStore, .shooting,
      .restartingCamera, .rehoming, .waking:
      course?.pauseWanted = true
    case .endingPass, .advising, .asking:
      refuse(.badState, "the pass is complete: nothing moves; answer the prompt when you like")
    case .paused, .shootingByHand: refuse(.badState, "the scan is paused already")
    case .initializing, .idle, .parking: refuse(.badState, "no scan runs; the state is \(state.rawValue)")
    }
  }

  private mutating func unpause() {
    guard case .paused(let resting) = phase else {
      // a pause that has not come yet is taken back
      if course?.pauseWanted == true {
        course?.pauseWanted = false
        return
      }
      if phase == .shootingByHand { return refuse(.badState, "a shot by hand is being taken; go on when it is done") }
      return refuse(.badState, "the scan is not paused; the state is \(state.rawValue)")
    }
    course?.restarts = 0
    course?.rehomings = 0
    course?.retakes = 0
    act(.signal(.busy))
    if resting { return work(.waking, .wake) }
    goOn()
  }

  private mutating func cancel() {
    switch phase {
    case .initializing:
      act(.abandon)
      enter(.idle(.cancelled), reason: "the start-up was cancelled")
      act(.signal(.off))
    case .idle: refuse(.badState, "nothing runs; the state is \(state.rawValue)")
    case .parking(.cancelled): break
    case .parking: refuse(.badState, "the scan is ending already")
    default: park(.cancelled)
    }
  }

  private mutating func finish() {
    switch phase {
    case .initializing, .idle, .parking: refuse(.badState, "no scan runs; the state is \(state.rawValue)")
    case .shooting where !hasTaken: course?.finishWanted = true
    case _ where !hasTaken: refuse(.badState, "nothing has been taken yet; cancel instead")
    case .asking, .advising, .paused, .shootingByHand, .approaching: park(.completed)
    case _ where phase.isDetecting: park(.completed)
    // the shot in flight is worth waiting for
    default: course?.finishWanted = true
    }
  }

  /// Whatever moves is given up: nothing moves again before somebody goes on. What stands still goes on standing.
  private mutating func halt() {
    let why = "stopped by hand; see that nothing is in the way, then go on"
    switch phase {
    case .idle, .paused, .shootingByHand, .clearing, .placing, .asking, .advising, .endingPass: break
    case .initializing: cancel()
    case .shooting, .awaitingStore: course?.pauseWanted = true
    case .preparing, .photographingPlates, .looking, .approaching:
      interrupted = phase
      act(.abandon)
      pause(why, resting: false)
    case .restartingCamera:
      act(.abandon)
      pause(why, resting: false)
    case .rehoming, .waking:
      // where the axes stand is to be found out first of all
      act(.abandon)
      enter(.paused(resting: true), reason: why)
      act(.signal(.warning))
    case .parking:
      act(.abandon)
      publish(.notice("stopped by hand before everything was parked"))
      result(.parked)
    }
  }

  private mutating func suspend(_ reason: String) {
    switch phase {
    case .idle: break
    case .initializing:
      act(.abandon)
      enter(.idle(.failed), reason: reason)
    case .parking: break
    default: park(.suspended(reason))
    }
  }

  private mutating func shotByHand() {
    switch phase {
    case .approaching, .awaitingStore, .shooting: course?.handShots += 1
    case .paused(resting: false): work(.shootingByHand, .shoot(nil))
    case .paused(resting: true): refuse(.badState, "the rig is at rest after a fault; go on first")
    case .shootingByHand: refuse(.busy, "a shot is being taken")
    default: refuse(.badState, "no shot can be taken now; the state is \(state.rawValue)")
    }
  }

  private mutating func answer(_ id: Int, _ choice: ScanChoice) {
    guard let prompt, prompt.id == id else { return refuse(.notFound, whyNoAnswer(id)) }
    guard prompt.options.contains(choice) else {
      let options = prompt.options.map(\.rawValue).joined(separator: ", ")
      return refuse(.badArgument, "prompt \(id) can be answered with \(options)")
    }
    closePrompt(choice)
    chosen(choice)
  }

  private func whyNoAnswer(_ id: Int) -> String {
    id >= 1 && id <= lastPrompt ? "prompt \(id) is closed" : "there is no prompt \(id)"
  }

  /// Acts on a choice, whoever made it.
  mutating func chosen(_ choice: ScanChoice) {
    switch (phase, choice) {
    case (.clearing, .cleared): work(.photographingPlates, .takePlates)
    case (.clearing, _): look()
    case (.placing, .placed): look()
    case (.placing, _): park(.failed("nothing was put on the turntable"))
    case (.asking, .flipped): beginPass(.flip)
    case (.asking, .height): beginPass(.height)
    default: park(.completed)
    }
  }
}
