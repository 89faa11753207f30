import Rig
import Session

/// What comes after what.
extension ScanMachine {
  mutating func result(_ event: Event) {
    switch (phase, event) {
    case (.initializing, .initialized):
      enter(.idle(.ready))
      act(.signal(.ready))
    case (.preparing, .prepared(let havePlates, let found)):
      setFeedback(found)
      prepared(havePlates)
    case (.photographingPlates, .platesTaken):
      course?.havePlates = true
      askForObject("the empty table is photographed; put the object on the middle of the turntable")
    case (.looking, .looked(let found, let feedback)): looked(found, feedback)
    case (.approaching, .arrived(let feedback)): arrived(feedback)
    case (.shooting, .judged(let verdict, let feedback)), (.shootingByHand, .judged(let verdict, let feedback)):
      judged(verdict, feedback)
    case (.restartingCamera, .cameraRestarted), (.rehoming, .rehomed): again()
    case (.waking, .woken): goOn()
    case (.advising, .advised(let advice)): advised(advice)
    case (.parking(let outcome), .parked): ended(outcome)
    default: break  // the result of something given up
    }
  }

  private mutating func prepared(_ havePlates: Bool) {
    guard let course else { return }
    if feedback.contains(.environmentTooDark) {
      // in the dark neither plates nor the object can be seen: prepare again when there is light
      interrupted = .preparing
      return stopCapture(for: [.environmentTooDark])
    }
    self.course?.havePlates = havePlates
    if course.hasPassBegun {
      if course.isPassComplete { return endPass() }
      if course.hasBox || !course.headIsKnown { return goOn() }
      return look()
    }
    if havePlates || !rules.asksForPlates { return look() }
    ask(
      .clearing, .clear, advice: .cleared,
      reason:
        "take everything off the turntable: pictures of the empty table tell the object from what is always there",
      options: [.cleared, .skip])
  }

  private mutating func askForObject(_ reason: String) {
    ask(.placing, .place, advice: .placed, reason: reason, options: [.placed])
  }

  mutating func look() {
    guard let course else { return }
    work(.looking, .look(course.pass))
  }

  private mutating func looked(_ found: Bool, _ seen: Set<ScanFeedback>) {
    guard let course else { return }
    updateFeedback(seen, of: [.objectNotDetected, .objectTooClose, .objectTooFar, .outOfFieldOfView])
    if !found, !course.hasBox {
      self.course?.placings += 1
      if course.placings + 1 > rules.placeAttempts {
        return park(.failed("no object was found on the turntable; put it on the middle and start again"))
      }
      return askForObject("no object was found; put it on the middle of the turntable")
    }
    self.course?.hasBox = true
    self.course?.placings = 0
    if !course.hasPassBegun {
      self.course?.hasPassBegun = true
      act(.begin(course.pass))
    }
    capture()
  }

  /// Goes on capturing, unless the feedback forbids.
  private mutating func capture() {
    guard let course else { return }
    let stops = feedback.filter { $0.stopsCapture && !course.acknowledged.contains($0) }
    if stops.isEmpty { return next() }
    // the person will move it: look again
    if stops.contains(.outOfFieldOfView) { interrupted = .looking }
    stopCapture(for: stops)
  }

  private mutating func stopCapture(for stops: Set<ScanFeedback>) {
    // a person who goes on all the same has seen it; darkness is looked at anew each time
    course?.acknowledged.formUnion(stops.subtracting([.environmentTooDark]))
    pause(Self.advice(on: stops), resting: false)
  }

  private static func advice(on stops: Set<ScanFeedback>) -> String {
    stops.sorted().map { stop in
      switch stop {
      case .environmentTooDark: "it is too dark: add light, then go on"
      case .outOfFieldOfView:
        "the object is cut by the picture's edge: move it to the middle or aim the head, then go on; one that is larger "
          + "than the picture cannot be scanned whole"
      case .tableNotTurning: "the pictures do not change though the turntable moved: see whether it turns, then go on"
      default: stop.rawValue
      }
    }.joined(separator: "; ")
  }

  /// Takes up the capture after a pause or a fault.
  mutating func goOn() {
    guard let course else { return }
    if let phase = interrupted, phase.isDetecting { return again() }
    if !course.hasPassBegun || (!course.hasBox && course.headIsKnown) { return look() }
    next()
  }

  /// The next step of the pass.
  mutating func next() {
    guard let course else { return }
    self.course?.current = nil
    self.course?.retakes = 0
    self.course?.restarts = 0
    self.course?.rehomings = 0
    // a pair that never came to be is tried again: a scan of nothing is not a complete one
    if course.finishWanted, hasTaken { return park(.completed) }
    if course.pauseWanted { return pause("on request", resting: false) }
    if course.handShots > 0 {
      self.course?.handShots -= 1
      return shootWhenStored()
    }
    guard let viewpoint = course.viewpointsLeft.first else {
      enter(.endingPass)
      if storing == nil { endPass() }
      return
    }
    self.course?.current = viewpoint
    work(.approaching, .go(viewpoint))
  }

  private mutating func arrived(_ seen: Set<ScanFeedback>) {
    guard let course else { return }
    updateFeedback(seen, of: [.movingTooFast, .tableNotTurning])
    let stops = seen.filter { $0.stopsCapture && !course.acknowledged.contains($0) }
    if !stops.isEmpty { return stopCapture(for: stops) }
    shootWhenStored()
  }

  private mutating func shootWhenStored() {
    guard let course else { return }
    if storing != nil { return enter(.awaitingStore) }
    work(.shooting, .shoot(course.current))
  }

  private mutating func judged(_ verdict: ShotVerdict, _ seen: Set<ScanFeedback>) {
    guard let course else { return }
    let byHand = phase == .shootingByHand
    updateFeedback(
      seen, of: [.environmentLowLight, .environmentTooDark, .flicker, .clippedHighlights, .overCapturing])
    let viewpoint = byHand ? nil : course.current?.index
    if seen.contains(.environmentTooDark), !byHand {
      sample(.skipped, viewpoint, "too dark")
      return stopCapture(for: [.environmentTooDark])
    }
    if let why = verdict.objection, !byHand, course.retakes < rules.retakes {
      self.course?.retakes += 1
      sample(.retake, viewpoint, why)
      return work(.shooting, .shoot(course.current))
    }
    // twins that stay apart, or controls that stay lost, are the cameras' fault: they are started anew, together
    if case .unusable(let why) = verdict { return failed(ScanFault(.camera, why)) }
    storing = (viewpoint, course.pass.index)
    if let viewpoint { self.course?.done.insert(viewpoint) }
    act(.keep(viewpoint: viewpoint, pass: course.pass.index))
    if byHand { enter(.paused(resting: false), reason: "on request") } else { next() }
  }

  private mutating func sample(
    _ verdict: ScanSample.Verdict, _ viewpoint: Int?, _ reason: String, _ sequence: Int? = nil
  ) {
    publish(
      .sample(
        ScanSample(verdict: verdict, pass: pass, viewpoint: viewpoint, sequence: sequence, reason: reason)))
  }

  mutating func stored(_ shot: ShotRecord) {
    storing = nil
    course?.shots += 1
    publish(
      .sample(
        ScanSample(verdict: .kept, pass: shot.pass, viewpoint: shot.viewpoint, sequence: shot.sequence, reason: "")))
    reportProgress()
    switch phase {
    case .awaitingStore: shootWhenStored()
    case .endingPass:
      let isWhole = course?.viewpointsLeft.isEmpty ?? true
      if isWhole || course?.finishWanted == true { endPass() } else { next() }
    default: break
    }
  }

  /// What was lost of the pass under way is done no more, and so is shot again.
  mutating func lost(_ loss: ScanLoss) {
    course?.shots -= loss.shots
    course?.done.subtract(loss.viewpoints)
    publish(.notice(loss.text))
  }

  private mutating func reportProgress() {
    guard let course else { return }
    publish(
      .progress(
        ScanProgress(
          stage: "capture", done: course.done.count + course.skipped.count, of: course.plan.stops, fraction: fraction,
          etaSeconds: nil)))
  }

  /// The share of the whole scan that is done: a scan that completes is whole, whatever was left out of it.
  package var fraction: Double {
    guard let course else { return 0 }
    if phase == .parking(.completed) { return 1 }
    let pass = Double(course.done.count + course.skipped.count) / Double(max(1, course.plan.stops))
    return min(1, (Double(course.pass.index - 1) + pass) / Double(max(course.plan.passes, course.pass.index)))
  }

  mutating func storeFailed(_ fault: ScanFault) {
    let lost = storing
    storing = nil
    if let viewpoint = lost?.viewpoint, lost?.pass == course?.pass.index { course?.done.remove(viewpoint) }
    let message = Self.advice(fault, then: "go on")
    switch phase {
    case .idle, .parking: publish(.notice(fault.message))
    case .paused(resting: true):
      reason = message
      publish(.notice(message))
    default:
      act(.abandon)
      course?.current = nil
      // what was asked for will be asked for again
      if phase == .clearing { interrupted = .preparing } else if phase.isDetecting { interrupted = .looking }
      // paused on request: no change of state tells why it is at rest now
      if state == .paused { publish(.notice(message)) }
      pause(message, resting: true)
    }
  }

  private mutating func endPass() {
    guard let course else { return }
    if !course.isPassComplete {
      self.course?.isPassComplete = true
      act(.complete(pass: course.pass.index))
    }
    if course.finishWanted || course.pass.index >= course.plan.passes { return park(.completed) }
    work(.advising, .advise(course.pass))
  }

  private mutating func advised(_ advice: PassAdvice) {
    updateFeedback(advice.isFlippable ? [] : [.objectNotFlippable], of: [.objectNotFlippable])
    ask(
      .asking, advice.choice == .height ? .height : .flip, advice: advice.choice, reason: advice.reason,
      options: [.flipped, .height, .finish])
  }

  mutating func beginPass(_ kind: PassKind) {
    guard var course else { return }
    course.pass = PassRecord(index: course.pass.index + 1, kind: kind)
    course.hasPassBegun = true
    course.isPassComplete = false
    course.done = []
    course.skipped = []
    // a new height leaves the object where it was, but the plates belong to the old one
    if kind == .height { course.headIsKnown = false }
    course.hasBox = kind == .height
    course.acknowledged = []
    self.course = course
    act(.begin(course.pass))
    if course.hasBox || !course.headIsKnown { return next() }
    look()
  }

  private mutating func ended(_ outcome: ScanOutcome) {
    act(.end(outcome))
    setFeedback([])
    switch outcome {
    case .completed:
      enter(.idle(.completed))
      act(.signal(.done))
    case .cancelled:
      enter(.idle(.cancelled))
      act(.signal(.off))
    case .failed(let reason), .suspended(let reason):
      enter(.idle(.failed), reason: reason)
      act(.signal(.failed))
    }
  }
}

extension ScanMachine {
  /// What ended well is not complete before its files say so.
  mutating func unclosed(_ why: String) {
    guard case .idle(.completed) = phase else { return }
    enter(.idle(.failed), reason: why)
    act(.signal(.failed))
  }
}

extension ScanMachine.Course {
  /// The viewpoints of the pass that have no pair yet and are not given up on.
  var viewpointsLeft: [Viewpoint] {
    plan.viewpoints(pass: pass.index).filter { !done.contains($0.index) && !skipped.contains($0.index) }
  }
}

extension ScanMachine.ShotVerdict {
  /// What is wrong with the burst, if anything.
  fileprivate var objection: String? {
    switch self {
    case .keep: nil
    case .retake(let why), .unusable(let why): why
    }
  }
}
