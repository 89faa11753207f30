import Imaging
import Rig

/// How one axis of the world moves.
public struct AxisSettings: Sendable, Hashable {
  /// Positions, top speed and acceleration.
  public var limits: AxisLimits
  /// How far the drive turns after a change of direction before the axis follows.
  public var backlash: Angle
  /// The largest periodic error of the gear (once a turn of the drive).
  public var periodicError: Angle
  /// The amplitude of the vibration right after a move from top speed.
  public var vibration: Angle
  /// The time in which the vibration falls to 1/e.
  public var vibrationDecay: Duration

  /// An axis.
  public init(
    limits: AxisLimits, backlash: Angle, periodicError: Angle, vibration: Angle,
    vibrationDecay: Duration = .milliseconds(90)
  ) {
    self.limits = limits
    self.backlash = backlash
    self.periodicError = periodicError
    self.vibration = vibration
    self.vibrationDecay = vibrationDecay
  }

  /// A geared turntable without end.
  public static let turntable = AxisSettings(
    limits: AxisLimits(range: nil, topSpeed: .degrees(45), acceleration: .degrees(90)), backlash: .degrees(0.15),
    periodicError: .degrees(0.04), vibration: .degrees(0.25))
  /// The head's pan axis.
  public static let pan = AxisSettings(
    limits: AxisLimits(
      range: Angle.degrees(-90)...Angle.degrees(90), topSpeed: .degrees(60), acceleration: .degrees(120)),
    backlash: .degrees(0.1), periodicError: .degrees(0.02), vibration: .degrees(0.1))
  /// The head's tilt axis.
  public static let tilt = AxisSettings(
    limits: AxisLimits(
      range: Angle.degrees(-40)...Angle.degrees(40), topSpeed: .degrees(60), acceleration: .degrees(120)),
    backlash: .degrees(0.1), periodicError: .degrees(0.02), vibration: .degrees(0.1))
}
