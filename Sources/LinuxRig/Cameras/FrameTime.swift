/// When a frame was exposed, on the rig's clock (CLOCK_MONOTONIC).
///
/// libcamera promises CLOCK_BOOTTIME, and many drivers hand on the kernel's CLOCK_MONOTONIC; the two differ by the time that
/// the machine was suspended. Old pipelines have no sensor timestamp, and some buffers' timestamps are never written.
package struct FrameTime: Sendable, Hashable {
  /// Nanoseconds on CLOCK_MONOTONIC.
  package var nanoseconds: Int64
  /// Whether a driver measured it. Otherwise it is when the frame was complete.
  package var isMeasured: Bool

  /// No frame takes longer from its exposure to its completion.
  private static let oldest: Int64 = 10_000_000_000
  /// The clock may be read a little before the driver did.
  private static let newest: Int64 = -1_000_000

  /// Takes the first timestamp that can be one; 0 is none.
  package init(sensor: Int64, buffer: Int64, monotonicArrival: Int64, bootArrival: Int64) {
    for stamp in [sensor, buffer] where stamp > 0 {
      // of the two clocks, the one by which it came not before its time, and soonest after
      let ages = [monotonicArrival, bootArrival].map { $0.subtractingReportingOverflow(stamp) }
        .filter { !$0.overflow && $0.partialValue > Self.newest && $0.partialValue < Self.oldest }
      if let age = ages.map(\.partialValue).min() {
        self.init(nanoseconds: monotonicArrival - age, isMeasured: true)
        return
      }
    }
    self.init(nanoseconds: monotonicArrival, isMeasured: false)
  }

  private init(nanoseconds: Int64, isMeasured: Bool) {
    self.nanoseconds = nanoseconds
    self.isMeasured = isMeasured
  }
}
