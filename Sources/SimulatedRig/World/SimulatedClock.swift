import Rig
import Synchronization

/// The clock of a simulated world. It runs along with real time (unless `.stepped`), and when somebody waits for it, it
/// jumps to the moment waited for, the earliest first; or, at `.realTime`, it lets them wait.
public final class SimulatedClock: RigClock {
  /// A moment of the world.
  public typealias Instant = RigInstant

  private struct Sleeper {
    var id: UInt64
    var deadline: Duration
    var continuation: CheckedContinuation<Void, any Error>
  }
  private struct State {
    var jumped = Duration.zero
    var lastRead = Duration.zero
    var sleepers: [Sleeper] = []
    var starting: Set<UInt64> = []  // about to sleep
    var nextID: UInt64 = 0
    var pumping = false
    var held = false
  }
  private let state = Mutex(State())
  private let origin = ContinuousClock.now
  private let pace: ClockPace
  private let grace: Duration

  /// A clock at zero. Before each jump it waits for `grace` of real time, so that others who are about to wait for
  /// something earlier get their turn.
  public init(pace: ClockPace = .jumping, grace: Duration = .microseconds(300)) {
    self.pace = pace
    self.grace = grace
  }

  /// Now. Never earlier than any moment read before.
  public var now: RigInstant { state.withLock { RigInstant(sinceOrigin: read(&$0)) } }

  /// The smallest step of time.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// How many are asleep.
  package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// While held, the clock does not jump: whoever comes to sleep meanwhile takes part in the order of waking.
  package func hold(_ held: Bool) { state.withLock { $0.held = held } }

  /// Takes back time that passed only because the world had to be computed: a slow machine's rig is as quick as any.
  func discount(_ computing: Duration) {
    if pace == .jumping { state.withLock { $0.jumped -= computing } }
  }

  private func read(_ state: inout State) -> Duration {
    let flown = pace == .stepped ? .zero : origin.duration(to: .now)
    state.lastRead = max(state.lastRead, flown + state.jumped)
    return state.lastRead
  }

  /// Suspends until `deadline`; throws `CancellationError` when the task is cancelled.
  public func sleep(until deadline: RigInstant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    if pace == .realTime {
      try await ContinuousClock().sleep(until: origin + deadline.sinceOrigin, tolerance: tolerance)
      return
    }
    let id = state.withLock { state -> UInt64? in
      if read(&state) >= deadline.sinceOrigin { return nil }
      state.nextID += 1
      state.starting.insert(state.nextID)
      return state.nextID
    }
    guard let id else { return }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let sleeper = Sleeper(id: id, deadline: deadline.sinceOrigin, continuation: continuation)
        add(sleeper)
      }
    } onCancel: {
      cancel(id)
    }
  }

  private func add(_ sleeper: Sleeper) {
    let (isCancelled, starts) = state.withLock { state -> (Bool, Bool) in
      // a cancellation that came first has taken it out
      if state.starting.remove(sleeper.id) == nil { return (true, false) }
      // kept in order of deadline, then of arrival
      let place = state.sleepers.firstIndex { $0.deadline > sleeper.deadline } ?? state.sleepers.endIndex
      state.sleepers.insert(sleeper, at: place)
      defer { state.pumping = true }
      return (false, !state.pumping)
    }
    if isCancelled { sleeper.continuation.resume(throwing: CancellationError()) }
    if starts { Task.detached { await self.pump() } }
  }

  private func cancel(_ id: UInt64) {
    let sleeper = state.withLock { state -> Sleeper? in
      guard let place = state.sleepers.firstIndex(where: { $0.id == id }) else {
        state.starting.remove(id)
        return nil
      }
      return state.sleepers.remove(at: place)
    }
    sleeper?.continuation.resume(throwing: CancellationError())
  }

  /// Wakes one moment's sleepers after the other while there are any.
  private func pump() async {
    while true {
      try? await ContinuousClock().sleep(for: grace)
      let due = state.withLock { state -> [Sleeper]? in
        guard let first = state.sleepers.first else {
          state.pumping = false
          return nil
        }
        if state.held { return [] }
        let now = read(&state)
        if first.deadline > now { state.jumped += first.deadline - now }
        state.lastRead = max(state.lastRead, first.deadline)
        let count = state.sleepers.prefix { $0.deadline == first.deadline }.count
        defer { state.sleepers.removeFirst(count) }
        return Array(state.sleepers.prefix(count))
      }
      guard let due else { return }
      for sleeper in due { sleeper.continuation.resume() }
    }
  }
}
