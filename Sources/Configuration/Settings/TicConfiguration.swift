/// Where an axis on a Tic gets its origin from.
public enum TicHome: String, Sendable, Hashable, CaseIterable {
  /// Where it stands at the start.
  case here
  /// From the limit switch towards falling positions.
  case reverseLimit = "reverse-limit"
  /// From the limit switch towards rising positions.
  case forwardLimit = "forward-limit"
}

/// A stepper behind a Pololu Tic: a table of its axis, e.g. `[turntable.tic]`.
public struct TicConfiguration: Sendable, Hashable {
  /// The I²C bus, e.g. `i2c-1`; empty while it is not said.
  public var bus = ""
  /// The Tic's address.
  public var address = 0x0E
  /// Microsteps for a whole turn of the axis; negative where it turns the other way.
  public var stepsPerTurn = 3200.0
  /// Where the origin is.
  public var home = TicHome.here

  /// A Tic on no bus yet.
  public init() {}
}

extension TicConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value("bus", \.bus, .text(allowEmpty: true, limit: 64), "The Tic's I²C bus, e.g. \"i2c-1\"; needed."),
      .value("address", \.address, .i2cAddress, "The Tic's address."),
      .value(
        "steps_per_turn", \.stepsPerTurn, .number(-10_000_000...10_000_000, unit: "steps"),
        "Microsteps for a whole turn of the axis, as the Tic is set; negative where it turns the other way."),
      .value(
        "home", \.home, .choice,
        "Where the origin is: \"here\", where it stands at the start, or at a limit switch that the Tic knows.")
    ]
  }
}
