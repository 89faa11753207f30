import Rig

/// A power supply whose gauge may be absent.
package struct ReopeningSupply: PowerSupply {
  /// The battery as the configuration names it.
  package let name: String
  /// The kind of gauge.
  package let source: String
  private let supply: Reopening<any PowerSupply>

  /// A supply behind a gauge that comes and goes.
  package init(_ supply: Reopening<any PowerSupply>, source: String) {
    name = supply.name
    self.source = source
    self.supply = supply
  }

  /// A raw reading. Throws why the gauge is absent, and what it throws.
  package func read() async throws(DeviceError) -> PowerReading {
    try await supply.perform { supply throws(DeviceError) in try await supply.read() }
  }
}
