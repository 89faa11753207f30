import Configuration
import LinuxRig

/// A line of a GPIO chip that a real device of the configuration wants.
struct ClaimedLine: Sendable, Hashable {
  /// The device, e.g. `turntable`.
  var device: String
  /// What the line is to it, e.g. `STEP`; empty where it has only one.
  var role: String
  /// The configuration's key.
  var key: String
  /// The chip and the line on it.
  var place: GPIOPlace

  /// All that a configuration names, in its order.
  static func all(of configuration: TwinrigConfiguration) -> [ClaimedLine] {
    var lines = configuration.axes.filter { $0.axis.driver == .stepper }.flatMap { motor(of: $0.name, $0.axis.stepper) }
    for (index, lamp) in configuration.lamps.enumerated() where lamp.driver == .gpio {
      lines += line("lamp \(lamp.name)", "", "lamp[\(index + 1)].line", lamp.chip, lamp.line)
    }
    for (index, button) in configuration.buttons.enumerated() where button.driver == .gpio {
      lines += line(
        "button \(button.id) (\(button.action))", "", "button[\(index + 1)].line", button.chip, button.line)
    }
    let signal = configuration.signal
    if signal.driver == .gpio {
      lines += line("signal", "LED", "signal.led_line", signal.chip, signal.ledLine)
      lines += line("signal", "buzzer", "signal.buzzer_line", signal.chip, signal.buzzerLine)
    }
    return lines
  }

  private static func motor(of axis: String, _ motor: StepperConfiguration) -> [ClaimedLine] {
    let lines = [
      ("STEP", "step_line", motor.step), ("DIR", "direction_line", motor.direction),
      ("EN", "enable_line", motor.enable), ("HOME", "home_line", motor.home)
    ]
    return lines.flatMap { role, key, offset in line(axis, role, "\(axis).stepper.\(key)", motor.chip, offset) }
  }

  private static func line(
    _ device: String, _ role: String, _ key: String, _ chip: String, _ offset: Int?
  ) -> [ClaimedLine] {
    guard let offset else { return [] }
    return [ClaimedLine(device: device, role: role, key: key, place: GPIOPlace(chip: chip, offset: offset))]
  }

  /// The line in words, e.g. `line 23 (STEP) of pinctrl-rp1`.
  var inWords: String { "line \(place.offset)\(role.isEmpty ? "" : " (\(role))") of \(place.chip)" }
}
