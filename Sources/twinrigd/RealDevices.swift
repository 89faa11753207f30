import Configuration
import LinuxRig
import Rig
import SimulatedRig

/// Opens the real devices of a configuration.
struct RealDevices {
  private let configuration: TwinrigConfiguration

  init(_ configuration: TwinrigConfiguration) { self.configuration = configuration }

  /// Puts each in the place that a simulated one has in the rig. The cameras of a simulated world see what real motors do.
  /// Throws what the first that failed says.
  func take(their rig: inout CaptureRig, coupledTo world: SimulatedWorld) throws(DeviceError) {
    if let axis = try stepper("turntable", configuration.turntable, world) { rig.turntable = axis }
    if let axis = try stepper("pan", configuration.pan, world) { rig.pan = axis }
    if let axis = try stepper("tilt", configuration.tilt, world) { rig.tilt = axis }
    for (index, lamp) in configuration.lamps.enumerated() where lamp.driver == .gpio {
      let place = GPIOPlace(chip: lamp.chip, offset: lamp.line ?? 0)
      rig.lamps[index] = LineLamp(try GPIOOutput(place, name: "lamp \(lamp.name)", isActiveLow: lamp.isActiveLow))
    }
    for (index, button) in configuration.buttons.enumerated() where button.driver == .gpio {
      rig.buttons[index].line = try GPIOInput(
        GPIOPlace(chip: button.chip, offset: button.line ?? 0), name: "button \(button.id)", bias: button.bias,
        isActiveLow: button.isActiveLow, debounce: button.debounce)
    }
    if configuration.signal.driver == .gpio { rig.signal = try signal(rig.clock) }
    for (index, battery) in configuration.batteries.enumerated() where battery.driver == .powerSupply {
      rig.power[index] = SysfsPowerSupply(name: battery.name, supply: battery.supply ?? "")
    }
  }

  private func stepper(
    _ name: String, _ axis: AxisConfiguration, _ world: SimulatedWorld
  ) throws(DeviceError) -> StepperAxis? {
    guard axis.driver == .stepper else { return nil }
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
    let stepper = try StepperAxis(
      name: name, limits: axis.limits, settings: settings, wiring: wiring,
      pulse: .nanoseconds(Int64(motor.pulseMicroseconds * 1000)))
    world.couple(name) { stepper.drivePosition }
    return stepper
  }

  private func signal(_ clock: any RigClock) throws(DeviceError) -> LineSignal {
    let settings = configuration.signal
    func line(_ offset: Int?, _ name: String) throws(DeviceError) -> GPIOOutput? {
      guard let offset else { return nil }
      return try GPIOOutput(
        GPIOPlace(chip: settings.chip, offset: offset), name: name, isActiveLow: settings.isActiveLow)
    }
    return LineSignal(
      led: try line(settings.ledLine, "LED"), buzzer: try line(settings.buzzerLine, "buzzer"), clock: clock)
  }
}
