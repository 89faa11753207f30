/// What a stage tells while it works, and how it learns that it is no longer wanted. Stages call `step` often (at least
/// a few times a second) and let the error through.
public protocol StageProgress: Sendable {
  /// `done` of `total` units of the running stage are finished. Throws `.cancelled` when the job was cancelled.
  func step(done: Int, of total: Int) throws(ReconstructionError)
}

/// For callers that do not care.
public struct NoProgress: StageProgress {
  /// Nothing to set up.
  public init() {}
  /// Does nothing.
  public func step(done: Int, of total: Int) throws(ReconstructionError) {}
}
