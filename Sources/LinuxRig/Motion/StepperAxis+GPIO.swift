import Rig

extension StepperAxis {
  /// A stepper on lines of a GPIO chip. `pulse` is the length of a pulse, and of the pause after a change of direction. Throws
  /// what requesting the lines throws; nothing moves.
  public init(
    name: String, limits: AxisLimits, settings: Settings, wiring: StepperWiring, pulse: Duration
  ) throws(DeviceError) {
    var timing = StepTrain.Timing()
    timing.pulse = Int64(pulse / .nanoseconds(1))
    timing.directionSetUp = max(timing.directionSetUp, timing.pulse)
    self.init(
      name: name, limits: limits, settings: settings, timing: timing, pins: try GPIOStepperPins(wiring, name: name),
      timer: BoardTimer())
  }
}
