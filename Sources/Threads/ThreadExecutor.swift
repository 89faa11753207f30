#if canImport(Glibc)
  import Glibc
#endif
import Synchronization

/// A thread of one's own for an actor that blocks on the disk or computes for long: such work must not take a thread of
/// the cooperative pool. The thread ends with the executor.
package final class ThreadExecutor: SerialExecutor, Sendable {
  private let queue: JobQueue

  /// Starts the thread.
  package init() {
    queue = JobQueue()
    let argument = Unmanaged.passRetained(queue)
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, threadMain, argument.toOpaque())
    precondition(code == 0, "no thread: \(String(cString: strerror(code)))")
    pthread_detach(thread)
  }

  deinit { queue.close() }

  /// Takes a job.
  package func enqueue(_ job: consuming ExecutorJob) {
    queue.add(QueuedJob(job: UnownedJob(job), executor: asUnownedSerialExecutor()))
  }

  /// Itself.
  package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

private struct QueuedJob: Sendable {
  let job: UnownedJob
  let executor: UnownedSerialExecutor
}

/// Jobs in order, and a semaphore that counts them.
private final class JobQueue: Sendable {
  private struct State {
    var jobs: [QueuedJob] = []
    var isClosed = false
  }
  private let state = Mutex(State())
  /// Only handed to sem_wait and sem_post, which any thread may call.
  private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }
  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func add(_ job: QueuedJob) {
    state.withLock { $0.jobs.append(job) }
    sem_post(semaphore)
  }

  func close() {
    state.withLock { $0.isClosed = true }
    sem_post(semaphore)
  }

  /// Runs jobs until the queue is closed.
  func drain() {
    while true {
      while sem_wait(semaphore) != 0 {}
      let next: QueuedJob?? = state.withLock { state in
        if !state.jobs.isEmpty { return state.jobs.removeFirst() }
        return state.isClosed ? .some(nil) : nil
      }
      guard let next else { continue }
      guard let next else { return }
      next.job.runSynchronously(on: next.executor)
    }
  }
}

private func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let argument { Unmanaged<JobQueue>.fromOpaque(argument).takeRetainedValue().drain() }
  return nil
}
