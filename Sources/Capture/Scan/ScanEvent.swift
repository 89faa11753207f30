import Session

/// How far the scan is.
public struct ScanProgress: Sendable, Hashable {
  /// `prepare`, `plates`, `detect`, `capture` or `park`.
  public var stage: String
  /// Steps done in this stage.
  public var done: Int
  /// Steps in this stage.
  public var of: Int
  /// The share of the whole scan that is done, 0…1: passes count alike, and what is not taking pictures does not count.
  public var fraction: Double
  /// Remaining time of the scan in seconds; nil while unknown.
  public var etaSeconds: Double?
}

/// What became of the pictures at a viewpoint.
public struct ScanSample: Sendable, Hashable {
  /// The verdict.
  public enum Verdict: String, Sendable, Hashable {
    /// A pair is durable in the session.
    case kept
    /// None was good enough: the viewpoint is shot again.
    case retake
    /// Given up on, or not wanted any more.
    case skipped
  }
  /// The verdict.
  public var verdict: Verdict
  /// The pass.
  public var pass: Int
  /// The viewpoint in the pass's plan, from 0; nil for a manual shot.
  public var viewpoint: Int?
  /// The session's number for it, where it was kept.
  public var sequence: Int?
  /// Why, for a person; empty for a plain `kept`.
  public var reason: String
}

/// What a scan tells its subscribers.
public enum ScanEvent: Sendable, Hashable {
  /// The state changed; `reason` is for a person and may be empty. `pass` is 0 outside a scan.
  case state(from: ScanState, to: ScanState, pass: Int, reason: String)
  /// Progress within a stage.
  case progress(ScanProgress)
  /// Directions covered, after each kept shot.
  case coverage(CoverageSummary)
  /// The feedback set changed to this.
  case feedback([ScanFeedback])
  /// A question was asked.
  case prompt(ScanPrompt)
  /// A question was answered, or answered itself (`byTimeout`), or lost its meaning (nil choice).
  case promptClosed(id: Int, choice: ScanChoice?, byTimeout: Bool)
  /// A viewpoint's pictures were judged.
  case sample(ScanSample)
  /// A box was found or set.
  case box(BoxRecord)
  /// Something a person should know that changes nothing by itself.
  case notice(String)
  /// The session is closed; nothing of it is in flight any more.
  case sessionEnded(id: String, outcome: ScanOutcome, shots: Int)
}
