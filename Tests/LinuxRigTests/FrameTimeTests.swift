import LinuxRig
import Testing

/// Timestamps of whatever clock, on the rig's.
@Suite struct FrameTimeTests {
  private static let second: Int64 = 1_000_000_000
  /// A machine that was suspended for 1000 s.
  private static let monotonic: Int64 = 5000 * second
  private static let boot: Int64 = 6000 * second

  private func time(_ sensor: Int64, _ buffer: Int64 = 0, boot: Int64 = FrameTimeTests.boot) -> FrameTime {
    FrameTime(sensor: sensor, buffer: buffer, monotonicArrival: Self.monotonic, bootArrival: boot)
  }

  @Test func bothClocksAreUnderstood() {
    let age: Int64 = 40_000_000
    for stamp in [Self.monotonic - age, Self.boot - age] {
      #expect(time(stamp).nanoseconds == Self.monotonic - age && time(stamp).isMeasured)
    }
  }

  @Test func aMachineThatWasSuspendedForAMomentIsUnderstood() {
    // 3 s apart: by the wrong clock the frame would be of the future, or old
    let boot = Self.monotonic + 3 * Self.second
    let age: Int64 = 40_000_000
    #expect(time(Self.monotonic - age, boot: boot).nanoseconds == Self.monotonic - age)
    #expect(time(boot - age, boot: boot).nanoseconds == Self.monotonic - age)
  }

  @Test func theBuffersTimestampStandsIn() {
    let stamp = Self.monotonic - 20_000_000
    #expect(time(0, stamp).nanoseconds == stamp && time(0, stamp).isMeasured)
    #expect(time(12, stamp).nanoseconds == stamp, "a sensor's nonsense is passed over")
  }

  @Test func nonsenseIsNoTimestamp() {
    for stamp in [0, 1, -5, Int64.max, Int64.min, Self.monotonic - 60 * Self.second, Self.boot + Self.second] {
      let found = time(stamp, stamp)
      #expect(found.nanoseconds == Self.monotonic && !found.isMeasured, "\(stamp)")
    }
  }
}
