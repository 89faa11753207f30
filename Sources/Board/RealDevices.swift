import Configuration
import Imaging
import LinuxRig
import Rig
import SimulatedRig
import Synchronization

/// The real devices of a configuration that was checked. Each is opened in the background, and again whenever it was gone
/// and has come back.
struct RealDevices {
  private let configuration: TwinrigConfiguration
  private let clock: any RigClock
  private let register: DeviceRegister
  private var buses: [String: any I2CBus] = [:]
  private var pulseChips: [String: PCA9685] = [:]

  /// What waits, waits on `clock`; `register` is told what comes and goes.
  init(_ configuration: TwinrigConfiguration, clock: any RigClock, register: DeviceRegister) {
    self.configuration = configuration
    self.clock = clock
    self.register = register
  }

  /// Puts each in the place that a simulated one has in the rig. The cameras of a simulated world see what step/dir motors
  /// do. Throws what no device could do as configured; one that is not there is no error.
  mutating func take(their rig: inout CaptureRig, coupledTo world: SimulatedWorld) throws(DeviceError) {
    if let axis = try axis("turntable", configuration.turntable, world) { rig.turntable = axis }
    if let axis = try axis("pan", configuration.pan, world) { rig.pan = axis }
    if let axis = try axis("tilt", configuration.tilt, world) { rig.tilt = axis }
    for (index, settings) in configuration.lamps.enumerated() {
      if let lamp = try lamp(settings) { rig.lamps[index] = lamp }
    }
    for (index, button) in configuration.buttons.enumerated() where button.driver == .gpio {
      rig.buttons[index].line = input(button)
    }
    if configuration.signal.driver == .gpio { rig.signal = signal() }
    for (index, battery) in configuration.batteries.enumerated() {
      if let supply = try supply(battery) { rig.power[index] = supply }
    }
  }

  // MARK: axes

  private mutating func axis(
    _ name: String, _ axis: AxisConfiguration, _ world: SimulatedWorld
  ) throws(DeviceError) -> (any Axis)? {
    let device: Reopening<any Axis>
    switch axis.driver {
    case .simulated, .none: return nil
    case .stepper:
      device = reopening("axis", name, check: { axis throws(DeviceError) in try await axis.check() }) {
        () throws(DeviceError) in try Self.stepper(name, axis)
      }
      let place = LastPlace()
      world.couple(name) { place.followed(by: device.current as? StepperAxis) }
    case .tic:
      let bus = bus(axis.tic.bus)
      device = try onBus("axis", name, check: { axis throws(DeviceError) in try await axis.check() }) {
        [clock] () throws(DeviceError) in try Self.tic(name, axis, on: bus, clock)
      }
    case .servo:
      var servo = ServoAxis.Servo()
      servo.zeroPulse = axis.servo.zeroPulse
      servo.pulsePerDegree = axis.servo.pulsePerDegree
      let chip = try pulseChip(axis.servo.bus, axis.servo.address)
      device = try onBus("axis", name, check: { axis throws(DeviceError) in try await axis.check() }) {
        [clock, servo] () throws(DeviceError) in
        try ServoAxis(
          name: name, chip: chip, channel: axis.servo.channel ?? 0, clock: clock, limits: axis.limits, servo: servo)
      }
    }
    return ReopeningAxis(device, limits: axis.limits)
  }

  private static func stepper(_ name: String, _ axis: AxisConfiguration) throws(DeviceError) -> StepperAxis {
    let motor = axis.stepper
    let settings = StepperAxis.Settings(
      stepsPerTurn: motor.stepsPerTurn, backlash: axis.backlash, homeAngle: motor.homeAngle,
      homeSpeed: min(motor.homeSpeed, axis.topSpeed), homesUpwards: motor.homesUpwards, holdsFor: motor.holdsFor)
    return try StepperAxis(
      name: name, limits: axis.limits, settings: settings, wiring: StepperWiring(motor),
      pulse: .nanoseconds(Int64(motor.pulseMicroseconds * 1000)))
  }

  private static func tic(
    _ name: String, _ axis: AxisConfiguration, on bus: any I2CBus, _ clock: any RigClock
  ) throws(DeviceError) -> TicAxis {
    let origin: TicAxis.Origin =
      switch axis.tic.home {
      case .here: .whereItStands
      case .reverseLimit: .limitSwitch(forward: false)
      case .forwardLimit: .limitSwitch(forward: true)
      }
    return try TicAxis(
      name: name, bus: bus, address: UInt8(axis.tic.address), clock: clock, limits: axis.limits,
      microstepsPerDegree: axis.tic.stepsPerTurn / 360, origin: origin)
  }

  // MARK: lines, lamps, batteries

  private func input(_ button: ButtonConfiguration) -> ReopeningInput {
    let name = "button \(button.id)"
    let place = GPIOPlace(chip: button.chip, offset: button.line ?? 0)
    return ReopeningInput(
      reopening("button", name, check: { line throws(DeviceError) in _ = try await line.read() }) {
        () throws(DeviceError) in
        try GPIOInput(
          place, name: name, bias: button.bias, isActiveLow: button.isActiveLow, debounce: button.debounce)
      })
  }

  private func output(_ kind: String, _ place: GPIOPlace, _ name: String, isActiveLow: Bool) -> ReopeningOutput<
    GPIOOutput
  > {
    ReopeningOutput(
      reopening(kind, name, check: { line throws(DeviceError) in try await line.check() }) {
        () throws(DeviceError) in try GPIOOutput(place, name: name, isActiveLow: isActiveLow)
      })
  }

  private mutating func lamp(_ lamp: LampConfiguration) throws(DeviceError) -> (any Lamp)? {
    switch lamp.driver {
    case .simulated: return nil
    case .gpio:
      let place = GPIOPlace(chip: lamp.chip, offset: lamp.line ?? 0)
      return LineLamp(output("lamp", place, lamp.name, isActiveLow: lamp.isActiveLow))
    case .pca9685:
      let chip = try pulseChip(lamp.bus, lamp.address)
      return ReopeningLamp(
        try onBus("lamp", lamp.name, check: { _ throws(DeviceError) in try await chip.check() }) {
          () throws(DeviceError) in
          PWMLamp(name: lamp.name, chip: chip, channel: lamp.channel ?? 0, isInverted: lamp.isActiveLow)
        })
    }
  }

  private func signal() -> LineSignal {
    let settings = configuration.signal
    func line(_ offset: Int?, _ name: String) -> ReopeningOutput<GPIOOutput>? {
      guard let offset else { return nil }
      return output(
        "signal", GPIOPlace(chip: settings.chip, offset: offset), name, isActiveLow: settings.isActiveLow)
    }
    // people live in real time
    return LineSignal(
      led: line(settings.ledLine, "LED"), buzzer: line(settings.buzzerLine, "buzzer"), clock: BoardClock())
  }

  private mutating func supply(_ battery: BatteryConfiguration) throws(DeviceError) -> (any PowerSupply)? {
    if battery.driver == .simulated { return nil }
    let bus = battery.driver == .powerSupply ? nil : bus(battery.bus)
    let gauge = { @Sendable [clock] () throws(DeviceError) -> any PowerSupply in
      if let bus, let gauge = try battery.gauge(named: battery.name, on: bus, clock: clock) { return gauge }
      return SysfsPowerSupply(name: battery.name, supply: battery.supply ?? "")
    }
    // a gauge is read every few seconds: nobody has to ask it besides
    return ReopeningSupply(
      try onBus(
        "battery", battery.name, check: { _ throws(DeviceError) in },
        opens: { supply throws(DeviceError) in _ = try await supply.read() }, gauge), source: try gauge().source)
  }

  // MARK: buses and the chips that several devices share

  private mutating func bus(_ name: String) -> any I2CBus {
    if let bus = buses[name] { return bus }
    let device = Reopening<LinuxI2CBus>(
      kind: "bus", name: name, register: register, isLoss: LinuxI2CBus.isGone,
      check: { bus throws(DeviceError) in try await bus.check() }
    ) { () throws(DeviceError) in try LinuxI2CBus(name) }
    let bus = RetryingBus(ReopeningBus(device), clock: clock)
    buses[name] = bus
    return bus
  }

  private mutating func pulseChip(_ bus: String, _ address: Int) throws(DeviceError) -> PCA9685 {
    let name = Self.pulseChipName(bus, address)
    if let chip = pulseChips[name] { return chip }
    let chip = try PCA9685(name: name, bus: self.bus(bus), clock: clock, address: UInt8(address))
    pulseChips[name] = chip
    return chip
  }

  /// How people are told of a PCA9685.
  static func pulseChipName(_ bus: String, _ address: Int) -> String {
    "PCA9685 0x\(String(address, radix: 16)) on \(bus)"
  }

  // MARK: coming and going

  private func reopening<Device: Sendable>(
    _ kind: String, _ name: String, check: @escaping Reopening<Device>.Check,
    _ open: @escaping Reopening<Device>.Open
  ) -> Reopening<Device> {
    Reopening(kind: kind, name: name, register: register, check: check, open: open)
  }

  /// A chip on a bus: it is there once it has answered. Throws what it could not do as configured.
  private func onBus<Device: Sendable>(
    _ kind: String, _ name: String, check: @escaping Reopening<Device>.Check,
    opens: Reopening<Device>.Check? = nil, _ make: @escaping @Sendable () throws(DeviceError) -> Device
  ) throws(DeviceError) -> Reopening<Device> {
    _ = try make()
    return reopening(kind, name, check: check) { () throws(DeviceError) in
      let device = try make()
      try await (opens ?? check)(device)
      return device
    }
  }
}

/// Where a motor was last seen, for a world that looks at it.
private final class LastPlace: Sendable {
  private let angle = Mutex(Angle.zero)

  func followed(by axis: StepperAxis?) -> Angle {
    angle.withLock { angle in
      if let axis { angle = axis.drivePosition }
      return angle
    }
  }
}

extension StepperWiring {
  /// As configured.
  init(_ motor: StepperConfiguration) {
    self.init(
      chip: motor.chip, step: motor.step ?? 0, direction: motor.direction ?? 0, enable: motor.enable, home: motor.home)
    isEnableActiveLow = motor.isEnableActiveLow
    isReversed = motor.isReversed
    isHomeActiveLow = motor.isHomeActiveLow
    homeBias = motor.homeBias
  }
}
