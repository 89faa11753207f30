import Imaging

/// Which lines and addresses devices want: those of real ones have to be said, and none may be wanted twice.
extension Consistency {
  /// A line that a device wants; nil where none was said.
  private struct LineClaim {
    var chip: String
    var line: Int?
    var key: String
  }

  /// What real devices cannot do without.
  mutating func checkNeeds() {
    for (name, axis) in settings.axes { checkMotor(name, axis) }
    for (index, lamp) in settings.lamps.enumerated() where lamp.driver == .gpio {
      checkPlace("lamp[\(index + 1)]", lamp.chip, lamp.line)
    }
    for (index, lamp) in settings.lamps.enumerated() where lamp.driver == .pca9685 {
      let table = "lamp[\(index + 1)]"
      checkChannel(table, lamp.bus, lamp.channel, "\(table).driver")
    }
    checkButtonsAndSignal()
    checkBatteries()
    checkPace()
  }

  private mutating func checkMotor(_ name: String, _ axis: AxisConfiguration) {
    let driver = "\(name).driver"
    switch axis.driver {
    case .simulated, .none: break
    case .stepper:
      let motor = axis.stepper
      if motor.chip.isEmpty { need("\(name).stepper.chip", "the label of a GPIO chip (gpiodetect lists them)", driver) }
      if motor.step == nil { need("\(name).stepper.step_line", "a line", driver) }
      if motor.direction == nil { need("\(name).stepper.direction_line", "a line", driver) }
    case .tic:
      if axis.tic.bus.isEmpty { need("\(name).tic.bus", "an I²C bus, e.g. \"i2c-1\"", driver) }
      if axis.tic.stepsPerTurn.magnitude < 1 {
        refuse("\(name).tic.steps_per_turn", "must be 1 or more, or -1 or less")
      }
    case .servo:
      checkChannel("\(name).servo", axis.servo.bus, axis.servo.channel, driver)
      if axis.limits.range == nil {
        need("\(name).lowest_deg", "a servo does not turn all the way round", driver)
      }
    }
  }

  private mutating func checkChannel(_ table: String, _ bus: String, _ channel: Int?, _ driver: String) {
    if bus.isEmpty { need("\(table).bus", "an I²C bus, e.g. \"i2c-1\"", driver) }
    if channel == nil { need("\(table).channel", "a channel", driver) }
  }

  private mutating func checkButtonsAndSignal() {
    for (index, button) in settings.buttons.enumerated() where button.driver == .gpio {
      checkPlace("button[\(index + 1)]", button.chip, button.line)
    }
    guard settings.signal.driver == .gpio else { return }
    checkPlace("signal", settings.signal.chip, 0)
    if settings.signal.ledLine == nil, settings.signal.buzzerLine == nil {
      need("signal.led_line", "led_line, buzzer_line or both", "signal.driver")
    }
  }

  private mutating func checkBatteries() {
    for (index, battery) in settings.batteries.enumerated() {
      let table = "battery[\(index + 1)]"
      switch battery.driver {
      case .simulated: break
      case .powerSupply:
        if battery.supply == nil { need("\(table).supply", "a name of /sys/class/power_supply", "\(table).driver") }
      case .max17043, .max17048, .ina219, .bq27441:
        if battery.bus == "simulated" { need("\(table).bus", "an I²C bus, e.g. \"i2c-1\"", "\(table).driver") }
      }
    }
  }

  private mutating func checkPlace(_ table: String, _ chip: String, _ line: Int?) {
    if chip == "simulated" {
      need("\(table).chip", "the label of a GPIO chip (gpiodetect lists them)", "\(table).driver")
    }
    if line == nil { need("\(table).line", "a line", "\(table).driver") }
  }

  private mutating func need(_ key: String, _ what: String, _ driver: String) {
    refuse(key, "is needed with this driver: \(what)", about: [driver])
  }

  /// Motors and cameras take their time: a world that jumps would not wait for them.
  private mutating func checkPace() {
    if settings.cameras.driver != .simulated, settings.simulation.pace == .jumping {
      refuse(
        "cameras.driver", "real cameras take their time: they need simulation.pace = \"real-time\"",
        about: ["simulation.pace"])
    }
    guard let real = settings.axes.first(where: { ![.simulated, .none].contains($0.1.driver) }),
      settings.simulation.pace == .jumping
    else { return }
    refuse(
      "\(real.0).driver", "a real axis takes its time: it needs simulation.pace = \"real-time\"",
      about: ["simulation.pace"])
  }

  /// No two devices may want the same.
  mutating func checkClaims() {
    var owners: [String: String] = [:]
    for claim in lineClaims + addressClaims {
      if let owner = owners[claim.resource] {
        // of the two, the one that the file says is the one to mend; the other may be a default
        let (refused, keeper) = places[claim.key] == nil ? (owner, claim.key) : (claim.key, owner)
        refuse(
          refused, "\(claim.resource) is \(keeper)'s already\(set(keeper))",
          about: [keeper] + [refused, keeper].flatMap { key in ["chip", "bus"].map { sibling(of: key, $0) } })
      } else {
        owners[claim.resource] = claim.key
      }
    }
  }

  /// The key of another value in the same table.
  private func sibling(of key: String, _ name: String) -> String {
    key.lastIndex(of: ".").map { "\(key[..<$0]).\(name)" } ?? name
  }

  private var lineClaims: [(resource: String, key: String)] {
    var claims: [LineClaim] = []
    for (index, lamp) in settings.lamps.enumerated() where lamp.driver != .pca9685 {
      claims.append(LineClaim(chip: lamp.chip, line: lamp.line, key: "lamp[\(index + 1)].line"))
    }
    for (index, button) in settings.buttons.enumerated() {
      claims.append(LineClaim(chip: button.chip, line: button.line, key: "button[\(index + 1)].line"))
    }
    if settings.signal.driver != .none {
      let signal = settings.signal
      claims.append(LineClaim(chip: signal.chip, line: signal.ledLine, key: "signal.led_line"))
      claims.append(LineClaim(chip: signal.chip, line: signal.buzzerLine, key: "signal.buzzer_line"))
    }
    for (name, axis) in settings.axes where axis.driver == .stepper {
      claims += lines(of: axis.stepper, in: "\(name).stepper")
    }
    return claims.compactMap { claim in claim.line.map { ("line \($0) of chip \(quoted(claim.chip))", claim.key) } }
  }

  private func lines(of motor: StepperConfiguration, in table: String) -> [LineClaim] {
    let lines = [
      ("step_line", motor.step), ("direction_line", motor.direction), ("enable_line", motor.enable),
      ("home_line", motor.home)
    ]
    return lines.map { LineClaim(chip: motor.chip, line: $0.1, key: "\(table).\($0.0)") }
  }

  /// Gauges and Tics want an address each; a PCA9685 is one chip for all its channels.
  private var addressClaims: [(resource: String, key: String)] {
    var claims: [(resource: String, key: String)] = []
    var shared: Set<String> = []
    func address(_ bus: String, _ address: Int) -> String {
      "address \(Scalar.i2cAddress.encode(address)) of bus \(quoted(bus))"
    }
    func channel(_ bus: String, _ number: Int, _ channel: Int?, in table: String) {
      let place = address(bus, number)
      if shared.insert(place).inserted { claims.append((place, "\(table).address")) }
      if let channel { claims.append(("channel \(channel) at \(place)", "\(table).channel")) }
    }
    for (name, axis) in settings.axes {
      if axis.driver == .tic { claims.append((address(axis.tic.bus, axis.tic.address), "\(name).tic.address")) }
      if axis.driver == .servo {
        channel(axis.servo.bus, axis.servo.address, axis.servo.channel, in: "\(name).servo")
      }
    }
    for (index, lamp) in settings.lamps.enumerated() where lamp.driver == .pca9685 {
      channel(lamp.bus, lamp.address, lamp.channel, in: "lamp[\(index + 1)]")
    }
    for (index, battery) in settings.batteries.enumerated() where battery.driver != .powerSupply {
      guard let number = battery.i2cAddress else { continue }
      claims.append((address(battery.bus, number), "battery[\(index + 1)].address"))
    }
    return claims
  }
}
