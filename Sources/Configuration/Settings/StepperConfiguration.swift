import Imaging
import Rig

/// A step/dir driver and its motor: a table of its axis, e.g. `[turntable.stepper]`.
public struct StepperConfiguration: Sendable, Hashable {
  /// The label of the GPIO chip that all its lines are on; empty while it is not said.
  public var chip = ""
  /// The lines on it. Without an enable line the motor always has current; without a home line the axis takes the place
  /// where it stands for its origin.
  public var step: Int?, direction: Int?, enable: Int?, home: Int?
  /// Steps of the driver for a whole turn of the axis.
  public var stepsPerTurn = 3200.0
  /// Whether the motor has current while the enable line is low.
  public var isEnableActiveLow = true
  /// Whether rising angles are the other direction.
  public var isReversed = false
  /// Whether the home switch is closed while its line is low, and what holds that line open.
  public var isHomeActiveLow = true, homeBias = LineBias.pullUp
  /// The axis's angle where the home switch closes, and how fast it is looked for, per second.
  public var homeAngle = Angle.zero, homeSpeed = Angle.degrees(9)
  /// Whether the switch lies towards rising angles.
  public var homesUpwards = false
  /// How long a pulse is, microseconds.
  public var pulseMicroseconds = 5.0
  /// How long the motor holds its place after a move.
  public var holdsFor = Duration.seconds(60)

  /// A driver without lines.
  public init() {}
}

extension StepperConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value(
        "chip", \.chip, .text(allowEmpty: true, limit: 64), "The label of the GPIO chip that its lines are on; needed."),
      .optional("step_line", \.step, .whole(0...511), "The line that makes a step when it rises; needed."),
      .optional("direction_line", \.direction, .whole(0...511), "The line that says which way; needed."),
      .optional(
        "enable_line", \.enable, .whole(0...511),
        "The line that lets current through the motor; not set: it always has current."),
      .optional(
        "home_line", \.home, .whole(0...511),
        "The home switch's line; not set: where the axis stands at the start is its origin."),
      .value(
        "steps_per_turn", \.stepsPerTurn, .number(1...10_000_000, unit: "steps"),
        "Steps for a whole turn of the axis: those of the motor × microsteps × gear."),
      .value("enable_active_low", \.isEnableActiveLow, .flag, "Whether a low enable line lets current through."),
      .value("reversed", \.isReversed, .flag, "Whether it turns the other way."),
      .value("home_active_low", \.isHomeActiveLow, .flag, "Whether the home switch pulls its line low when it closes."),
      .value("home_bias", \.homeBias, .choice, "What holds the home switch's line while it is open."),
      .value("home_deg", \.homeAngle, .degrees(-360...360), "The angle at which the home switch closes."),
      .value(
        "home_speed_deg_s", \.homeSpeed, .degrees(0.1...360, unit: "°/s"),
        "How fast the switch is looked for; it is found again at a tenth of that."),
      .value("homes_upwards", \.homesUpwards, .flag, "Whether the switch lies towards rising angles."),
      .value(
        "pulse_us", \.pulseMicroseconds, .number(1...1000, unit: "µs"),
        "How long a pulse is: at least what the driver's data sheet asks for."),
      .value(
        "hold_s", \.holdsFor, .seconds(0...86_400),
        "How long the motor keeps its current after a move; one that holds for hours gets hot.")
    ]
  }
}
