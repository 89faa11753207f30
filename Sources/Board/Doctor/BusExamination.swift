import Configuration
import LinuxRig
import Rig

/// I²C buses, and whether each chip of the configuration answers and is what it should be. Chips are only read.
struct BusExamination {
  let chips: [ClaimedChip]
  let probe: any DeviceProbe
  let roots: SystemRoots
  /// Who runs the agent.
  let account: Account
  let agentRuns: Bool

  func findings() async -> [Finding] {
    var findings: [Finding] = []
    for name in unique(chips.map(\.bus)) {
      let path = I2CNode.path(of: name, devices: roots.dev, classes: "\(roots.sys)/class")
      let subject = "I²C bus \(name)"
      do throws(DeviceError) {
        let bus = try probe.bus(name)
        if let finding = NodeAccess(account: account).finding(subject, path, group: "i2c", subsystem: "i2c-dev") {
          findings.append(finding)
        } else {
          findings.append(.ok(subject, "is \(path)"))
        }
        for chip in chips where chip.bus == name { findings.append(await finding(chip, on: bus)) }
      } catch {
        findings.append(trouble(error, subject, name, path))
      }
    }
    return findings
  }

  private func trouble(_ error: DeviceError, _ subject: String, _ name: String, _ path: String) -> Finding {
    switch error.kind {
    case .denied:
      return NodeAccess(account: account).denial(subject, path, group: "i2c", subsystem: "i2c-dev")
    case .absent:
      // the adapter may be there without its node
      if roots.has("\(roots.sys)/bus/i2c/devices/\(name)") {
        return .fault(subject, "the kernel has the bus, but there is no \(path)", .command("modprobe i2c-dev"))
      }
      let others = I2CNode.adapters("\(roots.sys)/class").map { "\($0.node) (\($0.adapter))" }
      let there = others.isEmpty ? "there is no other one" : "there are \(others.joined(separator: ", "))"
      let table = chips.first { $0.bus == name }?.table ?? ""
      let isHeader = name == "i2c-1" && others.isEmpty
      return .fault(
        subject, "there is no \(path); \(there)",
        isHeader
          ? .bootLine("dtparam=i2c_arm=on") : .setting("\(table).bus = …   # one of those that `i2cdetect -l` shows"))
    default: return .fault(subject, error.description, .byHand("look at the bus's wires and pull-ups"))
    }
  }

  private func finding(_ chip: ClaimedChip, on bus: any I2CBus) async -> Finding {
    if agentRuns {
      return .ok(chip.device, "\(chip.inWords) is the agent's; it was not asked here")
    }
    do throws(DeviceError) {
      let words = try await ask(chip, on: bus)
      return .ok(chip.device, "\(chip.inWords) answers: \(words)")
    } catch {
      return trouble(error, with: chip)
    }
  }

  /// What a chip says of itself.
  private func ask(_ chip: ClaimedChip, on bus: any I2CBus) async throws(DeviceError) -> String {
    switch chip.kind {
    case .pulseGenerator: return try await ChipInspection.pulseGenerator(chip.device, on: bus, at: chip.address)
    case .tic: return try await ChipInspection.tic(chip.device, on: bus, at: chip.address)
    case .gauge(let battery):
      let gauge = try battery.gauge(named: chip.device, on: bus, clock: BoardClock(), writesCapacity: false)
      guard let gauge else { return "it is simulated" }
      return GaugeWords.text(try await gauge.read())
    }
  }

  private func trouble(_ error: DeviceError, with chip: ClaimedChip) -> Finding {
    switch error.kind {
    case .absent:
      .fault(
        chip.device, "\(chip.inWords) does not answer: it has no power, is not on the bus, or has another address",
        .setting("\(chip.table).address = …   # one of those that `i2cdetect -y \(chip.bus.busNumber)` shows"))
    case .busy:
      .fault(
        chip.device, "\(chip.inWords) is taken by a driver of the kernel",
        .setting("\(chip.table).driver = \"power_supply\" and its supply; or take that driver's dtoverlay out"))
    case .outOfRange: .fault(chip.device, error.description, .setting("\(chip.table).shunt_ohm = 0.1"))
    case .faulty:
      .fault(
        chip.device, "\(chip.inWords): \(error.remedy ?? error.description)",
        .setting("\(chip.table).address = …, or \(chip.table).driver = …   # as the chip that is there"))
    default: .fault(chip.device, error.description, .byHand("look at the bus's wires and pull-ups"))
    }
  }
}

extension String {
  /// What i2cdetect calls a bus: the number of `i2c-1`.
  fileprivate var busNumber: Substring { hasPrefix("i2c-") ? dropFirst(4) : self[...] }
}

/// A battery's reading in words.
enum GaugeWords {
  /// `87 %, 3.98 V, discharging`, with what is known.
  static func text(_ reading: PowerReading) -> String {
    var words: [String] = []
    words.append(reading.level.map { "\(Int(($0 * 100).rounded())) %" } ?? "level unknown")
    if let volts = reading.volts { words.append("\(Double(Int(volts * 100)) / 100) V") }
    if reading.state != .unknown { words.append(reading.state.rawValue) }
    return words.joined(separator: ", ")
  }
}
