import CGpiod
import Rig

/// The lines of a stepper driver on a GPIO chip. Enabled only while somebody holds it so: the line is requested inactive, and
/// falls back with the process.
package struct GPIOStepperPins: StepperPins {
  private let outputs: GPIOLines
  private let home: GPIOLines?
  private let hasEnable: Bool

  package init(_ wiring: StepperWiring, name: String) throws(DeviceError) {
    func output(_ offset: Int, isActiveLow: Bool) -> gpio_line {
      gpio_line(
        offset: UInt32(offset), is_output: 1, active_low: isActiveLow ? 1 : 0, bias: LineBias.asIs.raw,
        reports_edges: 0,
        is_active: 0, debounce_us: 0)
    }
    var lines = [
      output(wiring.step, isActiveLow: false), output(wiring.direction, isActiveLow: wiring.isReversed)
    ]
    if let enable = wiring.enable { lines.append(output(enable, isActiveLow: wiring.isEnableActiveLow)) }
    hasEnable = wiring.enable != nil
    outputs = try GPIOLines(lines, of: wiring.chip, for: name)
    guard let offset = wiring.home else {
      home = nil
      return
    }
    let line = gpio_line(
      offset: UInt32(offset), is_output: 0, active_low: wiring.isHomeActiveLow ? 1 : 0, bias: wiring.homeBias.raw,
      reports_edges: 0, is_active: 0, debounce_us: 0)
    home = try GPIOLines([line], of: wiring.chip, for: "\(name) home switch")
  }

  package func setStep(_ isHigh: Bool) throws(DeviceError) { try outputs.set(0, isHigh) }
  package func setDirection(isForward: Bool) throws(DeviceError) { try outputs.set(1, isForward) }
  package func setEnabled(_ isEnabled: Bool) throws(DeviceError) { if hasEnable { try outputs.set(2, isEnabled) } }
  package func isHome() throws(DeviceError) -> Bool? { try home?.get(0) }
}
