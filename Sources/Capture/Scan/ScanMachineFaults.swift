import Rig
import Session

/// What goes wrong.
extension ScanMachine {
  /// The work that was going on failed.
  mutating func failed(_ fault: ScanFault) {
    switch phase {
    case .idle, .paused, .clearing, .placing, .asking, .awaitingStore, .endingPass: break  // no work of theirs
    case .initializing:
      enter(.idle(.failed), reason: Self.advice(fault, then: "start a scan"))
      act(.signal(.failed))
    case .advising:
      // an opinion is not worth a scan
      result(.advised(PassAdvice(choice: .flipped, reason: "turn the object over", isFlippable: true)))
    case .parking:
      publish(.notice(fault.message))
      result(.parked)
    case .shootingByHand:
      enter(.paused(resting: false), reason: fault.message)
    case .restartingCamera, .rehoming, .waking: mend(fault)
    default:
      interrupted = phase
      mend(fault)
    }
  }

  /// Restarts the camera or homes the axes, a bounded number of times; then stops and says what to look at.
  private mutating func mend(_ fault: ScanFault) {
    guard let course else { return }
    if fault.source == .camera, course.restarts < rules.cameraRestarts {
      self.course?.restarts += 1
      publish(.notice("\(fault.message); restarting the cameras"))
      return work(.restartingCamera, .restartCamera)
    }
    if fault.source == .axis, course.rehomings < 1 {
      self.course?.rehomings += 1
      publish(.notice("\(fault.message); homing again"))
      return work(.rehoming, .rehome)
    }
    // nothing moves again before somebody says so, not even to be parked
    if fault.source == .stopped { return pause(Self.advice(fault, then: "go on"), resting: false) }
    if state == .detecting { return park(.failed(Self.advice(fault, then: "resume the session"))) }
    pause(Self.advice(fault, then: "go on"), resting: true)
  }

  /// What happened, what to look at, and what then. A session's files say themselves what to look at.
  static func advice(_ fault: ScanFault, then next: String) -> String {
    let remedy: String
    switch fault.source {
    case .camera: remedy = "; check the cameras' cables and the power supply"
    case .axis: remedy = "; see whether the axis is blocked and its motor has power"
    case .stopped: remedy = "; see that nothing is in its way"
    case .disk: remedy = ""
    case .other: return fault.message
    }
    if let own = fault.remedy { return "\(fault.message); \(own), then \(next)" }
    return "\(fault.message)\(remedy), then \(next)"
  }

  /// Does again what a fault interrupted.
  mutating func again() {
    guard let course, let phase = interrupted else { return next() }
    // only now: until then it says what state the world sees
    defer { interrupted = nil }
    switch phase {
    case .preparing: work(phase, .prepare)
    case .photographingPlates: work(phase, .takePlates)
    case .looking: look()
    case .approaching, .shooting:
      // after a fault the table may stand elsewhere: go there again
      if let viewpoint = course.current { work(.approaching, .go(viewpoint)) } else { work(.shooting, .shoot(nil)) }
    default: next()
    }
  }

  /// The present phase took too long.
  mutating func timedOut() {
    switch phase {
    case .idle: break
    case .clearing:
      closePrompt(.skip, byTimeout: true)
      chosen(.skip)
    case .placing:
      closePrompt(nil, byTimeout: true)
      park(.failed("nobody put an object on the turntable in time"))
    case .asking:
      closePrompt(.finish, byTimeout: true)
      chosen(.finish)
    case .paused: park(.suspended("paused for too long; resume the session when you like"))
    case .initializing:
      act(.abandon)
      enter(.idle(.failed), reason: "a device did not answer in time")
      act(.signal(.failed))
    case .parking:
      act(.abandon)
      publish(.notice("parking did not end in time"))
      result(.parked)
    default: park(.failed("a step did not end in time (\(phase)); a device hangs"))
    }
  }
}
