import Board
import LinuxRig
import Rig

/// GPIO chips and I²C buses that a test describes.
struct FakeProbe: DeviceProbe {
  /// Each chip's node and how many lines it has, by its label.
  var chips: [String: (node: String, lines: Int)] = [:]
  /// Who uses lines.
  var users: [GPIOPlace: String] = [:]
  /// What opening any chip or bus fails with.
  var refusal: DeviceError.Kind?
  /// Chips on buses: what they answer to a command's first byte.
  var buses: [String: [UInt8: [UInt8: [UInt8]]]] = [:]

  var chipLabels: [String] { refusal == nil ? chips.keys.sorted() : [] }

  func node(ofChip label: String) throws(DeviceError) -> String {
    if let refusal { throw DeviceError(refusal, device: label, operation: "open") }
    guard let chip = chips[label] else { throw DeviceError(.absent, device: label, operation: "open") }
    return chip.node
  }

  func user(of place: GPIOPlace) throws(DeviceError) -> String? {
    guard place.offset < chips[place.chip]?.lines ?? 0 else {
      throw DeviceError(.absent, device: place.chip, operation: "look at line \(place.offset)")
    }
    return users[place]
  }

  func request(_ place: GPIOPlace, for device: String) throws(DeviceError) {
    if users[place] != nil { throw DeviceError(.busy, device: device, operation: "request") }
  }

  func bus(_ name: String) throws(DeviceError) -> any I2CBus {
    if let refusal { throw DeviceError(refusal, device: name, operation: "open") }
    guard let chips = buses[name] else { throw DeviceError(.absent, device: name, operation: "open") }
    return Bus(name: name, chips: chips)
  }

  private struct Bus: I2CBus {
    let name: String
    let chips: [UInt8: [UInt8: [UInt8]]]

    func transact(address: UInt8, _ messages: [I2CMessage]) async throws(DeviceError) -> [[UInt8]] {
      guard let chip = chips[address] else { throw DeviceError(.absent, device: name, operation: "transact") }
      var command: UInt8 = 0
      var answers: [[UInt8]] = []
      for message in messages {
        switch message {
        case .write(let bytes): command = bytes[0]
        case .read(let count):
          let known = chip[command] ?? []
          answers.append(Array((known + [UInt8](repeating: 0, count: count)).prefix(count)))
        }
      }
      return answers
    }
  }
}
