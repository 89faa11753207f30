/// The fuel gauges MAX17043 and MAX17048 for one lithium cell (data sheets: Maxim 19-4811 and 19-6171). Registers are two
/// bytes, the most significant first.
///
/// The first read checks that the right chip answers. Levels are passed on as the chip says them, a little more than 100 %
/// or nonsense alike: the policy above sorts them out. Only what no gauge can mean becomes nil: all bits set, which is
/// what a bus reads that nobody drives.
public actor MAX1704x: PowerSupply {
  /// Which of the two.
  public enum Variant: String, Sendable, Hashable, CaseIterable {
    /// Voltage in steps of 1.25 mV; no rate of charge.
    case max17043
    /// Voltage in steps of 78.125 µV, and a rate of charge. The MAX17049 for two cells is the same but for the voltage
    /// of the pack, which it halves.
    case max17048
  }

  private enum Register {
    static let cellVoltage: UInt8 = 0x02  // VCELL; the state of charge, SOC, follows at 0x04
    static let version: UInt8 = 0x08
    static let chargeRate: UInt8 = 0x16  // CRATE
  }

  /// The battery as the configuration names it.
  public nonisolated let name: String
  /// `max17043` or `max17048`.
  public nonisolated let source: String
  private let variant: Variant
  private let chip: AddressedChip
  private let identity = Preparation()
  private let rateBand: Double

  /// A gauge. Nothing is sent before the first read. The address is fixed in the chip. The charge counts as flowing one way
  /// or the other from `rateBand` percent an hour on (the MAX17048 has no bit that says so, and its rate lags by minutes).
  public init(name: String, variant: Variant, bus: any I2CBus, address: UInt8 = 0x36, rateBand: Double = 2) {
    self.name = name
    self.variant = variant
    self.rateBand = rateBand
    source = variant.rawValue
    chip = AddressedChip(device: name, model: variant.rawValue.uppercased(), bus: bus, address: address)
  }

  /// A raw reading. Throws `.absent` where no chip answers and `.faulty` where it is another chip.
  public func read() async throws(DeviceError) -> PowerReading {
    let chip = chip
    let variant = variant
    try await identity.run { () async throws(DeviceError) in try await Self.identify(chip, as: variant) }
    let bytes = try await chip.read(Register.cellVoltage, count: 4, during: "read the charge")
    let state = variant == .max17048 ? try await flow() : .unknown
    return PowerReading(level: level(bigEndian(bytes[2...3])), state: state, volts: volts(bigEndian(bytes[0...1])))
  }

  /// SOC: steps of 1/256 %.
  private func level(_ raw: UInt16) -> Double? { raw == .max ? nil : Double(raw) / 25600 }

  /// VCELL: all 16 bits, or on the MAX17043 the upper 12.
  private func volts(_ raw: UInt16) -> Double? {
    if raw == .max { return nil }
    return variant == .max17048 ? Double(raw) * 78.125e-6 : Double(raw >> 4) * 1.25e-3
  }

  /// CRATE: signed, steps of 0.208 % an hour.
  private func flow() async throws(DeviceError) -> PowerReading.State {
    let bytes = try await chip.read(Register.chargeRate, count: 2, during: "read the rate of charge")
    let rate = Double(Int16(bitPattern: bigEndian(bytes[...]))) * 0.208
    if rate >= rateBand { return .charging }
    return rate <= -rateBand ? .discharging : .unknown
  }

  /// VERSION is 0x001x on the MAX17048; the MAX17043's data sheet names no value, so there only what cannot be it is
  /// refused.
  private static func identify(_ chip: AddressedChip, as variant: Variant) async throws(DeviceError) {
    let operation = "identify the gauge"
    let version = bigEndian(try await chip.read(Register.version, count: 2, during: operation)[...])
    let isNewer = version & 0xFFF0 == 0x0010
    if variant == .max17048, !isNewer {
      throw chip.fault(operation, "its version register says \(hex(version)) where a MAX17048 says 0x001x")
    }
    if variant == .max17043, isNewer {
      throw chip.fault(operation, "its version register says \(hex(version)): it is a MAX17048; configure it as such")
    }
    if version == 0 || version == .max {
      throw chip.fault(operation, "its version register says \(hex(version)), which is no gauge")
    }
  }
}
