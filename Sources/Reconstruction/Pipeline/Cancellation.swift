import Synchronization

/// A flag that asks a reconstruction to stop. May be raised from any thread and more than once; the running stage notices at
/// its next step, ends, and leaves the checkpoints of all finished stages.
public final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)

  /// Not cancelled.
  public init() {}
  /// Asks to stop.
  public func cancel() { flag.store(true, ordering: .relaxed) }
  /// Whether somebody asked.
  public var isCancelled: Bool { flag.load(ordering: .relaxed) }
}
