import Configuration
import LinuxRig
import Rig
import SimulatedRig

/// Opens the real devices of a configuration that was checked.
struct RealDevices {
  private let configuration: TwinrigConfiguration
  private let clock: any RigClock
  private var buses: [String: any I2CBus] = [:]
  private var pulseChips: [String: PCA9685] = [:]

  /// What waits, waits on `clock`.
  init(_ configuration: TwinrigConfiguration, clock: any RigClock) {
    self.configuration = configuration
    self.clock = clock
  }

  /// Puts each in the place that a simulated one has in the rig. The cameras of a simulated world see what step/dir motors
  /// do. Throws what the first that failed says.
  mutating func take(their rig: inout CaptureRig, coupledTo world: SimulatedWorld) throws(DeviceError) {
    if let axis = try axis("turntable", configuration.turntable, world) { rig.turntable = axis }
    if let axis = try axis("pan", configuration.pan, world) { rig.pan = axis }
    if let axis = try axis("tilt", configuration.tilt, world) { rig.tilt = axis }
    for (index, settings) in configuration.lamps.enumerated() {
      if let lamp = try lamp(settings) { rig.lamps[index] = lamp }
    }
    for (index, button) in configuration.buttons.enumerated() where button.driver == .gpio {
      rig.buttons[index].line = try GPIOInput(
        GPIOPlace(chip: button.chip, offset: button.line ?? 0), name: "button \(button.id)", bias: button.bias,
        isActiveLow: button.isActiveLow, debounce: button.debounce)
    }
    if configuration.signal.driver == .gpio { rig.signal = try signal() }
    for (index, battery) in configuration.batteries.enumerated() {
      if let supply = try supply(battery) { rig.power[index] = supply }
    }
  }

  // MARK: axes

  private mutating func axis(
    _ name: String, _ axis: AxisConfiguration, _ world: SimulatedWorld
  ) throws(DeviceError) -> (any Axis)? {
    switch axis.driver {
    case .simulated, .none: return nil
    case .stepper:
      let stepper = try stepper(name, axis)
      world.couple(name) { stepper.drivePosition }
      return stepper
    case .tic: return try tic(name, axis)
    case .servo:
      var servo = ServoAxis.Servo()
      servo.zeroPulse = axis.servo.zeroPulse
      servo.pulsePerDegree = axis.servo.pulsePerDegree
      return try ServoAxis(
        name: name, chip: try pulseChip(axis.servo.bus, axis.servo.address), channel: axis.servo.channel ?? 0,
        clock: clock, limits: axis.limits, servo: servo)
    }
  }

  private func stepper(_ name: String, _ axis: AxisConfiguration) throws(DeviceError) -> StepperAxis {
    let motor = axis.stepper
    var wiring = StepperWiring(
      chip: motor.chip, step: motor.step ?? 0, direction: motor.direction ?? 0, enable: motor.enable, home: motor.home)
    wiring.isEnableActiveLow = motor.isEnableActiveLow
    wiring.isReversed = motor.isReversed
    wiring.isHomeActiveLow = motor.isHomeActiveLow
    wiring.homeBias = motor.homeBias
    let settings = StepperAxis.Settings(
      stepsPerTurn: motor.stepsPerTurn, backlash: axis.backlash, homeAngle: motor.homeAngle,
      homeSpeed: min(motor.homeSpeed, axis.topSpeed), homesUpwards: motor.homesUpwards, holdsFor: motor.holdsFor)
    return try StepperAxis(
      name: name, limits: axis.limits, settings: settings, wiring: wiring,
      pulse: .nanoseconds(Int64(motor.pulseMicroseconds * 1000)))
  }

  private mutating func tic(_ name: String, _ axis: AxisConfiguration) throws(DeviceError) -> TicAxis {
    let origin: TicAxis.Origin =
      switch axis.tic.home {
      case .here: .whereItStands
      case .reverseLimit: .limitSwitch(forward: false)
      case .forwardLimit: .limitSwitch(forward: true)
      }
    return try TicAxis(
      name: name, bus: try bus(axis.tic.bus), address: UInt8(axis.tic.address), clock: clock, limits: axis.limits,
      microstepsPerDegree: axis.tic.stepsPerTurn / 360, origin: origin)
  }

  // MARK: lamps, signals, batteries

  private mutating func lamp(_ lamp: LampConfiguration) throws(DeviceError) -> (any Lamp)? {
    switch lamp.driver {
    case .simulated: return nil
    case .gpio:
      let place = GPIOPlace(chip: lamp.chip, offset: lamp.line ?? 0)
      return LineLamp(try GPIOOutput(place, name: lamp.name, isActiveLow: lamp.isActiveLow))
    case .pca9685:
      return PWMLamp(
        name: lamp.name, chip: try pulseChip(lamp.bus, lamp.address), channel: lamp.channel ?? 0,
        isInverted: lamp.isActiveLow)
    }
  }

  private func signal() throws(DeviceError) -> LineSignal {
    let settings = configuration.signal
    func line(_ offset: Int?, _ name: String) throws(DeviceError) -> GPIOOutput? {
      guard let offset else { return nil }
      return try GPIOOutput(
        GPIOPlace(chip: settings.chip, offset: offset), name: name, isActiveLow: settings.isActiveLow)
    }
    // people live in real time
    return LineSignal(
      led: try line(settings.ledLine, "LED"), buzzer: try line(settings.buzzerLine, "buzzer"), clock: BoardClock())
  }

  private mutating func supply(_ battery: BatteryConfiguration) throws(DeviceError) -> (any PowerSupply)? {
    let (name, address) = (battery.name, UInt8(battery.i2cAddress ?? 0))
    switch battery.driver {
    case .simulated: return nil
    case .powerSupply: return SysfsPowerSupply(name: name, supply: battery.supply ?? "")
    case .max17043: return MAX1704x(name: name, variant: .max17043, bus: try bus(battery.bus), address: address)
    case .max17048: return MAX1704x(name: name, variant: .max17048, bus: try bus(battery.bus), address: address)
    case .ina219:
      var wiring = INA219.Wiring()
      wiring.shunt = battery.shunt
      wiring.currentSign = battery.currentSign
      wiring.cells = battery.cells
      return try INA219(name: name, bus: try bus(battery.bus), address: address, wiring: wiring)
    case .bq27441:
      return BQ27441(
        name: name, bus: try bus(battery.bus), clock: clock, address: address,
        designCapacity: battery.designCapacity.map { UInt16(clamping: $0) })
    }
  }

  // MARK: buses and the chips that several devices share

  private mutating func bus(_ name: String) throws(DeviceError) -> any I2CBus {
    if let bus = buses[name] { return bus }
    let bus = RetryingBus(try LinuxI2CBus(name), clock: clock)
    buses[name] = bus
    return bus
  }

  private mutating func pulseChip(_ bus: String, _ address: Int) throws(DeviceError) -> PCA9685 {
    let place = "\(bus) \(address)"
    if let chip = pulseChips[place] { return chip }
    let chip = try PCA9685(
      name: "PCA9685 0x\(String(address, radix: 16)) on \(bus)", bus: try self.bus(bus), clock: clock,
      address: UInt8(address))
    pulseChips[place] = chip
    return chip
  }
}
