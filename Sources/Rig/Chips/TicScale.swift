import Imaging

/// An axis's angles in a Tic's units.
struct TicScale: Sendable, Hashable {
  private let microstepsPerDegree: Double

  /// Nil where the limits are beyond what a Tic can do: a speed of 500 000 000 microsteps per 10 000 s, an acceleration of
  /// 100 to 2³¹-1 microsteps per second in 100 s.
  init?(microstepsPerDegree: Double, limits: AxisLimits) {
    guard microstepsPerDegree.isFinite, microstepsPerDegree != 0 else { return nil }
    self.microstepsPerDegree = microstepsPerDegree
    let magnitude = microstepsPerDegree.magnitude
    guard (1...500_000_000).contains(limits.topSpeed.degrees * magnitude * 10_000),
      (100..<2_147_483_647).contains(limits.acceleration.degrees * magnitude * 100)
    else { return nil }
  }

  /// Microsteps; nil beyond 32 bits.
  func position(_ angle: Angle) -> Int32? { Int32(exactly: (angle.degrees * microstepsPerDegree).rounded()) }

  /// The angle of so many microsteps.
  func angle(_ position: Int32) -> Angle { .degrees(Double(position) / microstepsPerDegree) }

  /// Microsteps per 10 000 s, signed; within the limits that were checked.
  func velocity(_ velocity: Angle) -> Int32 { Int32((velocity.degrees * microstepsPerDegree * 10_000).rounded()) }

  /// Microsteps per 10 000 s.
  func speed(_ speed: Angle) -> Int32 {
    max(1, Int32((speed.degrees * microstepsPerDegree.magnitude * 10_000).rounded()))
  }

  /// Microsteps per second in 100 s.
  func acceleration(_ acceleration: Angle) -> Int32 {
    Int32((acceleration.degrees * microstepsPerDegree.magnitude * 100).rounded())
  }

  /// How long a move may take: half as long again as it should, and two seconds.
  func patience(from: Int32, to: Int32, speed: Angle, limits: AxisLimits) -> Duration {
    let profile = TrapezoidProfile(
      from: angle(from).radians, to: angle(to).radians, topSpeed: speed.radians,
      acceleration: limits.acceleration.radians)
    return .seconds(profile.duration * 1.5 + 2)
  }
}
