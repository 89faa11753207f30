#if canImport(Glibc)
  import Glibc
#endif
import Synchronization

/// Plain threads for kernels: never the cooperative pool. Work items are numbered; which thread takes which is left to
/// chance, so an item may only write what belongs to it, and results do not depend on the number of threads.
public enum Parallel {
  /// How many processors are at work in this machine.
  public static let processorCount = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  /// Calls `body` once for each of `0..<count`, on at most `threads` threads (the calling one included), and returns
  /// when all are done. The first error (that of the lowest item that failed) stops the handing out and is thrown.
  public static func forEach<Failure: Error>(
    _ count: Int, threads: Int = processorCount, _ body: @Sendable (Int) throws(Failure) -> Void
  ) throws(Failure) {
    let workers = min(threads, count)
    if workers <= 1 {
      for i in 0..<max(0, count) { try body(i) }
      return
    }
    let failure: Failure? = withoutActuallyEscaping(body) {
      (escaping: @escaping @Sendable (Int) throws(Failure) -> Void) in
      let crew = Crew(count: count, body: escaping)
      crew.run(workers: workers)
      return crew.failure
    }
    if let failure { throw failure }
  }

  /// Splits `0..<count` into bands of `band` and calls `body` once for each of them, as `forEach` does.
  public static func bands<Failure: Error>(
    _ count: Int, of band: Int, threads: Int = processorCount, _ body: @Sendable (Range<Int>) throws(Failure) -> Void
  ) throws(Failure) {
    let size = max(1, band)
    try forEach((count + size - 1) / size, threads: threads) { (i) throws(Failure) in
      try body(i * size..<min(count, (i + 1) * size))
    }
  }
}

/// The threads of one `forEach` and what they share.
private final class Crew<Failure: Error>: Sendable {
  private let count: Int
  private let body: @Sendable (Int) throws(Failure) -> Void
  private let next = Atomic<Int>(0)
  private let failed = Mutex<(item: Int, error: Failure)?>(nil)

  init(count: Int, body: @escaping @Sendable (Int) throws(Failure) -> Void) {
    self.count = count
    self.body = body
  }

  var failure: Failure? { failed.withLock { $0?.error } }

  /// Runs on the calling thread and `workers - 1` others; fewer where the system has no more threads to give.
  func run(workers: Int) {
    var threads: [pthread_t] = []
    for _ in 1..<workers {
      let work = Unmanaged.passRetained(Work { self.drain() })
      var thread = pthread_t()
      if pthread_create(&thread, nil, threadMain, work.toOpaque()) == 0 {
        threads.append(thread)
      } else {
        work.release()
      }
    }
    drain()
    for thread in threads { pthread_join(thread, nil) }
  }

  private func drain() {
    while true {
      let item = next.wrappingAdd(1, ordering: .relaxed).oldValue
      guard item < count else { return }
      do {
        try body(item)
      } catch {
        next.store(count, ordering: .relaxed)
        failed.withLock { first in
          if item < first?.item ?? Int.max { first = (item, error) }
        }
        return
      }
    }
  }
}

/// What a new thread is handed.
private final class Work: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
  return nil
}
