import Session
import Threads

/// Reconstructions, one at a time, in the order they were asked for.
public actor ReconstructionQueue {
  private let program: ReconstructionJob.Program
  private let jobs: JobTable
  private let models: ModelLibrary
  private let ledger: JobLedger?
  private let claim: StateClaim?
  private var waiting: [ReconstructionJob] = []
  private var current: ReconstructionJob?
  private var holdReason: String?
  private var isClosed = false

  /// A queue that runs `twinrig` at `program`. A job that does not end within `patience` of being cancelled is killed.
  public init(
    program: String, limits: ChildLimits = ChildLimits(), patience: Duration = .seconds(10), jobs: JobTable,
    models: ModelLibrary, ledger: JobLedger? = nil, claim: StateClaim? = nil
  ) {
    self.claim = claim
    self.program = ReconstructionJob.Program(path: program, limits: limits, patience: patience)
    self.jobs = jobs
    self.models = models
    self.ledger = ledger
  }

  /// Queues a reconstruction and returns its job. Refuses a second one of the same session. While on hold it refuses all,
  /// but for one that `waits`, as one nobody is there to ask for again must.
  public func enqueue(_ request: ReconstructionRequest, waits: Bool = false) async throws(JobRefusal) -> Int {
    if let holdReason, !waits { throw JobRefusal(.lowBattery, holdReason) }
    let (claim, models) = (claim, request.outputs.contains("model") ? models : nil)
    let trouble = await BlockingThread.result("state-claim") { () -> String? in
      do throws(SessionError) {
        try claim?.check()
        // better than to find hours later that the model has no place to go
        try models?.check()
        return nil
      } catch {
        return error.description
      }
    }
    if let trouble { throw JobRefusal(.inputOutput, trouble) }
    return try await enter(request)
  }

  /// Takes up what was under way when the agent was last stopped.
  public func takeUpAgain() async {
    guard let ledger else { return }
    for request in ledger.openReconstructions {
      _ = try? await enter(request, isPausedByHand: ledger.isPaused(request.session))
    }
  }

  /// Starts nothing new and stops what runs while there is a reason; nil lifts that.
  public func hold(_ reason: String?) async {
    guard reason != holdReason else { return }
    holdReason = reason
    await current?.hold(reason)
    if reason == nil { startNext() }
  }

  /// Ends what runs, leaving its checkpoints; it is taken up again after the next start.
  public func close() async {
    isClosed = true
    try? await current?.cancel()
  }

  private func enter(
    _ request: ReconstructionRequest, isPausedByHand: Bool = false
  ) async throws(JobRefusal) -> Int {
    let same = ([current].compactMap { $0 } + waiting).first { $0.request.session == request.session }
    if let same {
      throw JobRefusal(.busy, "session \(request.session) is being reconstructed already, as job \(await same.id)")
    }
    let job = ReconstructionJob(
      request, isPausedByHand: isPausedByHand, program: program, jobs: jobs, models: models,
      remember: { [ledger] in ledger?.note(paused: $0, request.session) },
      settle: { [weak self] in await self?.settle(request.session) }, wake: { [weak self] in await self?.startNext() })
    waiting.append(job)
    ledger?.begin(request)
    let id = await job.enter()
    if let holdReason, !isPausedByHand { await jobs.move(id, to: .queued, reason: holdReason) }
    startNext()
    return id
  }

  private func startNext() {
    Task { await runNext() }
  }

  private func runNext() async {
    await forgetCancelled()
    guard current == nil, holdReason == nil, !isClosed else { return }
    for job in waiting where await job.isReady {
      // Another call may have been quicker while this one asked.
      guard current == nil, let index = waiting.firstIndex(where: { $0 === job }) else { return }
      current = waiting.remove(at: index)
      await job.run()
      current = nil
      return startNext()
    }
  }

  private func forgetCancelled() async {
    for job in waiting {
      let id = await job.id
      // one that is not entered yet has no number
      if id > 0, await jobs.isRunning(id) != true { waiting.removeAll { $0 === job } }
    }
  }

  /// What has come to its end is not taken up again; what is cut off by the agent's own end is.
  private func settle(_ session: String) {
    if !isClosed { ledger?.end(session: session) }
  }
}
