import LinuxRig
import Rig

/// How devices are tried: what is tried changes nothing and moves nothing.
package protocol DeviceProbe: Sendable {
  /// The labels of the GPIO chips that may be opened.
  var chipLabels: [String] { get }
  /// The node of the chip with a label. Throws `.absent` or `.denied`.
  func node(ofChip label: String) throws(DeviceError) -> String
  /// Who uses a line, empty where the user gives no name; nil where nobody does.
  func user(of place: GPIOPlace) throws(DeviceError) -> String?
  /// Requests a line with the direction it has, and gives it back. Throws `.absent`, `.busy`, `.denied`.
  func request(_ place: GPIOPlace, for device: String) throws(DeviceError)
  /// Opens an I²C bus. Throws `.absent` or `.denied`.
  func bus(_ name: String) throws(DeviceError) -> any I2CBus
}

/// Tries the devices of this computer.
package struct LinuxProbe: DeviceProbe {
  /// A probe.
  package init() {}

  package var chipLabels: [String] { GPIOInspection.labels }
  package func node(ofChip label: String) throws(DeviceError) -> String { try GPIOInspection.node(of: label) }
  package func user(of place: GPIOPlace) throws(DeviceError) -> String? { try GPIOInspection.user(of: place) }
  package func request(_ place: GPIOPlace, for device: String) throws(DeviceError) {
    try GPIOInspection.request(place, for: device)
  }
  package func bus(_ name: String) throws(DeviceError) -> any I2CBus {
    RetryingBus(try LinuxI2CBus(name), clock: BoardClock())
  }
}
