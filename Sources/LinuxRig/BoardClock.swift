import CLinux
import Rig

/// The board's own time, counted from its boot.
public struct BoardClock: RigClock {
  /// A clock.
  public init() {}

  /// The moment it is.
  public var now: RigInstant { RigInstant(sinceOrigin: .nanoseconds(linux_now())) }

  /// Good to the timer's tick.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until a moment; throws where the task is cancelled meanwhile.
  public func sleep(until deadline: RigInstant, tolerance: Duration?) async throws {
    // that clock's origin is another, its pace is the same
    try await Task.sleep(for: now.duration(to: deadline), tolerance: tolerance, clock: .suspending)
  }
}
