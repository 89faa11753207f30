import CLinux
import Rig
import Synchronization

/// Makes the steps of one motor, each at its time. `run` blocks on a thread of its own; everything else may be called from
/// anywhere, also meanwhile.
package final class StepTrain: Sendable {
  /// What the driver's data sheet asks for. The defaults are enough for all of A4988 (1 µs, 200 ns), DRV8825 (1.9 µs,
  /// 650 ns) and TMC2209 (100 ns, 20 ns), whose minima they exceed.
  package struct Timing: Sendable, Hashable {
    /// How long the step line is high, and at least low, nanoseconds.
    package var pulse: Int64 = 5_000
    /// From a change of direction to the next step, nanoseconds.
    package var directionSetUp: Int64 = 5_000
    /// A step that is later than this finds the motor standing still, nanoseconds.
    package var standstill: Int64 = 20_000_000

    /// The defaults.
    package init() {}
  }

  /// How a run ended.
  package enum End: Sendable, Hashable {
    /// Its goal is reached, or it was stopped.
    case rest
    /// The home switch said what was waited for, when the motor was at this place.
    case switched(at: Int)
    /// A line could not be driven.
    case failed(DeviceError)
  }

  private let pins: any StepperPins
  private let timer: any StepTimer
  private let timing: Timing
  private let state: Mutex<State>
  /// Goals that change are noticed so soon, however slow the motor turns.
  private static let attention: Int64 = 20_000_000

  private struct State {
    var planner: StepPlanner
    /// Counts what the thread does while it runs; nil while none runs.
    var round: UInt64?
    var waiting: [CheckedContinuation<Void, Never>] = []

    /// Whoever waits for a constant speed, once it is reached.
    mutating func steady() -> [CheckedContinuation<Void, Never>] {
      guard case .velocity(let wanted) = planner.goal, planner.velocity == wanted else { return [] }
      defer { waiting = [] }
      return waiting
    }
  }

  package init(pins: any StepperPins, timer: any StepTimer, timing: Timing, acceleration: Double) {
    self.pins = pins
    self.timer = timer
    self.timing = timing
    state = Mutex(State(planner: StepPlanner(acceleration: acceleration)))
  }

  /// Where the motor is, in steps.
  package var position: Int { state.withLock { $0.planner.position } }
  /// How fast, in steps per second.
  package var velocity: Double { state.withLock { $0.planner.velocity } }
  /// What is wanted, from now on.
  package var goal: StepPlanner.Goal {
    get { state.withLock { $0.planner.goal } }
    set { state.withLock { $0.planner.goal = newValue } }
  }

  /// A number that goes on as long as a run does, however slow the motor turns; nil where none is under way.
  package var round: UInt64? { state.withLock { $0.round } }

  /// Ramps down.
  package func stop() { goal = .velocity(0) }

  /// Counts anew: the place `from` is `to` now. Only between runs.
  package func renumber(_ from: Int, as to: Int) { state.withLock { $0.planner.renumber(from, as: to) } }

  /// Waits until it turns as fast as the goal says, or no longer.
  package func reachVelocity() async {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state in
        state.waiting.append(continuation)
        return state.steady()
      }
      for waiting in ready { waiting.resume() }
    }
  }

  /// Steps until the goal is reached, or until the home switch is closed or open, as `isHome` says. Blocks for as long as
  /// that takes. Steps that are overdue are never sent in a burst: the rest of the profile comes later instead.
  package func run(untilHomeIs wanted: Bool? = nil) -> End {
    defer {
      let waiting = state.withLock { state in
        state.planner.rest()
        state.round = nil
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume() }
    }
    state.withLock { $0.round = 0 }
    var last = timer.now
    var direction = 0
    var found: Int?
    do throws(DeviceError) {
      while let step = state.withLock({ state -> StepPlanner.Step? in
        state.round? += 1
        return state.planner.next()
      }) {
        let due = last + Int64(step.interval * 1e9)
        guard due - timer.now <= Self.attention else {
          timer.sleep(until: timer.now + Self.attention)
          continue
        }
        if step.direction != direction {
          try pins.setDirection(isForward: step.direction > 0)
          direction = step.direction
          timer.sleep(until: max(due, timer.now + timing.directionSetUp))
        } else {
          timer.sleep(until: due)
        }
        last = try pulse(step, due: due)
        if let wanted, found == nil, try pins.isHome() == wanted {
          found = position
          stop()
        }
      }
      return found.map { .switched(at: $0) } ?? .rest
    } catch {
      return .failed(error)
    }
  }

  /// Makes a step; returns the moment that the next is counted from.
  private func pulse(_ step: StepPlanner.Step, due: Int64) throws(DeviceError) -> Int64 {
    try pins.setStep(true)
    // afterwards: whatever held us up, the line has risen by now, so the next step is no closer than it may be
    let risen = timer.now
    timer.sleep(until: risen + timing.pulse)
    try pins.setStep(false)
    let late = risen - due
    let ready = state.withLock { state in
      state.planner.make(step, stood: late > timing.standstill)
      return state.steady()
    }
    for waiting in ready { waiting.resume() }
    // a little lateness is made up for by the sleep before the next step; more of it would bring steps too close together
    return late > Int64(step.interval * 1e8) ? risen : due
  }
}

/// The board's own time.
package struct BoardTimer: StepTimer {
  package init() {}
  package var now: Int64 { linux_now() }
  package func sleep(until moment: Int64) { linux_sleep_until(moment) }
}
