/// Drivers of battery gauges in this build.
public enum GaugeDriver: String, Sendable, Hashable, CaseIterable {
  /// A battery in a simulated world.
  case simulated
  /// A supply that a driver of the kernel reads.
  case powerSupply = "power_supply"
  /// A fuel gauge MAX17043.
  case max17043
  /// A fuel gauge MAX17048 or MAX17049.
  case max17048
  /// A current and voltage monitor INA219.
  case ina219
  /// A fuel gauge BQ27441.
  case bq27441
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
  /// INA219: the shunt in ohms, the sign of its current, and cells in series.
  public var shunt = 0.1, currentSign = 1, cells = 1
  /// BQ27441: the battery's design capacity in mAh.
  public var designCapacity: Int?
  /// In a simulated world: the level at the beginning, 0…1.
  public var level = 0.9
  /// In a simulated world: the share of a full charge lost in an hour.
  public var dischargePerHour = 0.2
  /// In a simulated world: whether it hangs on mains and fills.
  public var charging = false

  /// Where its gauge answers: what the configuration says, else what such chips come with; nil where it is on no bus.
  public var i2cAddress: Int? {
    switch driver {
    case .max17043, .max17048: address ?? 0x36
    case .ina219: address ?? 0x40
    case .bq27441: address ?? 0x55
    case .simulated: address
    case .powerSupply: nil
    }
  }

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
      .value("shunt_ohm", \.shunt, .number(0.0001...10, unit: "Ω"), "INA219: its shunt."),
      .value(
        "current_sign", \.currentSign, .whole(oneOf: [-1, 1]),
        "INA219: 1 where a positive current charges the battery, -1 where the shunt is turned round."),
      .value("cells", \.cells, .whole(1...16), "INA219: Li-ion cells in series; the level follows from the voltage."),
      .optional(
        "capacity_mah", \.designCapacity, .whole(1...32_767, unit: "mAh"),
        "BQ27441: the battery's design capacity; not set: as the chip has it."),
      .value("level", \.level, .number(0...1), "Simulated: the level at the beginning, 1 = full."),
      .value(
        "discharge_per_hour", \.dischargePerHour, .number(0...100, unit: "full charges/h"),
        "Simulated: the share of a full charge lost in an hour."),
      .value("charging", \.charging, .flag, "Simulated: whether it hangs on mains and fills instead.")
    ]
  }
}
