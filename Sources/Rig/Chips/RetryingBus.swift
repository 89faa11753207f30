/// A bus that tries a transaction again where a glitch may have spoilt it.
///
/// Only `.faulty` and `.timedOut` are tried again, with pauses that double. A chip that does not acknowledge (`.absent`)
/// or a bus we may not use (`.denied`) will not do so a moment later; whoever polls decides how seldom to ask again.
public struct RetryingBus: I2CBus {
  private let bus: any I2CBus
  private let clock: any RigClock
  private let tries: Int
  private let pause: Duration

  /// Wraps a bus. `tries` counts the first one (at least 1); `pause` is what lies between the first and the second, on
  /// the rig's clock.
  public init(
    _ bus: any I2CBus, clock: any RigClock, tries: Int = 3, pause: Duration = .milliseconds(2)
  ) {
    self.bus = bus
    self.clock = clock
    self.tries = max(1, tries)
    self.pause = pause
  }

  /// The wrapped bus's name.
  public var name: String { bus.name }

  /// Performs the messages, as a whole again where they failed. Throws the last try's error, or `.cancelled` when the
  /// task is cancelled in a pause.
  public func transact(address: UInt8, _ messages: [I2CMessage]) async throws(DeviceError) -> [[UInt8]] {
    var wait = pause
    var attempt = 1
    while true {
      do throws(DeviceError) {
        return try await bus.transact(address: address, messages)
      } catch {
        guard attempt < tries, error.kind == .faulty || error.kind == .timedOut else { throw error }
      }
      try await sleep(wait)
      wait *= 2
      attempt += 1
    }
  }

  private func sleep(_ duration: Duration) async throws(DeviceError) {
    do {
      try await clock.sleep(for: duration)
    } catch {
      throw DeviceError(.cancelled, device: name, operation: "wait to try again")
    }
  }
}
