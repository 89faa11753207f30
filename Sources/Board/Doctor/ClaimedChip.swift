import Configuration
import Rig

/// A chip on an I²C bus that a real device of the configuration wants.
struct ClaimedChip: Sendable {
  /// What it is.
  enum Kind: Sendable {
    /// A PCA9685.
    case pulseGenerator
    /// A Pololu Tic.
    case tic
    /// A gauge of a battery.
    case gauge(BatteryConfiguration)
  }

  /// The device, e.g. `tilt` or `battery main`.
  var device: String
  /// The table of the configuration that says where it is.
  var table: String
  var kind: Kind
  var bus: String
  var address: UInt8

  /// All that a configuration names, in its order; each chip once, whatever hangs on it.
  static func all(of configuration: TwinrigConfiguration) -> [ClaimedChip] {
    var chips: [ClaimedChip] = []
    func generator(_ device: String, _ table: String, _ bus: String, _ address: Int) {
      let owner = chips.firstIndex { $0.bus == bus && $0.address == UInt8(address) }
      if let owner {
        chips[owner].device += ", \(device)"
      } else {
        chips.append(
          ClaimedChip(device: device, table: table, kind: .pulseGenerator, bus: bus, address: UInt8(address)))
      }
    }
    for (name, axis) in configuration.axes {
      if axis.driver == .servo { generator(name, "\(name).servo", axis.servo.bus, axis.servo.address) }
      if axis.driver == .tic {
        chips.append(
          ClaimedChip(
            device: name, table: "\(name).tic", kind: .tic, bus: axis.tic.bus, address: UInt8(axis.tic.address)))
      }
    }
    for (index, lamp) in configuration.lamps.enumerated() where lamp.driver == .pca9685 {
      generator("lamp \(lamp.name)", "lamp[\(index + 1)]", lamp.bus, lamp.address)
    }
    for (index, battery) in configuration.batteries.enumerated() {
      guard ![.simulated, .powerSupply].contains(battery.driver), let address = battery.i2cAddress else { continue }
      chips.append(
        ClaimedChip(
          device: "battery \(battery.name)", table: "battery[\(index + 1)]", kind: .gauge(battery), bus: battery.bus,
          address: UInt8(address)))
    }
    return chips
  }

  /// The chip's type as data sheets call it.
  var model: String {
    switch kind {
    case .pulseGenerator: "PCA9685"
    case .tic: "Tic"
    case .gauge(let battery): battery.driver.rawValue.uppercased()
    }
  }

  /// The address as data sheets write it.
  var addressText: String { "0x" + (address < 16 ? "0" : "") + String(address, radix: 16, uppercase: true) }
  /// The chip in words.
  var inWords: String { "\(model) at \(addressText) on \(bus)" }
}
