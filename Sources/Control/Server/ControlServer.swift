import CLinux
import Synchronization
import Threads

/// Serves the line protocol on a local socket. One thread polls, reads, writes and keeps time; handlers run as tasks. No
/// client can slow the agent down or another client: nothing here waits for a client.
public final class ControlServer: Sendable {
  /// What the server reports for the log.
  public enum Notice: Sendable {
    /// A client came, and who it is.
    case connected(Peer)
    /// A client went.
    case disconnected(Peer)
    /// A client came although the house was full.
    case refused(Peer)
    /// A client did not read and was given up.
    case tooSlow(Peer)
    /// The system refused something.
    case fault(ControlError)
  }

  struct State {
    var isServing = false
    var connections: [Connection] = []
    /// Events that describe the current state, oldest first.
    var current: [(key: String, event: Event)] = []
    /// The last jobs that ended, for a watch that comes too late.
    var endedJobs: [Int] = []
    var nextConnection = 0
    var stopRequested: Duration?
    var hasStopped = false
    var onStopped: [CheckedContinuation<Void, Never>] = []
  }

  let greeting: String
  let limits: ServerLimits
  let notice: @Sendable (Notice) -> Void
  let waker: Int32
  let state = Mutex(State())

  /// A server that does not serve yet; events that describe a state are kept for its clients to come. `greeting` is what
  /// the first line says after `OK twinrig 1`.
  public init(
    greeting: Fields, limits: ServerLimits = ServerLimits(), notice: @escaping @Sendable (Notice) -> Void = { _ in }
  ) throws(ControlError) {
    self.greeting = "OK twinrig 1 \(greeting)\n"
    self.limits = limits
    self.notice = notice
    waker = linux_waker_create()
    guard waker >= 0 else {
      throw ControlError(.system, path: "eventfd", operation: "make an event descriptor", errno: -waker)
    }
  }

  deinit { linux_close(waker) }

  /// Starts to serve at `endpoint`, once. The thread keeps the server until `stop()`.
  public func start(at endpoint: SocketEndpoint, handler: any CommandHandler) throws(ControlError) {
    let isFirst = state.withLock { state in
      defer { state.isServing = true }
      return !state.isServing && !state.hasStopped
    }
    precondition(isFirst, "a server serves once")
    let started = BlockingThread.start("control") { self.serve(endpoint, handler) }
    guard started == 0 else {
      state.withLock { $0.isServing = false }
      throw ControlError(.system, path: endpoint.path, operation: "start a thread", errno: -started)
    }
  }

  /// Tells the clients that watch for it. Never waits.
  public func publish(_ event: Event) {
    let now = Self.now()
    state.withLock { state in
      switch event.retention {
      case .momentary: break
      case .current(let key):
        state.current.removeAll { $0.key == key }
        state.current.append((key, event))
      case .clears(let key): state.current.removeAll { $0.key == key }
      }
      if event.endsJob, let job = event.job {
        state.endedJobs.append(job)
        if state.endedJobs.count > 256 { state.endedJobs.removeFirst() }
      }
      for index in state.connections.indices { state.connections[index].offer(event, now: now) }
    }
    linux_waker_wake(waker)
  }

  /// Stops listening, lets answers under way go out for a moment, closes all clients. Returns when that is done.
  public func stop() async {
    await withCheckedContinuation { continuation in
      let hasStopped = state.withLock { state in
        if state.hasStopped || !state.isServing { return true }
        state.stopRequested = state.stopRequested ?? Self.now()
        state.onStopped.append(continuation)
        return false
      }
      if hasStopped { continuation.resume() } else { linux_waker_wake(waker) }
    }
  }

  /// Time since boot: the `t=` of events.
  static func now() -> Duration { .nanoseconds(Int64(linux_seconds_since_boot() * 1e9)) }

  /// Takes a handler's outcome from its task.
  func finish(connection: Int, ticket: Int, _ outcome: Outcome) {
    state.withLock { state in
      guard let index = state.connections.firstIndex(where: { $0.peer.connection == connection }) else { return }
      state.connections[index].answer(ticket: ticket, outcome)
    }
    linux_waker_wake(waker)
  }
}

extension ControlServer.State {
  /// Sends the answers whose turn has come, and starts or ends watching with them.
  mutating func deliverAnswers(_ index: Int, now: Duration) {
    while let (id, outcome) = connections[index].nextAnswer() {
      switch outcome {
      case .reply(let reply): connections[index].outbox.append(reply.lines(id: id))
      case .unwatch:
        connections[index].stopWatching()
        connections[index].outbox.append(Reply().lines(id: id))
      case .watch(let classes, let job):
        // The current state comes first, then the end line, then what happens.
        connections[index].startWatching(classes, untilJob: job)
        tellCurrentState(index, of: Set(classes), now: now)
        if let job, endedJobs.contains(job) { connections[index].stopWatching() }
        connections[index].outbox.append(Reply().lines(id: id))
      }
    }
  }

  /// Tells a client what holds now.
  mutating func tellCurrentState(_ index: Int, of classes: Set<EventClass>, now: Duration) {
    for (_, event) in current where classes.contains(event.kind) { connections[index].outbox.offer(event, now: now) }
  }
}
