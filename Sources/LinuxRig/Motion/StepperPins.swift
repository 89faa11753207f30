import Rig

/// The lines of a step/dir driver (A4988, DRV8825, TMC2209, …) and its home switch.
package protocol StepperPins: Sendable {
  /// Raises or lowers the step line; the driver steps when it rises.
  func setStep(_ isHigh: Bool) throws(DeviceError)
  /// Sets the direction of the steps to come.
  func setDirection(isForward: Bool) throws(DeviceError)
  /// Lets current through the motor, or not.
  func setEnabled(_ isEnabled: Bool) throws(DeviceError)
  /// Whether the home switch is closed; nil where there is none.
  func isHome() throws(DeviceError) -> Bool?
  /// Asks the chip for a sign of life. Throws `.absent` where it has gone.
  func check() throws(DeviceError)
}

/// Time for motion, in nanoseconds. Blocks.
package protocol StepTimer: Sendable {
  /// The moment it is.
  var now: Int64 { get }
  /// Sleeps until a moment.
  func sleep(until moment: Int64)
}
