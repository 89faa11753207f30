import Configuration
import Rig

extension BatteryConfiguration {
  /// The gauge that this battery has on a bus; nil where it has none there. Nothing is written to it before it is read;
  /// `writesCapacity` says whether the configured design capacity may be then. Throws what the chip could not do as configured.
  package func gauge(
    named name: String, on bus: any I2CBus, clock: any RigClock, writesCapacity: Bool = true
  ) throws(DeviceError) -> (any PowerSupply)? {
    let address = UInt8(i2cAddress ?? 0)
    switch driver {
    case .max17043: return MAX1704x(name: name, variant: .max17043, bus: bus, address: address)
    case .max17048: return MAX1704x(name: name, variant: .max17048, bus: bus, address: address)
    case .ina219:
      var wiring = INA219.Wiring()
      wiring.shunt = shunt
      wiring.currentSign = currentSign
      wiring.cells = cells
      return try INA219(name: name, bus: bus, address: address, wiring: wiring)
    case .bq27441:
      return BQ27441(
        name: name, bus: bus, clock: clock, address: address,
        designCapacity: writesCapacity ? designCapacity.map { UInt16(clamping: $0) } : nil)
    case .simulated, .powerSupply: return nil
    }
  }
}
