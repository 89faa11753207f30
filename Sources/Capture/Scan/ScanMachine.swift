import Rig
import Session

/// The course of a scan as a value: events in, actions out, no clock and no devices.
///
/// One piece of *work* (a move, a burst, a look …) is going on at a time; its result comes back as an event. Storing a
/// pair is the exception: it goes on beside the next move, but is over before the next burst, so that never more than
/// one shot is in flight.
package struct ScanMachine: Sendable {
  /// What the machine is in the middle of. `state` is what of it the world sees.
  package enum Phase: Sendable, Hashable {
    case initializing
    case idle(ScanState)
    // detecting
    case preparing, clearing, photographingPlates, placing, looking
    // capturing
    case approaching, awaitingStore, shooting, restartingCamera, rehoming, waking, endingPass, advising, asking
    // paused
    case paused(resting: Bool), shootingByHand
    // finishing, cancelling
    case parking(ScanOutcome)
  }

  /// How the machine goes about things.
  package struct Rules: Sendable {
    package var retakes = 2
    package var cameraRestarts = 2
    package var placeAttempts = 3
    package var asksForPlates = true
    package var promptTimeout = Duration.seconds(600)
    package var stepTimeout = Duration.seconds(180)
    package var pauseTimeout = Duration.seconds(7200)

    package init() {}
  }

  /// Where a resumed session stopped.
  package struct Resumption: Sendable, Hashable {
    /// The pass that was under way or had just ended; nil where none had begun.
    package var pass: PassRecord?
    /// Its viewpoints that have their pair.
    package var done: Set<Int>
    /// Whether it has all of them.
    package var isPassComplete: Bool
    /// Whether its box is known.
    package var hasBox: Bool
    /// Whether the head has still the pose in which the plates were taken.
    package var headIsKnown: Bool
    /// Shots in the session.
    package var shots: Int

    package init(
      pass: PassRecord?, done: Set<Int>, isPassComplete: Bool, hasBox: Bool, headIsKnown: Bool, shots: Int
    ) {
      self.pass = pass
      self.done = done
      self.isPassComplete = isPassComplete
      self.hasBox = hasBox
      self.headIsKnown = headIsKnown
      self.shots = shots
    }
  }

  package enum Event: Sendable {
    // commands
    case start(session: String, CapturePlan, hasBox: Bool)
    case resume(session: String, CapturePlan, Resumption)
    case pause, unpause, cancel, finish, shot
    /// Everything that moves was stopped by hand.
    case halt
    case suspend(String)
    case answer(Int, ScanChoice)
    /// What was missing at the start may be there now.
    case lookAgain
    // results of work
    case initialized
    case prepared(havePlates: Bool, Set<ScanFeedback>)
    case platesTaken
    case looked(found: Bool, Set<ScanFeedback>)
    case arrived(Set<ScanFeedback>)
    case judged(ShotVerdict, Set<ScanFeedback>)
    case cameraRestarted, rehomed, woken
    case advised(PassAdvice)
    case parked
    case failed(ScanFault)
    /// The scan had ended well, and its session could not be closed as such.
    case unclosed(String)
    // results of storing
    case stored(ShotRecord)
    case storeFailed(ScanFault)
    /// Shots that had been stored are gone.
    case lost(ScanLoss)
    // time
    case timedOut(epoch: Int)
  }

  /// What a burst was good for.
  package enum ShotVerdict: Sendable, Hashable {
    case keep
    /// A better one may come; for want of that its pair will do.
    case retake(String)
    /// There is no pair that may be kept, for this reason.
    case unusable(String)
  }

  package enum Action: Sendable, Hashable {
    // work
    case initialize, prepare, takePlates, look(PassRecord), go(Viewpoint), shoot(Viewpoint?), restartCamera, rehome
    case wake, advise(PassRecord), park
    /// Gives up the work that is going on; its result is not wanted any more.
    case abandon
    // beside the work
    /// Stores the best pair of the last burst.
    case keep(viewpoint: Int?, pass: Int)
    /// Parked, lamps off, motors released, between two pieces of work.
    case rest
    case begin(PassRecord)
    case complete(pass: Int)
    case end(ScanOutcome)
    case signal(SignalPattern)
    case publish(ScanEvent)
    case refuse(ScanRefusal)
  }

  /// All about the scan that runs.
  struct Course: Sendable {
    var session: String
    var plan: CapturePlan
    var pass = PassRecord(index: 1, kind: .first)
    var hasPassBegun = false
    var done: Set<Int> = []
    var skipped: Set<Int> = []
    var current: Viewpoint?
    var retakes = 0
    var restarts = 0
    var rehomings = 0
    var placings = 0
    var handShots = 0
    var pauseWanted = false
    var finishWanted = false
    var hasBox = false
    var havePlates = false
    var headIsKnown = true
    var isPassComplete = false
    var shots = 0
    var acknowledged: Set<ScanFeedback> = []
  }

  package let rules: Rules
  package internal(set) var phase = Phase.initializing
  package internal(set) var reason = ""
  package internal(set) var prompt: ScanPrompt?
  package internal(set) var feedback: Set<ScanFeedback> = []
  /// Counts phases entered: a time-out of an earlier one means nothing.
  package internal(set) var epoch = 0
  var course: Course?
  /// Viewpoint (nil = by hand) and pass of the pair that is being stored.
  var storing: (viewpoint: Int?, pass: Int)?
  /// What to do again after a restart or homing.
  var interrupted: Phase?
  var lastPrompt = 0
  var actions: [Action] = []

  /// A machine before anything is known of the rig. Perform `.initialize` and report.
  package init(rules: Rules = Rules()) { self.rules = rules }

  /// What the world sees.
  package var state: ScanState {
    switch phase {
    case .initializing: .initializing
    case .idle(let state): state
    case .preparing, .clearing, .photographingPlates, .placing, .looking: .detecting
    case .restartingCamera, .rehoming: interrupted.map { $0.isDetecting ? .detecting : .capturing } ?? .capturing
    case .approaching, .awaitingStore, .shooting, .waking, .endingPass, .advising, .asking: .capturing
    case .paused, .shootingByHand: .paused
    case .parking(.cancelled): .cancelling
    case .parking: .finishing
    }
  }

  /// How long the present phase may take, in real time; nil for ever.
  package var deadline: Duration? {
    switch phase {
    case .idle: nil
    case .clearing, .placing, .asking: rules.promptTimeout
    case .paused: rules.pauseTimeout
    default: rules.stepTimeout
    }
  }

  /// The session that runs or has just ended.
  package var session: String? { course?.session }
  /// The pass, 0 outside a scan.
  package var pass: Int { course.map { $0.hasPassBegun ? $0.pass.index : max(1, $0.pass.index) } ?? 0 }
  /// Passes planned.
  package var passes: Int { course?.plan.passes ?? 0 }
  /// Whether it pauses after the shot in flight.
  package var isPauseWanted: Bool { course?.pauseWanted ?? false }
  /// Shots kept.
  package var shots: Int { course?.shots ?? 0 }
  /// Pairs that are planned and not taken yet.
  package var pairsLeft: Int64 {
    guard let course, course.hasPassBegun else { return Int64((course?.plan.stops ?? 0) * passes) }
    return Int64(course.viewpointsLeft.count + course.plan.stops * max(0, passes - pass))
  }
  /// Whether there is anything that a session could be made of: a pair that is kept, or on its way to the disk.
  var hasTaken: Bool { shots > 0 || storing != nil }

  /// Takes one event; returns what is to be done, in order.
  package mutating func handle(_ event: Event) -> [Action] {
    actions = []
    switch event {
    case .start, .resume, .pause, .unpause, .cancel, .finish, .shot, .halt, .suspend, .answer, .lookAgain:
      command(event)
    case .stored(let shot): stored(shot)
    case .storeFailed(let fault): storeFailed(fault)
    case .lost(let loss): lost(loss)
    case .unclosed(let why): unclosed(why)
    case .failed(let fault): failed(fault)
    case .timedOut(let epoch): if epoch == self.epoch { timedOut() }
    default: result(event)
    }
    return actions
  }
}

extension ScanMachine.Phase {
  /// Whether it belongs to finding the object.
  var isDetecting: Bool {
    switch self {
    case .preparing, .clearing, .photographingPlates, .placing, .looking: true
    default: false
    }
  }
}

/// The small steps that everything is made of.
extension ScanMachine {
  mutating func act(_ action: Action) { actions.append(action) }
  mutating func publish(_ event: ScanEvent) { actions.append(.publish(event)) }
  mutating func refuse(_ kind: ScanRefusal.Kind, _ message: String) { act(.refuse(ScanRefusal(kind, message))) }

  /// Enters a phase and says so where the world sees a change.
  mutating func enter(_ next: Phase, reason: String = "") {
    let before = state
    phase = next
    epoch += 1
    self.reason = reason
    if state != before { publish(.state(from: before, to: state, pass: pass, reason: reason)) }
  }

  /// Enters a phase and begins its work.
  mutating func work(_ next: Phase, _ action: Action) {
    enter(next)
    act(action)
  }

  mutating func setFeedback(_ new: Set<ScanFeedback>) {
    if new == feedback { return }
    feedback = new
    publish(.feedback(new.sorted()))
  }

  /// Replaces what is known of the given kinds and leaves the rest.
  mutating func updateFeedback(_ new: Set<ScanFeedback>, of kinds: Set<ScanFeedback>) {
    setFeedback(feedback.subtracting(kinds).union(new))
  }

  mutating func ask(
    _ phase: Phase, _ kind: ScanPrompt.Kind, advice: ScanChoice, reason: String, options: [ScanChoice]
  ) {
    lastPrompt += 1
    let prompt = ScanPrompt(
      id: lastPrompt, kind: kind, advice: advice, reason: reason, options: options, timeout: rules.promptTimeout)
    self.prompt = prompt
    enter(phase)
    let patterns: [ScanPrompt.Kind: SignalPattern] = [.clear: .clear, .place: .place, .flip: .flip, .height: .height]
    // first the prompt, then the signal: whoever obeys the signal may answer at once
    publish(.prompt(prompt))
    act(.signal(patterns[kind] ?? .warning))
  }

  mutating func closePrompt(_ choice: ScanChoice?, byTimeout: Bool = false) {
    guard let open = prompt else { return }
    prompt = nil
    publish(.promptClosed(id: open.id, choice: choice, byTimeout: byTimeout))
    if choice != nil { act(.signal(.busy)) }
  }

  /// Stops whatever goes on and parks.
  mutating func park(_ outcome: ScanOutcome) {
    closePrompt(nil)
    act(.abandon)
    var why = ""
    switch outcome {
    case .failed(let reason), .suspended(let reason): why = reason
    case .completed, .cancelled: break
    }
    enter(.parking(outcome), reason: why)
    act(.park)
  }

  /// Stops between two shots. At rest everything is parked, lamps and motors are off: a person has to see to something.
  mutating func pause(_ reason: String, resting: Bool) {
    // a prompt that waited for an answer is asked again afterwards
    closePrompt(nil)
    course?.pauseWanted = false
    enter(.paused(resting: resting), reason: reason)
    if resting { act(.rest) }
    act(.signal(.warning))
  }
}
