/// The current and voltage monitor INA219 as a gauge (data sheet: Texas Instruments SBOS448). Registers are two bytes, the
/// most significant first.
///
/// It measures no charge: the level follows from the voltage by a curve, and is rough (`OpenCircuitCurve`). The chip forgets
/// its calibration when its supply drops, and then says that no current flows; so every read looks, and sets it again.
public actor INA219: PowerSupply {
  /// How the chip is built in.
  public struct Wiring: Sendable, Hashable {
    /// The shunt in ohms.
    public var shunt = 0.1
    /// What one step of the current register is to be, in amperes.
    public var currentStep = 100e-6
    /// 1 where a positive shunt voltage means that the battery is charged, -1 where the shunt is turned round.
    public var currentSign = 1
    /// Cells in series.
    public var cells = 1
    /// Currents below this many amperes say nothing about the direction.
    public var deadBand = 0.02

    /// The usual breakout: 0.1 Ω, 3.2 A at most, one cell.
    public init() {}

    /// The calibration register, trunc(0.04096 / (step · shunt)); nil where that does not fit its 15 bits (bit 0 is void).
    var calibration: UInt16? {
      // a product that is meant to be a round number must not fall short of it by rounding
      let exact = 0.04096 / (currentStep * shunt) + 1e-6
      guard exact >= 2, exact < 65536 else { return nil }
      return UInt16(exact) & 0xFFFE
    }
  }

  private enum Register {
    static let configuration: UInt8 = 0x00
    static let busVoltage: UInt8 = 0x02
    static let current: UInt8 = 0x04
    static let calibration: UInt8 = 0x05
  }

  /// The battery as the configuration names it.
  public nonisolated let name: String
  /// `ina219`.
  public nonisolated let source = "ina219"
  private let wiring: Wiring
  private let curve: OpenCircuitCurve
  private let calibration: UInt16
  private let chip: AddressedChip
  private let identity = Preparation()

  /// A gauge. Nothing is sent before the first read. Throws `.outOfRange` for a wiring that cannot be.
  public init(
    name: String, bus: any I2CBus, address: UInt8 = 0x40, wiring: Wiring = Wiring(),
    curve: OpenCircuitCurve = .lithiumIon
  ) throws(DeviceError) {
    self.name = name
    self.wiring = wiring
    self.curve = curve
    let chip = AddressedChip(device: name, model: "INA219", bus: bus, address: address)
    self.chip = chip
    let operation = "set up the gauge"
    guard let calibration = wiring.calibration else {
      throw chip.fault(
        operation, "a shunt of \(wiring.shunt) Ω and steps of \(wiring.currentStep) A do not fit together",
        kind: .outOfRange)
    }
    self.calibration = calibration
    guard wiring.cells >= 1, wiring.currentSign.magnitude == 1, wiring.deadBand >= 0 else {
      throw chip.fault(
        operation, "it needs at least one cell, a sign of 1 or -1, and a dead band that is not negative",
        kind: .outOfRange)
    }
  }

  /// A raw reading; all unknown where the chip says that its arithmetic overflowed. Throws `.absent` where no chip answers
  /// and `.faulty` where it is another chip.
  public func read() async throws(DeviceError) -> PowerReading {
    let operation = "read the charge"
    let chip = chip
    try await identity.run { () async throws(DeviceError) in try await Self.identify(chip) }
    try await calibrate()
    let bus = bigEndian(try await chip.read(Register.busVoltage, count: 2, during: operation)[...])
    let current = bigEndian(try await chip.read(Register.current, count: 2, during: operation)[...])
    // bit 0, OVF: the current is beyond what can be calculated
    guard bus & 1 == 0 else { return PowerReading(level: nil, state: .unknown, volts: nil) }
    let volts = Double(bus >> 3) * 0.004
    return PowerReading(
      level: curve.level(volts: volts / Double(wiring.cells)), state: state(Int16(bitPattern: current)), volts: volts)
  }

  private func state(_ raw: Int16) -> PowerReading.State {
    let amperes = Double(raw) * wiring.currentStep * Double(wiring.currentSign)
    if amperes.magnitude <= wiring.deadBand { return .unknown }
    return amperes > 0 ? .charging : .discharging
  }

  private func calibrate() async throws(DeviceError) {
    let operation = "calibrate the gauge"
    if try await readCalibration(operation) == calibration { return }
    let bytes = [UInt8(calibration >> 8), UInt8(calibration & 0xFF)]
    try await chip.write([Register.calibration] + bytes, during: operation)
    let found = try await readCalibration(operation)
    if found != calibration {
      await identity.forget()
      throw chip.fault(operation, "its calibration says \(hex(found)) after \(hex(calibration)) was written to it")
    }
    // the current register is of the old calibration until the next conversion is done (532 µs at 12 bits), and says
    // at worst that nothing flows
  }

  private func readCalibration(_ operation: String) async throws(DeviceError) -> UInt16 {
    bigEndian(try await chip.read(Register.calibration, count: 2, during: operation)[...])
  }

  /// The chip has no identity register, and shares its first address with the PCA9685, whose registers are one byte: so
  /// before anything is written, what it says must be a configuration that an INA219 can have. Bits 15 and 14 read as
  /// zero, and a chip that does not measure both voltages over and over (mode 7) is of no use or none.
  private static func identify(_ chip: AddressedChip) async throws(DeviceError) {
    let operation = "identify the gauge"
    let found = bigEndian(try await chip.read(Register.configuration, count: 2, during: operation)[...])
    guard found & 0xC000 == 0, found & 0x7 == 0x7 else {
      throw chip.fault(
        operation,
        "its configuration says \(hex(found)), which is not an INA219 that measures (0x399F after power-on); a PCA9685 "
          + "has the same address unless its jumpers are set")
    }
  }
}
