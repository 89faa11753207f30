import CLinux
import Synchronization

/// A named thread for work that blocks, so that the cooperative pool never does.
package enum BlockingThread {
  private final class Body {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  /// Starts a detached thread; `name` has at most 15 bytes. Returns 0 or a negative errno.
  package static func start(_ name: String, _ run: @escaping @Sendable () -> Void) -> Int32 {
    let body = Unmanaged.passRetained(Body(run))
    let result = linux_thread_start(
      name, { Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().run() }, body.toOpaque())
    if result != 0 { body.release() }
    return result
  }

  /// Runs a piece of work on a thread of its own and waits for it without blocking. Where no thread is to be had, it runs
  /// here.
  package static func result<Value: Sendable>(_ name: String, _ work: @escaping @Sendable () -> Value) async -> Value {
    let passage = Passage()
    let value = await withCheckedContinuation { continuation in
      let run = { @Sendable in
        let value = work()
        passage.pass()
        continuation.resume(returning: value)
      }
      if start(name, run) != 0 { run() }
    }
    passage.pass()
    return value
  }
}

/// Where a value goes from one thread to another: the thread sanitizer follows a lock that both have held, but not a
/// continuation that is resumed before anybody waits for it.
private final class Passage: Sendable {
  private let lock = Mutex(())

  func pass() { lock.withLock { _ in } }
}
