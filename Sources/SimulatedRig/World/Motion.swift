import Imaging
import Rig

#if canImport(Glibc)
  import Glibc
#endif

/// A monotone stretch of a drive's motion: up to three phases of constant acceleration, then constant velocity.
struct Motion: Sendable {
  /// When it begins, and where the drive then is (radians).
  let start: Duration, from: Double
  /// Where the axis is when it begins: backlash keeps it from following at once.
  let axisFrom: Double
  /// The fastest it gets, radians per second.
  let peakSpeed: Double
  /// Whether it ends at rest.
  let comesToRest: Bool
  private let phases: [Phase]

  private struct Phase {
    var seconds: Double, position: Double, velocity: Double, acceleration: Double
  }

  private init(
    start: Duration, from: Double, axisFrom: Double, velocity: Double, steps: [(seconds: Double, acceleration: Double)]
  ) {
    self.start = start
    self.from = from
    self.axisFrom = axisFrom
    var phases: [Phase] = []
    var x = from
    var v = velocity
    var peak = v.magnitude
    for step in steps where step.seconds > 0 {
      phases.append(Phase(seconds: step.seconds, position: x, velocity: v, acceleration: step.acceleration))
      x += v * step.seconds + step.acceleration * step.seconds * step.seconds / 2
      v += step.acceleration * step.seconds
      peak = max(peak, v.magnitude)
    }
    if v.magnitude < 1e-9 { v = 0 }
    phases.append(Phase(seconds: .infinity, position: x, velocity: v, acceleration: 0))
    self.phases = phases
    peakSpeed = peak
    comesToRest = v == 0
  }

  /// At rest.
  static func rest(at position: Double, axis: Double, since start: Duration) -> Motion {
    Motion(start: start, from: position, axisFrom: axis, velocity: 0, steps: [])
  }

  /// From rest to rest: a trapezoid, or a triangle where the way is too short for the top speed.
  static func move(
    from: Double, axis: Double, to target: Double, speed: Double, acceleration a: Double, at start: Duration
  ) -> Motion {
    let way = target - from
    let sign = way < 0 ? -1.0 : 1.0
    let v = min(speed, (way.magnitude * a).squareRoot())
    let ramp = v / a
    let cruise = v > 0 ? max(0, (way.magnitude - v * ramp) / v) : 0
    return Motion(
      start: start, from: from, axisFrom: axis, velocity: 0, steps: [(ramp, sign * a), (cruise, 0), (ramp, -sign * a)])
  }

  /// From the velocity it has to another of the same direction (or from or to rest), then on.
  static func change(
    from: Double, axis: Double, velocity: Double, to newVelocity: Double, acceleration a: Double, at start: Duration
  ) -> Motion {
    let change = newVelocity - velocity
    return Motion(
      start: start, from: from, axisFrom: axis, velocity: velocity,
      steps: [(change.magnitude / a, change < 0 ? -a : a)])
  }

  /// How long until the velocity no longer changes.
  var duration: Duration { .seconds(phases.dropLast().reduce(0) { $0 + $1.seconds }) }

  /// When the velocity no longer changes.
  var end: Duration { start + duration }

  /// Where the drive is and how fast it moves.
  func drive(at time: Duration) -> (position: Double, velocity: Double) {
    var t = max(0, (time - start).inSeconds)
    for phase in phases {
      if t <= phase.seconds {
        return (
          phase.position + phase.velocity * t + phase.acceleration * t * t / 2, phase.velocity + phase.acceleration * t
        )
      }
      t -= phase.seconds
    }
    return (from, 0)
  }

  /// Where the axis is: it lags behind the drive within the backlash (the play operator, exact because the motion is
  /// monotone).
  func axis(at time: Duration, backlash: Double) -> Double {
    let x = drive(at: time).position
    return min(max(axisFrom, x - backlash / 2), x + backlash / 2)
  }
}

extension Duration {
  /// As a number of seconds.
  var inSeconds: Double {
    let c = components
    return Double(c.seconds) + Double(c.attoseconds) * 1e-18
  }
}
