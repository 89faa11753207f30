/// A motion that ends at rest: velocity rises at a constant acceleration, stays at the top speed, and falls again; a
/// triangle where the way is too short for the top speed. It may begin moving: too fast, or even the wrong way, in which
/// case it first brakes, overshoots as far as the acceleration makes it, and comes back.
///
/// A plain value without a clock. Positions are in any one unit, e.g. degrees or motor steps; speeds are that unit per
/// second, accelerations per second squared, times in seconds from the beginning.
public struct TrapezoidProfile: Sendable, Hashable {
  /// Where it begins.
  public let start: Double
  /// Where it comes to rest.
  public let end: Double
  /// How fast it begins, signed.
  public let initialVelocity: Double
  /// How long it takes, in seconds.
  public let duration: Double
  private let phases: [Phase]

  /// A stretch of constant acceleration.
  fileprivate struct Phase: Sendable, Hashable {
    var begins: Double, seconds: Double
    var position: Double, velocity: Double, acceleration: Double

    func position(after t: Double) -> Double { position + (velocity + acceleration * t / 2) * t }
    func velocity(after t: Double) -> Double { velocity + acceleration * t }
  }

  /// A motion to `end`, from `start` and whatever velocity it has there. `topSpeed` and `acceleration` must be finite and
  /// above zero, the rest finite.
  public init(from start: Double, velocity: Double = 0, to end: Double, topSpeed: Double, acceleration: Double) {
    precondition(start.isFinite && velocity.isFinite && end.isFinite, "a motion needs finite ends")
    precondition(topSpeed > 0 && topSpeed.isFinite, "a motion needs a top speed")
    precondition(acceleration > 0 && acceleration.isFinite, "a motion needs an acceleration")
    let brakingWay = velocity * velocity.magnitude / (2 * acceleration)
    // seen along the direction that is left once it has braked, so that what remains is to speed up and to brake
    let direction = end < start + brakingWay ? -1.0 : 1.0
    let way = (end - start) * direction
    let initial = velocity * direction
    let reachable = max(0, acceleration * way + initial * initial / 2).squareRoot()
    let peak = min(topSpeed, reachable)
    let change = peak - initial
    let changing = change.magnitude / acceleration
    let changeWay = (peak + initial) / 2 * changing
    let lastWay = peak * peak / (2 * acceleration)
    // rounding may leave a way that is a hair below zero
    let cruising = peak > 0 ? max(0, way - changeWay - lastWay) / peak : 0
    let signedChange = change < 0 ? -acceleration : acceleration
    self.init(
      from: start, velocity: velocity, to: end,
      steps: [
        (changing, direction * signedChange), (cruising, 0), (peak / acceleration, -direction * acceleration)
      ])
  }

  /// The shortest way to rest from a velocity: it ends wherever that takes it. `acceleration` must be finite and above
  /// zero, the rest finite.
  public init(stoppingFrom start: Double, velocity: Double, acceleration: Double) {
    precondition(start.isFinite && velocity.isFinite, "a motion needs a finite beginning")
    precondition(acceleration > 0 && acceleration.isFinite, "a motion needs an acceleration")
    let end = start + velocity * velocity.magnitude / (2 * acceleration)
    let braking = velocity < 0 ? acceleration : -acceleration
    self.init(from: start, velocity: velocity, to: end, steps: [(velocity.magnitude / acceleration, braking)])
  }

  private init(
    from start: Double, velocity: Double, to end: Double, steps: [(seconds: Double, acceleration: Double)]
  ) {
    var phases: [Phase] = []
    var t = 0.0
    var x = start
    var v = velocity
    for step in steps where step.seconds > 0 {
      let phase = Phase(begins: t, seconds: step.seconds, position: x, velocity: v, acceleration: step.acceleration)
      phases.append(phase)
      t += step.seconds
      x = phase.position(after: step.seconds)
      v = phase.velocity(after: step.seconds)
    }
    self.start = start
    self.end = end
    initialVelocity = velocity
    duration = t
    self.phases = phases
  }

  /// Where it is so many seconds after the beginning; exactly `end` from `duration` on.
  public func position(at time: Double) -> Double {
    if time <= 0 { return start }
    guard let phase = phase(at: time) else { return end }
    return phase.position(after: time - phase.begins)
  }

  /// How fast it is, signed; exactly zero from `duration` on.
  public func velocity(at time: Double) -> Double {
    guard let phase = phase(at: max(0, time)) else { return 0 }
    return phase.velocity(after: max(0, time) - phase.begins)
  }

  /// The fastest it gets, without a sign.
  public var peakSpeed: Double {
    phases.reduce(initialVelocity.magnitude) { max($0, $1.velocity.magnitude) }
  }

  /// When it first comes by `position`; nil where it never does. For step pulses: one for each whole position.
  public func time(reaching position: Double) -> Double? {
    if position == start { return 0 }
    for phase in phases {
      if let t = phase.time(reaching: position) { return phase.begins + t }
    }
    // the last phase ends within rounding of the end
    return position == end ? duration : nil
  }

  private func phase(at time: Double) -> Phase? {
    guard time < duration else { return nil }
    return phases.last { $0.begins <= time }
  }
}

extension TrapezoidProfile.Phase {
  /// When, within this phase, `target` is first passed.
  fileprivate func time(reaching target: Double) -> Double? {
    let way = target - position
    let squared = velocity * velocity + 2 * acceleration * way
    guard squared >= 0 else { return nil }
    let root = squared.squareRoot()
    // both roots of a·t²/2 + v·t = way, written so that nothing cancels where v or a is small
    let candidates = [divide(2 * way, velocity + root), divide(2 * way, velocity - root)]
    return candidates.compactMap { $0 }.filter { $0 >= 0 && $0 <= seconds }.min()
  }

  private func divide(_ a: Double, _ b: Double) -> Double? { b == 0 ? nil : a / b }
}
