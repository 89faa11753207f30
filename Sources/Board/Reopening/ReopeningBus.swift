import Rig

/// A bus that may be absent as a whole: an adapter that is unplugged, a driver that is not loaded yet.
package struct ReopeningBus<Bus: I2CBus>: I2CBus {
  /// The bus as the configuration names it.
  package let name: String
  private let bus: Reopening<Bus>

  /// A bus behind an adapter that comes and goes.
  package init(_ bus: Reopening<Bus>) {
    name = bus.name
    self.bus = bus
  }

  /// Performs the messages. Throws why the bus is absent, and what it throws.
  package func transact(address: UInt8, _ messages: [I2CMessage]) async throws(DeviceError) -> [[UInt8]] {
    try await bus.perform { bus throws(DeviceError) in try await bus.transact(address: address, messages) }
  }
}
