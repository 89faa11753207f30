import Imaging
import Rig

/// Drivers of axes in this build.
public enum AxisDriver: String, Sendable, Hashable, CaseIterable {
  /// An axis in a simulated world.
  case simulated
  /// A stepper motor on a step/dir driver.
  case stepper
  /// A stepper motor behind a Pololu Tic.
  case tic
  /// A servo on a PCA9685.
  case servo
  /// The rig has no such axis.
  case none
}

/// One motorised axis.
public struct AxisConfiguration: Sendable, Hashable {
  /// What drives it.
  public var driver = AxisDriver.simulated
  /// The top speed, per second.
  public var topSpeed: Angle
  /// The acceleration, per second squared.
  public var acceleration: Angle
  /// The lowest and highest position; nil where it turns without end.
  public var lowest: Angle?, highest: Angle?
  /// How far the drive turns after a change of direction before the axis follows.
  public var backlash: Angle
  /// The gear's periodic error in a simulated world.
  public var periodicError: Angle
  /// The vibration right after a move in a simulated world, and how fast it dies down.
  public var vibration: Angle, vibrationDecay: Duration
  /// Its motor, where the driver is `stepper`.
  public var stepper = StepperConfiguration()
  /// Its Tic, where the driver is `tic`.
  public var tic = TicConfiguration()
  /// Its servo, where the driver is `servo`.
  public var servo = ServoConfiguration()

  /// An axis from its parts.
  public init(
    topSpeed: Angle, acceleration: Angle, lowest: Angle? = nil, highest: Angle? = nil, backlash: Angle,
    periodicError: Angle, vibration: Angle, vibrationDecay: Duration = .milliseconds(90)
  ) {
    self.topSpeed = topSpeed
    self.acceleration = acceleration
    self.lowest = lowest
    self.highest = highest
    self.backlash = backlash
    self.periodicError = periodicError
    self.vibration = vibration
    self.vibrationDecay = vibrationDecay
  }

  /// A turntable.
  public init() { self = .turntable }

  /// A geared turntable without end.
  public static let turntable = AxisConfiguration(
    topSpeed: .degrees(45), acceleration: .degrees(90), backlash: .degrees(0.15), periodicError: .degrees(0.04),
    vibration: .degrees(0.25))
  /// A head's pan axis.
  public static let pan = AxisConfiguration(
    topSpeed: .degrees(60), acceleration: .degrees(120), lowest: .degrees(-90), highest: .degrees(90),
    backlash: .degrees(0.1), periodicError: .degrees(0.02), vibration: .degrees(0.1))
  /// A head's tilt axis.
  public static let tilt = AxisConfiguration(
    topSpeed: .degrees(60), acceleration: .degrees(120), lowest: .degrees(-40), highest: .degrees(40),
    backlash: .degrees(0.1), periodicError: .degrees(0.02), vibration: .degrees(0.1))

  /// What it may be asked for.
  public var limits: AxisLimits {
    let range: ClosedRange<Angle>?
    if let lowest, let highest, lowest < highest { range = lowest...highest } else { range = nil }
    return AxisLimits(range: range, topSpeed: topSpeed, acceleration: acceleration)
  }
}

extension AxisConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value("driver", \.driver, .driver, "What drives the axis; \"none\" where there is no such axis."),
      .value("speed_deg_s", \.topSpeed, .degrees(0.1...720, unit: "°/s"), "The top speed."),
      .value("acceleration_deg_s2", \.acceleration, .degrees(0.1...7200, unit: "°/s²"), "The acceleration."),
      .optional(
        "lowest_deg", \.lowest, .degrees(-3600...3600),
        "The lowest position. Lowest and highest come together; an axis without them turns without end."),
      .optional("highest_deg", \.highest, .degrees(-3600...3600), "The highest position."),
      .value(
        "backlash_deg", \.backlash, .degrees(0...10),
        "How far the drive turns after a change of direction before the axis follows."),
      .value(
        "periodic_error_deg", \.periodicError, .degrees(0...5),
        "Simulated: the gear's error, once a turn of the drive."),
      .value(
        "vibration_deg", \.vibration, .degrees(0...5), "Simulated: the vibration right after a move at top speed."),
      .value(
        "vibration_decay_s", \.vibrationDecay, .seconds(0.001...5), "Simulated: the time in which it falls to 1/e."),
      .table("stepper", \.stepper, "The motor, where the driver is \"stepper\"."),
      .table("tic", \.tic, "The Pololu Tic, where the driver is \"tic\"."),
      .table("servo", \.servo, "The servo, where the driver is \"servo\".")
    ]
  }
}
