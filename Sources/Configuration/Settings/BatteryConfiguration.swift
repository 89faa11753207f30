/// Drivers of battery gauges in this build.
public enum GaugeDriver: String, Sendable, Hashable, CaseIterable {
  /// A battery in a simulated world.
  case simulated
  /// A supply that a driver of the kernel reads.
  case powerSupply = "power_supply"
}

/// A battery and its gauge.
public struct BatteryConfiguration: Sendable, Hashable {
  /// Its name.
  public var name = ""
  /// What reads its gauge.
  public var driver = GaugeDriver.simulated
  /// The I²C bus and the gauge's address on it; nil where it hangs on no bus.
  public var bus = "simulated", address: Int?
  /// What the kernel calls it, where a driver of the kernel reads it.
  public var supply: String?
  /// In a simulated world: the level at the beginning, 0…1.
  public var level = 0.9
  /// In a simulated world: the share of a full charge lost in an hour.
  public var dischargePerHour = 0.2
  /// In a simulated world: whether it hangs on mains and fills.
  public var charging = false

  /// A battery without a name.
  public init() {}
  /// A battery on the simulated bus.
  public init(name: String, address: Int) {
    self.name = name
    self.address = address
  }

  /// One battery.
  public static let standard = [BatteryConfiguration(name: "main", address: 0x36)]
}

extension BatteryConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value("name", \.name, .text(limit: 32), "Its name; needed, and no two may have the same."),
      .value("driver", \.driver, .driver, "What reads its gauge."),
      .value("bus", \.bus, .text(limit: 64), "The I²C bus the gauge is on."),
      .optional("address", \.address, .i2cAddress, "The gauge's address; no two devices of a bus may share one."),
      .optional(
        "supply", \.supply, .text(limit: 64),
        "Kernel: its name in /sys/class/power_supply, e.g. \"BAT0\"; needed there."),
      .value("level", \.level, .number(0...1), "Simulated: the level at the beginning, 1 = full."),
      .value(
        "discharge_per_hour", \.dischargePerHour, .number(0...100, unit: "full charges/h"),
        "Simulated: the share of a full charge lost in an hour."),
      .value("charging", \.charging, .flag, "Simulated: whether it hangs on mains and fills instead.")
    ]
  }
}
