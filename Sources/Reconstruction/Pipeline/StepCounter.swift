import Synchronization

/// Counts finished units of a stage from many threads and passes them on.
final class StepCounter: Sendable {
  private let total: Int
  private let progress: any StageProgress
  private let done = Atomic<Int>(0)

  /// `total` units are to come.
  init(total: Int, _ progress: any StageProgress) {
    self.total = total
    self.progress = progress
  }

  /// Another unit, or several, are finished. Throws `.cancelled` when the job was cancelled.
  func advance(by count: Int = 1) throws(ReconstructionError) {
    let now = done.wrappingAdd(count, ordering: .relaxed).newValue
    try progress.step(done: min(now, total), of: total)
  }
}
