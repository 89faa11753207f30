import Synchronization

/// Results of numbered work items that come in any order.
final class Slots<Value: Sendable>: Sendable {
  private let slots: Mutex<[Value?]>

  init(count: Int) { slots = Mutex([Value?](repeating: nil, count: count)) }

  subscript(index: Int) -> Value? {
    get { slots.withLock { $0[index] } }
    set { slots.withLock { $0[index] = newValue } }
  }

  /// All results in order; every item must have delivered.
  var values: [Value] { slots.withLock { $0.map { $0! } } }
}

/// Counts finished work items of many threads for the stage's progress.
final class Tally: Sendable {
  private let progress: any StageProgress
  private let total: Int
  private let done = Mutex(0)

  init(_ progress: any StageProgress, of total: Int) {
    self.progress = progress
    self.total = total
  }

  /// Throws `.cancelled` when nobody wants the rest.
  func check() throws(ReconstructionError) { try report(0) }

  /// One more is done. Throws `.cancelled` when nobody wants the rest.
  func advance() throws(ReconstructionError) { try report(1) }

  private func report(_ more: Int) throws(ReconstructionError) {
    let result: Result<Void, ReconstructionError> = done.withLock { done in
      done += more
      do throws(ReconstructionError) {
        try progress.step(done: min(done, total), of: total)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }
}
