import Imaging

/// What an axis can do.
public struct AxisLimits: Sendable, Hashable {
  /// The allowed positions; nil for an axis that turns without end.
  public var range: ClosedRange<Angle>?
  /// The top speed, per second.
  public var topSpeed: Angle
  /// The acceleration, per second squared.
  public var acceleration: Angle

  /// Limits from their parts.
  public init(range: ClosedRange<Angle>?, topSpeed: Angle, acceleration: Angle) {
    self.range = range
    self.topSpeed = topSpeed
    self.acceleration = acceleration
  }
}

/// One motorised axis: a turntable, pan or tilt.
public protocol Axis: Sendable {
  /// The axis as the configuration names it: `turntable`, `pan`, `tilt`.
  var name: String { get }
  /// Positions, speeds and accelerations it may be asked for.
  var limits: AxisLimits { get }
  /// Where the axis believes it is; nil before it has been homed.
  var position: Angle? { get async }
  /// Finds the origin. Suspends until it is found; throws `.timedOut` if it is not.
  func home() async throws(DeviceError)
  /// Energises, moves and stops there. Suspends until the motion has ended; throws `.outOfRange`, `.faulty`, `.timedOut`,
  /// or `.cancelled` after a `stop()`. `speed` is at most the limit; nil means top speed.
  func move(to target: Angle, speed: Angle?) async throws(DeviceError)
  /// Turns at constant velocity (sign = direction) until `stop()`; returns once the velocity is reached.
  func spin(velocity: Angle) async throws(DeviceError)
  /// Ramps down and stays energised. Never throws and may be called at any time.
  func stop() async
  /// Lets go: no holding current. Never throws and may be called at any time.
  func release() async
  /// Asks for a sign of life; may be called at any time, also during a motion, which it does not disturb. Suspends until
  /// whoever drives the motor has answered: where its thread or its bus hangs, for ever. Throws `.absent` where the device
  /// is gone.
  func check() async throws(DeviceError)
}

extension Axis {
  /// An axis without a thread or a device behind it always answers.
  public func check() async throws(DeviceError) {}
}
