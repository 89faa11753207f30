import CGpiod
import Rig

/// The lines of a stepper driver on a GPIO chip. Enabled only while somebody holds it so: the line is requested inactive, and
/// falls back with the process.
package struct GPIOStepperPins: StepperPins {
  private let outputs: GPIOLines
  private let home: GPIOLines?
  private let hasEnable: Bool

  package init(_ wiring: StepperWiring, name: String) throws(DeviceError) {
    var lines = [
      gpio_line.output(wiring.step, isActiveLow: false), .output(wiring.direction, isActiveLow: wiring.isReversed)
    ]
    if let enable = wiring.enable { lines.append(.output(enable, isActiveLow: wiring.isEnableActiveLow)) }
    hasEnable = wiring.enable != nil
    outputs = try GPIOLines(lines, of: wiring.chip, for: name)
    guard let offset = wiring.home else {
      home = nil
      return
    }
    let line = gpio_line.input(offset, isActiveLow: wiring.isHomeActiveLow, bias: wiring.homeBias)
    home = try GPIOLines([line], of: wiring.chip, for: "\(name) home switch")
  }

  package func setStep(_ isHigh: Bool) throws(DeviceError) { try outputs.set(0, isHigh) }
  package func setDirection(isForward: Bool) throws(DeviceError) { try outputs.set(1, isForward) }
  package func setEnabled(_ isEnabled: Bool) throws(DeviceError) { if hasEnable { try outputs.set(2, isEnabled) } }
  package func isHome() throws(DeviceError) -> Bool? { try home?.get(0) }
  package func check() throws(DeviceError) { _ = try outputs.get(0) }
}
