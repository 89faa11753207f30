#if canImport(Glibc)
  import Glibc
#endif

/// Decides, step by step, how long a motor waits before its next step and which way that goes: constant acceleration up to
/// a speed, and braking in time. Goals may change at any time, also on the way.
///
/// Between two steps, which are one unit of way apart, v₂² = v₁² ± 2a and the time is 2 / (v₁ + v₂): uniformly accelerated
/// motion, without an error that grows (cf. D. Austin, "Generate stepper-motor speed profiles in real time", 2005, who
/// approximates the same). Speeds are in steps per second.
package struct StepPlanner {
  /// Where it shall go.
  package enum Goal: Hashable {
    /// To a place and stop there, at most at a speed.
    case place(Int, speed: Double)
    /// On and on; the sign is the direction, 0 stops.
    case velocity(Double)
  }

  /// A step that is due.
  package struct Step: Hashable {
    /// Seconds after the step before, or after the beginning.
    package var interval: Double
    /// +1 or −1.
    package var direction: Int
    /// The speed then, without a sign.
    package var speed: Double
  }

  /// Steps per second squared.
  package let acceleration: Double
  /// What is wanted.
  package var goal = Goal.velocity(0)
  /// Where it is, in steps from the origin.
  package private(set) var position = 0
  /// How fast, with the sign of the direction.
  package private(set) var velocity = 0.0

  /// At rest at the origin.
  package init(acceleration: Double) { self.acceleration = acceleration }

  /// The next step; nil where it is, or may be, at rest and nothing more is wanted.
  package func next() -> Step? {
    let speed = velocity.magnitude
    // slow enough to stand still at once
    let canStop = speed * speed <= 2 * acceleration * (1 + 1e-9)
    let wanted = wantedDirection
    if canStop, wanted == 0 { return nil }
    let direction = speed == 0 || canStop ? wanted : (velocity < 0 ? -1 : 1)
    let before = direction == (velocity < 0 ? -1 : 1) ? speed : 0
    let slowest = canStop ? 0 : (before * before - 2 * acceleration).squareRoot()
    let fastest = (before * before + 2 * acceleration).squareRoot()
    let after = max(slowest, min(fastest, limit(direction)))
    return Step(interval: interval(before, after), direction: direction, speed: after)
  }

  /// The step was made. `stood` where it came so late that the motor has stopped meanwhile: it has to be accelerated again.
  package mutating func make(_ step: Step, stood: Bool = false) {
    position += step.direction
    velocity = stood ? 0 : step.speed * Double(step.direction)
  }

  /// It stands still.
  package mutating func rest() { velocity = 0 }

  /// Counts anew: the place `from` is `to` now. Only at rest.
  package mutating func renumber(_ from: Int, as to: Int) { position += to - from }

  /// Which way the goal is; 0 where it is here.
  private var wantedDirection: Int {
    switch goal {
    case .place(let place, _): (place - position).signum()
    case .velocity(let velocity): velocity == 0 ? 0 : velocity < 0 ? -1 : 1
    }
  }

  /// The highest speed at the end of a step in that direction from which the goal can still be met.
  private func limit(_ direction: Int) -> Double {
    switch goal {
    case .place(let place, let speed):
      let ahead = (place - position) * direction
      return ahead <= 0 ? 0 : min(speed, (2 * acceleration * Double(ahead - 1)).squareRoot())
    case .velocity(let velocity): return velocity * Double(direction) > 0 ? velocity.magnitude : 0
    }
  }

  private func interval(_ before: Double, _ after: Double) -> Double {
    let fastest = max(before, after)
    // one step from rest to rest: half of it accelerated, half braked
    guard fastest > 0 else { return 2 / acceleration.squareRoot() }
    // from rest to a speed lower than a whole step's ramp would reach, that speed is soon reached
    return min(2 / (before + after), max(1 / fastest, (2 / acceleration).squareRoot()))
  }
}
