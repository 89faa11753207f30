import Rig

/// A bus on which some transactions take their time: those whose first byte is within a range wait on the clock before
/// the chip sees them.
actor LateBus: I2CBus {
  nonisolated let name = "i2c-7"
  private let bus: any I2CBus
  private let clock: any RigClock
  private let late: ClosedRange<UInt8>
  private let delay: Duration
  /// How many of them wait now, and how many did at most at the same time.
  private(set) var waiting = 0
  private(set) var mostWaiting = 0

  init(_ bus: any I2CBus, clock: any RigClock, late: ClosedRange<UInt8>, delay: Duration = .milliseconds(15)) {
    self.bus = bus
    self.clock = clock
    self.late = late
    self.delay = delay
  }

  func transact(address: UInt8, _ messages: [I2CMessage]) async throws(DeviceError) -> [[UInt8]] {
    if case .write(let bytes) = messages.first, let first = bytes.first, late.contains(first) {
      waiting += 1
      mostWaiting = max(mostWaiting, waiting)
      let clock = clock
      let delay = delay
      // what is on the bus is not called back, cancelled or not
      await Task.detached { try? await clock.sleep(for: delay) }.value
      waiting -= 1
    }
    return try await bus.transact(address: address, messages)
  }
}
