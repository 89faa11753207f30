import Rig

/// A lamp that may be absent. When it is back it has the level that was last asked for.
package struct ReopeningLamp: Lamp {
  /// The lamp as the configuration names it.
  package let name: String
  private let lamp: Reopening<any Lamp>
  private let wish: LastWish<any Lamp, Double>

  /// A lamp behind a device that comes and goes.
  package init(_ lamp: Reopening<any Lamp>) {
    name = lamp.name
    self.lamp = lamp
    wish = LastWish(of: lamp) { lamp, level throws(DeviceError) in try await lamp.set(level: level) }
  }

  /// Sets its brightness, 0…1. Throws why it is absent, and what the lamp throws.
  package func set(level: Double) async throws(DeviceError) {
    if (0...1).contains(level) { wish.want(level) }
    try await lamp.perform { lamp throws(DeviceError) in try await lamp.set(level: level) }
  }
}
