import Glibc
import Threads

/// One reconstruction: a child process at low priority, followed line by line.
actor ReconstructionJob: JobControl {
  /// How it is run.
  struct Program: Sendable {
    var path: String
    var limits: ChildLimits
    /// How long it may take to end after SIGTERM before it is killed.
    var patience: Duration
  }

  nonisolated let request: ReconstructionRequest
  private let program: Program
  private let jobs: JobTable
  private let models: ModelLibrary
  private var child: ChildProcess?
  private(set) var id = 0
  /// Whether a person has paused it.
  private(set) var isPausedByHand: Bool
  /// Why else it may not work now.
  private var holdReason: String?
  private var isCancelled = false
  private var hasAllWanted = false
  private var wanted: Set<String>
  private var failure: String?
  /// Whether it ended as one that is asked to, though the agent has not asked it.
  private var isEndedByOthers = false
  private let remember: @Sendable (_ isPausedByHand: Bool) -> Void
  private let settle: @Sendable () async -> Void
  private let wake: @Sendable () async -> Void

  /// A job that is not entered yet, paused by hand where it was so before a restart. `remember` is told of every pause by
  /// hand and its end. `settle` is called when its end is known and not told yet, `wake` when it may be started.
  init(
    _ request: ReconstructionRequest, isPausedByHand: Bool = false, program: Program, jobs: JobTable,
    models: ModelLibrary, remember: @escaping @Sendable (_ isPausedByHand: Bool) -> Void = { _ in },
    settle: @escaping @Sendable () async -> Void, wake: @escaping @Sendable () async -> Void
  ) {
    self.request = request
    self.isPausedByHand = isPausedByHand
    self.remember = remember
    self.program = program
    self.jobs = jobs
    self.models = models
    self.settle = settle
    self.wake = wake
    wanted = Set(request.outputs)
  }

  /// Enters the job into the table.
  func enter() async -> Int {
    id = await jobs.open(
      .reconstruct, session: request.session, state: isPausedByHand ? .paused : .queued, control: self)
    return id
  }

  /// Whether it may start now.
  var isReady: Bool { id > 0 && !isPausedByHand && !isCancelled && child == nil }

  private var isPaused: Bool { isPausedByHand || holdReason != nil }

  /// Runs it to its end and tells the table how that was.
  func run() async {
    let output = "\(request.folder)/result"
    var arguments = ["reconstruct", request.folder, "--output", output, "--detail", request.detail]
    if !request.name.isEmpty { arguments += ["--name", request.name] }
    arguments += ["--progress", "json"]
    await jobs.move(id, to: .running)
    let child: ChildProcess
    do throws(JobRefusal) {
      child = try await ChildProcess.start(program.path, arguments, limits: program.limits)
    } catch {
      return await end(as: .failed, reason: error.message)
    }
    self.child = child
    // Meanwhile it may have been cancelled or paused.
    if isCancelled { end(child) } else if isPaused { child.signal(SIGSTOP) }
    for await line in child.lines { await take(line) }
    let termination = await child.termination
    await conclude(termination, output: output)
  }

  func pause() async throws(JobRefusal) {
    guard !isCancelled else { throw JobRefusal(.badState, "job \(id) is being cancelled") }
    guard !isPausedByHand else { return }
    isPausedByHand = true
    remember(true)
    if holdReason == nil { await stop(reason: "") }
  }

  func resume() async throws(JobRefusal) {
    guard isPausedByHand else {
      if let holdReason { throw JobRefusal(.lowBattery, holdReason) }
      throw JobRefusal(.badState, "job \(id) is not paused")
    }
    isPausedByHand = false
    remember(false)
    if let holdReason { await jobs.move(id, to: .paused, reason: holdReason) } else { await goOn() }
  }

  func cancel() async throws(JobRefusal) {
    guard !isCancelled else { return }
    isCancelled = true
    guard let child else {
      await end(as: .cancelled)
      return await wake()
    }
    await jobs.move(id, to: .cancelling)
    end(child)
  }

  /// Stops it for a reason of the agent's, whether or not a person has paused it; nil lifts that, and then it goes on
  /// unless a person has.
  func hold(_ reason: String?) async {
    let wasPaused = isPaused
    holdReason = reason
    guard !isCancelled else { return }
    if let reason, !wasPaused { await stop(reason: reason) }
    if reason == nil, wasPaused, !isPausedByHand { await goOn() }
  }

  private func stop(reason: String) async {
    child?.signal(SIGSTOP)
    await jobs.move(id, to: .paused, reason: reason)
  }

  private func goOn() async {
    child?.signal(SIGCONT)
    await jobs.move(id, to: child == nil ? .queued : .running)
    await wake()
  }

  /// Asks the child to end, and makes it end when it does not. A stopped one is woken, or it would never hear.
  private func end(_ child: ChildProcess) {
    child.signal(SIGTERM)
    child.signal(SIGCONT)
    let patience = program.patience
    Task {
      try? await Task.sleep(for: patience)
      child.signal(SIGKILL)
    }
  }

  private func take(_ text: String) async {
    guard let line = ReconstructionLine(text) else { return }
    switch line.event {
    case "stage": await jobs.advance(id, JobProgress(stage: line.stage ?? "?"))
    case "progress":
      let fraction = line.fraction.map { min(max($0, 0), 1) }
      await jobs.advance(
        id, JobProgress(stage: line.stage ?? "?", fraction: fraction, remaining: line.remaining))
    case "sample":
      await jobs.tell(
        .sample(job: id, verdict: line.kind ?? "skipped", name: line.name ?? "?", reason: line.reason ?? ""))
    case "stitchingIncomplete":
      let pass = line.pass.map { "pass \($0)" } ?? "a pass"
      await jobs.tell(.notice(job: id, text: "stitchingIncomplete: \(pass): \(line.reason ?? "")"))
    case "downsampled": await jobs.tell(.notice(job: id, text: "automaticDownsampling: \(line.reason ?? "")"))
    case "warning": await jobs.tell(.notice(job: id, text: "warning: \(line.reason ?? "")"))
    case "file": await takeFile(line)
    case "error":
      failure = line.message ?? line.kind
      isEndedByOthers = line.kind == "cancelled"
    default: break  // a newer program may tell more
    }
  }

  private func takeFile(_ line: ReconstructionLine) async {
    guard let kind = line.kind, let path = line.path else { return }
    // The model is told once it stands in the library.
    if kind != "model" { await jobs.tell(.file(job: id, kind: kind, path: path, model: nil)) }
    wanted.remove(kind)
    // With a model wanted the program ends by itself: more files come after the model.
    if wanted.isEmpty, !request.outputs.contains("model"), let child {
      hasAllWanted = true
      end(child)
    }
  }

  private func conclude(_ termination: Termination, output: String) async {
    if hasAllWanted {
      await end(as: .completed)
    } else if termination.code == 0 {
      await keepModel(output)
    } else if isCancelled {
      await end(as: .cancelled)
    } else {
      await end(as: .failed, reason: reason(termination))
    }
  }

  /// Tells how it ended, once that is settled: who hears of the end and cuts the power does not get it done again.
  private func end(as state: JobState, reason: String = "", model: String? = nil) async {
    await settle()
    await jobs.move(id, to: state, reason: reason, model: model)
  }

  private func keepModel(_ output: String) async {
    let (models, request) = (models, request)
    do {
      let model = try await BlockingThread.result("model-library") {
        Result { try models.add(from: output, name: request.name, session: request.session) }
      }.get()
      await jobs.tell(.file(job: id, kind: "model", path: model.file, model: model.record.id))
      await end(as: .completed, model: model.record.id)
    } catch {
      await end(as: .failed, reason: "\(error)")
    }
  }

  private func reason(_ termination: Termination) -> String {
    if isEndedByOthers { return "somebody asked the reconstruction to end; started again, it goes on where it was" }
    if let failure { return failure }
    if termination.signal == SIGKILL {
      let limit = program.limits.memory.map { " (it may take \(ReconstructionJob.megabytes($0)))" } ?? ""
      return "the reconstruction was killed\(limit), as a system does that runs out of memory; started again, it goes "
        + "on where it was: close other programs, or ask for detail=preview"
    }
    let said = termination.errors.split(separator: "\n").last.map(String.init) ?? "it said nothing"
    guard let signal = termination.signal else { return "reconstruction ended with code \(termination.code): \(said)" }
    let limit = program.limits.memory.map { "; its memory limit is \(ReconstructionJob.megabytes($0))" } ?? ""
    return "reconstruction was ended by signal \(signal): \(said)\(limit)"
  }

  /// As the configuration counts memory.
  private static func megabytes(_ bytes: some BinaryInteger) -> String { "\(bytes / 1_000_000) MB" }
}
