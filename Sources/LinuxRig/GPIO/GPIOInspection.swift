import CGpiod
import Rig

#if canImport(Glibc)
  import Glibc
#endif

/// Looks at chips and lines and changes nothing on them.
package enum GPIOInspection {
  /// The labels of the chips that may be opened.
  package static var labels: [String] {
    (0..<32).compactMap { number in
      var label = [CChar](repeating: 0, count: 64)
      return gpio_chip_label("/dev/gpiochip\(number)", &label, label.count) == 0 ? GPIOLines.text(label) : nil
    }
  }

  /// The node of the chip with a label. Throws `.absent`, or `.denied` with whose node it is.
  package static func node(of chip: String) throws(DeviceError) -> String {
    try GPIOLines.find(chip, for: chip)
  }

  /// Who uses a line, empty where the user gives no name; nil where nobody does.
  package static func user(of place: GPIOPlace) throws(DeviceError) -> String? {
    let path = try node(of: place.chip)
    var name = [CChar](repeating: 0, count: 64)
    let result = gpio_line_user(path, UInt32(place.offset), &name, name.count)
    guard result >= 0 else { throw refusal(-result, place, path, for: place.chip) }
    return result == 1 ? GPIOLines.text(name) : nil
  }

  /// Requests a line with the direction it has, and gives it back. Throws `.absent`, `.busy` with who has it, `.denied`.
  package static func request(_ place: GPIOPlace, for device: String) throws(DeviceError) {
    let path = try node(of: place.chip)
    let result = gpio_try_line(path, "twinrig doctor", UInt32(place.offset))
    guard result == 0 else { throw refusal(-result, place, path, for: device) }
  }

  private static func refusal(_ number: Int32, _ place: GPIOPlace, _ path: String, for device: String) -> DeviceError {
    let line = gpio_line.input(place.offset, isActiveLow: false, bias: .asIs)
    return GPIOLines.refusal(number, [line], path: path, chip: place.chip, device: device)
  }
}
