/// How well real cameras keep together, since they were opened first.
public struct CameraStatistics: Sendable, Hashable {
  /// The cameras as their driver calls them; empty until they are known.
  public var left = "", right = ""
  /// Pairs that came.
  public var pairs = 0
  /// Frames whose twin never came, once there had been a pair.
  public var leftOrphans = 0, rightOrphans = 0
  /// Frames that a camera reported as damaged.
  public var damaged = 0
  /// Frames without a usable timestamp: they were paired by when they were complete.
  public var untimed = 0
  /// Right minus left time of the last pair, and the largest distance of any pair, in nanoseconds.
  public var lastSkew: Int64 = 0, worstSkew: Int64 = 0
  /// Pairs further apart than `skewLimit`.
  public var skewedPairs = 0
  /// How often the pipeline was built up again.
  public var restarts = 0

  /// A pair of still things may be further apart; of moving ones it shows. Nanoseconds.
  public static let skewLimit: Int64 = 2_000_000

  /// Nothing has happened yet.
  public init() {}

  /// Whether the last pair is near enough.
  public var isTogether: Bool { lastSkew.magnitude <= UInt64(Self.skewLimit) }

  /// Counts a frame without a twin.
  public mutating func noteOrphan(isLeft: Bool) {
    if isLeft { leftOrphans += 1 } else { rightOrphans += 1 }
  }

  /// Counts a pair.
  public mutating func note(skew: Int64) {
    pairs += 1
    lastSkew = skew
    worstSkew = max(worstSkew, Int64(clamping: skew.magnitude))
    if !isTogether { skewedPairs += 1 }
  }
}
