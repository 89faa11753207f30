/// The fuel gauge BQ27441-G1 for one lithium cell (technical reference: Texas Instruments SLUUAC9A). Registers are two
/// bytes, the least significant first.
///
/// The first read checks that the right chip answers. Whenever the chip says that it has lost its memory (ITPOR), it is
/// told the battery's design capacity before its level is believed.
public actor BQ27441: PowerSupply {
  private enum Register {
    static let voltage: UInt8 = 0x04  // mV; the flags follow at 0x06
    static let averageCurrent: UInt8 = 0x10  // signed mA, positive while charging
    static let stateOfCharge: UInt8 = 0x1C  // %
  }

  /// The battery as the configuration names it.
  public nonisolated let name: String
  /// `bq27441`.
  public nonisolated let source = "bq27441"
  private let chip: AddressedChip
  private let memory: BQ27441Memory
  private let designCapacity: UInt16?
  private let deadBand: Double
  private let identity = Preparation()
  private let setUp = Preparation()

  /// A gauge. Nothing is sent before the first read. `designCapacity` is the battery's, in mAh; nil leaves the chip its own.
  /// Charging counts from `deadBand` amperes on. The clock is for the pauses that setting the capacity needs.
  public init(
    name: String, bus: any I2CBus, clock: any RigClock, address: UInt8 = 0x55, designCapacity: UInt16? = nil,
    deadBand: Double = 0.02
  ) {
    self.name = name
    self.designCapacity = designCapacity
    self.deadBand = deadBand
    chip = AddressedChip(device: name, model: "BQ27441", bus: bus, address: address)
    memory = BQ27441Memory(chip: chip, clock: clock)
  }

  /// A raw reading; the level is unknown while the chip sees no battery. Takes up to about two seconds where the design
  /// capacity has to be set. Throws `.absent` where no chip answers, `.faulty` where it is another chip or does not take
  /// the capacity, `.timedOut` where it does not change its mode.
  public func read() async throws(DeviceError) -> PowerReading {
    let operation = "read the charge"
    let memory = memory
    try await identity.run { () async throws(DeviceError) in try await memory.identify() }
    var bytes = try await chip.read(Register.voltage, count: 4, during: operation)
    if let designCapacity, isLost(BQ27441Flags(bytes)) {
      try await setUp.run { () async throws(DeviceError) in try await memory.set(designCapacity: designCapacity) }
      await setUp.forget()
      bytes = try await chip.read(Register.voltage, count: 4, during: operation)
    }
    let current = littleEndian(try await chip.read(Register.averageCurrent, count: 2, during: operation)[...])
    let charge = littleEndian(try await chip.read(Register.stateOfCharge, count: 2, during: operation)[...])
    let flags = BQ27441Flags(bytes)
    let millivolts = littleEndian(bytes[0...1])
    let isKnown = flags.contains(.batteryDetected) && flags != .nobodyDrivesTheBus
    return PowerReading(
      level: isKnown && charge != .max ? Double(charge) / 100 : nil,
      state: isKnown ? state(flags, Int16(bitPattern: current)) : .unknown,
      volts: millivolts == .max ? nil : Double(millivolts) / 1000)
  }

  private func isLost(_ flags: BQ27441Flags) -> Bool {
    flags.contains(.powerOnReset) && flags != .nobodyDrivesTheBus
  }

  /// The full bit stays set until the level has fallen a little, so a battery that is used is not full whatever it says.
  private func state(_ flags: BQ27441Flags, _ milliamperes: Int16) -> PowerReading.State {
    if flags.contains(.discharging) { return .discharging }
    if flags.contains(.full) { return .full }
    return Double(milliamperes) / 1000 > deadBand ? .charging : .unknown
  }
}

/// The register Flags(), 0x06.
struct BQ27441Flags: OptionSet, Sendable {
  let rawValue: UInt16
  init(rawValue: UInt16) { self.rawValue = rawValue }
  /// From a reading that begins at the voltage, 0x04.
  init(_ bytes: [UInt8]) { rawValue = littleEndian(bytes[2...3]) }

  /// DSG: charge flows out.
  static let discharging = BQ27441Flags(rawValue: 1 << 0)
  /// BAT_DET: there is a battery.
  static let batteryDetected = BQ27441Flags(rawValue: 1 << 3)
  /// CFGUPMODE: the data memory may be written.
  static let configUpdate = BQ27441Flags(rawValue: 1 << 4)
  /// ITPOR: the chip lost its memory.
  static let powerOnReset = BQ27441Flags(rawValue: 1 << 5)
  /// FC: full.
  static let full = BQ27441Flags(rawValue: 1 << 9)
  /// All bits, reserved ones too.
  static let nobodyDrivesTheBus = BQ27441Flags(rawValue: .max)
}
