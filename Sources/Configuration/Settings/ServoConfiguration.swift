/// A servo on a channel of a PCA9685: a table of its axis, e.g. `[tilt.servo]`.
public struct ServoConfiguration: Sendable, Hashable {
  /// The I²C bus, e.g. `i2c-1`; empty while it is not said.
  public var bus = ""
  /// The chip's address.
  public var address = 0x40
  /// The channel, 0…15.
  public var channel: Int?
  /// The pulse at 0°, and how much longer it is for each degree, microseconds.
  public var zeroPulse = 1500.0, pulsePerDegree = 11.111

  /// The usual servo, on no channel yet.
  public init() {}
}

extension ServoConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value("bus", \.bus, .text(allowEmpty: true, limit: 64), "The PCA9685's I²C bus, e.g. \"i2c-1\"; needed."),
      .value("address", \.address, .i2cAddress, "The PCA9685's address."),
      .optional("channel", \.channel, .whole(0...15), "The channel; needed."),
      .value("zero_us", \.zeroPulse, .number(200...4000, unit: "µs"), "The pulse at 0°."),
      .value(
        "us_per_deg", \.pulsePerDegree, .number(-100...100, unit: "µs/°"),
        "How much longer it is for a degree; negative where the servo turns the other way.")
    ]
  }
}
