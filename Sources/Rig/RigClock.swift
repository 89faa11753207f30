/// A moment on a rig's clock, counted from an origin of the rig's own (on a board: boot).
public struct RigInstant: InstantProtocol, Sendable, Hashable {
  /// Time since the origin.
  public var sinceOrigin: Duration

  /// A moment so long after the origin.
  public init(sinceOrigin: Duration) { self.sinceOrigin = sinceOrigin }
  /// The moment `duration` later.
  public func advanced(by duration: Duration) -> RigInstant { RigInstant(sinceOrigin: sinceOrigin + duration) }
  /// How long from here to `other`.
  public func duration(to other: RigInstant) -> Duration { other.sinceOrigin - sinceOrigin }
  /// Orders by time.
  public static func < (a: RigInstant, b: RigInstant) -> Bool { a.sinceOrigin < b.sinceOrigin }
}

/// Physical time on a rig. What the rig itself needs (a move, settling, an exposure) is waited for on this clock, and a
/// simulated world may let it pass at once. Waiting for a *person* is done on a `ContinuousClock` instead: people live
/// in real time.
public protocol RigClock: Clock<Duration>, Sendable where Instant == RigInstant {}
