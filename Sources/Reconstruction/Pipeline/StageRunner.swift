import Imaging

/// Runs one stage after the other: announces it, keeps its time, takes its result from a checkpoint where there is one and
/// makes one where there is not.
final class StageRunner: StageProgress {
  let clock: JobClock
  private let cancellation: Cancellation
  private let report: @Sendable (ReconstructionEvent) -> Void
  private let stage: ReconstructionStage

  /// Progress of `stage`.
  init(
    _ stage: ReconstructionStage, clock: JobClock, cancellation: Cancellation,
    report: @escaping @Sendable (ReconstructionEvent) -> Void
  ) {
    self.stage = stage
    self.clock = clock
    self.cancellation = cancellation
    self.report = report
  }

  func step(done: Int, of total: Int) throws(ReconstructionError) {
    if cancellation.isCancelled {
      throw ReconstructionError(.cancelled, "cancelled during the stage \(stage.rawValue)")
    }
    guard total > 0, let state = clock.step(Double(done) / Double(total)) else { return }
    report(.progress(stage, fraction: state.fraction, remaining: state.remaining))
  }

  /// Does the stage's work.
  func run<Result>(
    _ work: (any StageProgress) throws(ReconstructionError) -> Result
  ) throws(ReconstructionError) -> Result {
    try begin()
    let result = try place(work)
    end(isResumed: false)
    return result
  }

  /// The work's result. An error that memory ran out says where it did, and what to do.
  private func place<Result>(
    _ work: (any StageProgress) throws(ReconstructionError) -> Result
  ) throws(ReconstructionError) -> Result {
    do throws(ReconstructionError) {
      return try work(self)
    } catch  where error.kind == .outOfMemory {
      throw ReconstructionError(
        .outOfMemory, place: error.place,
        "\(error.message) at the stage \(stage.rawValue); \(ReconstructionError.memoryAdvice)")
    }
  }

  /// The stage's result from a checkpoint, or else by work, which then leaves one. `lost` is told why one that was there is of
  /// no use, and why one could not be left.
  func run<Result: Archivable>(
    keptIn store: CheckpointStore, lost: (String) -> Void,
    _ work: (any StageProgress) throws(ReconstructionError) -> Result
  ) throws(ReconstructionError) -> Result {
    try begin()
    if let kept = store.load(stage.rawValue, as: Result.self, damaged: lost) {
      end(isResumed: true)
      return kept
    }
    let result = try place(work)
    if let reason = try store.save(result, as: stage.rawValue) { lost(reason) }
    end(isResumed: false)
    return result
  }

  private func begin() throws(ReconstructionError) {
    clock.begin(stage)
    report(.stage(stage))
    try step(done: 0, of: 1)
  }

  private func end(isResumed: Bool) {
    clock.end(isResumed: isResumed)
    if let state = clock.step(0, always: true) {
      report(.progress(stage, fraction: state.fraction, remaining: state.remaining))
    }
  }
}
