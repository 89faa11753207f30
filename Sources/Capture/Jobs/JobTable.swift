/// What can be done to a job from outside. Every call returns at once; what comes of it is told to the table.
public protocol JobControl: Sendable {
  /// Stops for the time being.
  func pause() async throws(JobRefusal)
  /// Goes on.
  func resume() async throws(JobRefusal)
  /// Gives up.
  func cancel() async throws(JobRefusal)
}

/// All jobs since the agent's start: what runs, and the last that ended. Numbers are never used twice, not even after a
/// restart: the table starts from the ledger's last number.
public actor JobTable {
  private struct Entry {
    var record: JobRecord
    let control: any JobControl
  }

  /// Jobs that ended and are still listed.
  private static let remembered = 64

  private var entries: [Entry] = []
  private var last: Int
  private let ledger: JobLedger?
  private let observer: @Sendable (JobEvent) -> Void

  /// An empty table. `observer` is told everything, in order; it must not wait.
  public init(ledger: JobLedger? = nil, observer: @escaping @Sendable (JobEvent) -> Void) {
    self.ledger = ledger
    self.observer = observer
    last = ledger?.lastJob ?? 0
  }

  /// All jobs, in the order of their numbers.
  public var jobs: [JobRecord] { entries.map(\.record) }

  /// How many have not ended.
  public var running: Int { entries.count { !$0.record.state.hasEnded } }

  /// One job.
  public func job(_ id: Int) throws(JobRefusal) -> JobRecord { entries[try index(id)].record }

  /// Whether a job has not ended; nil where the table has none of that number, or no longer: nothing more is told of it.
  public func isRunning(_ id: Int) -> Bool? {
    entries.first { $0.record.id == id }.map { !$0.record.state.hasEnded }
  }

  /// Enters a job and returns its number.
  public func open(
    _ kind: JobKind, session: String? = nil, state: JobState = .running, phase: String? = nil,
    control: any JobControl
  ) -> Int {
    last += 1
    ledger?.note(lastJob: last)
    let record = JobRecord(
      id: last, kind: kind, session: session, state: state, phase: phase ?? state.rawValue, progress: nil)
    entries.append(Entry(record: record, control: control))
    forgetOldest()
    observer(.state(record, from: "-"))
    return last
  }

  /// A job went on to another state. One that has ended stays so.
  public func move(_ id: Int, to state: JobState, phase: String? = nil, reason: String = "", model: String? = nil) {
    guard let index = try? index(id), !entries[index].record.state.hasEnded else { return }
    let from = entries[index].record.phase
    entries[index].record.state = state
    entries[index].record.phase = phase ?? state.rawValue
    entries[index].record.reason = reason
    entries[index].record.model = model ?? entries[index].record.model
    if state == .completed { entries[index].record.progress?.remaining = 0 }
    if from != entries[index].record.phase { observer(.state(entries[index].record, from: from)) }
  }

  /// A job is further on.
  public func advance(_ id: Int, _ progress: JobProgress) {
    guard let index = try? index(id), !entries[index].record.state.hasEnded else { return }
    entries[index].record.progress = progress
    observer(.progress(entries[index].record))
  }

  /// Passes on what else a job tells.
  public func tell(_ event: JobEvent) { observer(event) }

  /// Waits until what must survive a restart is on disk.
  public func flush() async { await ledger?.flush() }

  /// Pauses a job.
  public func pause(_ id: Int) async throws(JobRefusal) -> JobRecord {
    try await entries[try running(id)].control.pause()
    return try job(id)
  }

  /// Lets a job go on.
  public func resume(_ id: Int) async throws(JobRefusal) -> JobRecord {
    try await entries[try running(id)].control.resume()
    return try job(id)
  }

  /// Gives a job up.
  public func cancel(_ id: Int) async throws(JobRefusal) -> JobRecord {
    try await entries[try running(id)].control.cancel()
    return try job(id)
  }

  private func index(_ id: Int) throws(JobRefusal) -> Int {
    guard let index = entries.firstIndex(where: { $0.record.id == id }) else {
      throw JobRefusal(.notFound, "there is no job \(id); see jobs")
    }
    return index
  }

  private func running(_ id: Int) throws(JobRefusal) -> Int {
    let index = try index(id)
    let state = entries[index].record.state
    if state.hasEnded { throw JobRefusal(.badState, "job \(id) is \(state.rawValue) already") }
    return index
  }

  private func forgetOldest() {
    let ended = entries.count { $0.record.state.hasEnded }
    if ended > Self.remembered, let index = entries.firstIndex(where: { $0.record.state.hasEnded }) {
      entries.remove(at: index)
    }
  }
}
