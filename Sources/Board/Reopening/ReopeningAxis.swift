import Imaging
import Rig

/// An axis that may be absent. One that has come back does not know where it is: it has to be homed.
package struct ReopeningAxis: Axis {
  /// The axis as the configuration names it.
  package let name: String
  /// What it may be asked for.
  package let limits: AxisLimits
  private let axis: Reopening<any Axis>

  /// An axis behind a device that comes and goes.
  package init(_ axis: Reopening<any Axis>, limits: AxisLimits) {
    name = axis.name
    self.limits = limits
    self.axis = axis
  }

  /// Where it believes it is; nil while it is absent, and until it has been homed again.
  package var position: Angle? { get async { await axis.current?.position } }

  /// Homes it. Throws why it is absent, and what the axis throws.
  package func home() async throws(DeviceError) {
    try await axis.perform { axis throws(DeviceError) in try await axis.home() }
  }

  /// Moves it. Throws why it is absent, and what the axis throws.
  package func move(to target: Angle, speed: Angle?) async throws(DeviceError) {
    try await axis.perform { axis throws(DeviceError) in try await axis.move(to: target, speed: speed) }
  }

  /// Turns it. Throws why it is absent, and what the axis throws.
  package func spin(velocity: Angle) async throws(DeviceError) {
    try await axis.perform { axis throws(DeviceError) in try await axis.spin(velocity: velocity) }
  }

  /// Ramps down, where it is there.
  package func stop() async { await axis.current?.stop() }

  /// Lets go, where it is there.
  package func release() async { await axis.current?.release() }

  /// Asks it for a sign of life, where it is there.
  package func check() async throws(DeviceError) { await axis.look() }
}
