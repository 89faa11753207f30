import Capture
import Control
import Session

/// Gives every scan a job, whoever started it, and tells the clients what the scan tells.
actor ScanJobs: JobControl {
  /// One scan from its start to the moment its session is closed.
  private struct Course {
    let session: String
    let job: Task<Int, Never>
    var lastState: Event?
    /// What it was in before it ended.
    var stateBefore: ScanState?
    var outcome: (ScanOutcome, shots: Int)?
    var isClosed = false
  }

  /// Is told of a session that was completed; returns the job that makes its model, nil where none is wanted, or why there
  /// is none.
  typealias Follow = @Sendable (_ session: String) async -> Result<Int?, Refusal>

  private let controller: ScanController
  private let jobs: JobTable
  private let server: ControlServer
  private let log: Log
  private var course: Course?
  /// How many scans have ended: tells a scan that is over already from one whose events are still to come.
  private var ended = 0

  init(controller: ScanController, jobs: JobTable, server: ControlServer, log: Log) {
    self.controller = controller
    self.jobs = jobs
    self.server = server
    self.log = log
  }

  /// Follows the scan's events until they end.
  func run(_ follow: @escaping Follow) async {
    for await event in await controller.events() { await take(event, follow) }
  }

  /// Starts a scan and returns its job and session.
  func start(_ request: ScanRequest) async throws(ScanRefusal) -> (job: Int, session: String) {
    let mark = ended
    let session = try await controller.start(request)
    return (await job(of: session, startedAfter: mark), session)
  }

  /// Takes up a session and returns its job.
  func takeUp(_ session: String) async throws(ScanRefusal) -> Int {
    let mark = ended
    try await controller.resume(session)
    return await job(of: session, startedAfter: mark)
  }

  /// The job of the scan that runs.
  var currentJob: Int? {
    get async {
      guard let course, !course.isClosed else { return nil }
      return await course.job.value
    }
  }

  nonisolated func pause() async throws(JobRefusal) {
    do { try await controller.pause() } catch { throw JobRefusal(error) }
  }
  nonisolated func resume() async throws(JobRefusal) {
    do { try await controller.unpause() } catch { throw JobRefusal(error) }
  }
  nonisolated func cancel() async throws(JobRefusal) {
    do { try await controller.cancel() } catch { throw JobRefusal(error) }
  }

  private func job(of session: String, startedAfter mark: Int) async -> Int {
    if let course, course.session == session, !course.isClosed || ended > mark { return await course.job.value }
    return await begin(session)
  }

  private func begin(_ session: String) async -> Int {
    let task = Task { [jobs] in await jobs.open(.scan, session: session, phase: "detecting", control: self) }
    course = Course(session: session, job: task)
    return await task.value
  }

  private func take(_ event: ScanEvent, _ follow: Follow) async {
    let open = await currentJob
    switch event {
    case .state(let from, let to, let pass, let reason): await takeState(from, to, pass, reason, follow)
    case .progress(let progress):
      guard let open else { return }
      await jobs.advance(
        open,
        JobProgress(
          stage: progress.stage, fraction: progress.fraction, done: progress.done, of: progress.of,
          remaining: progress.etaSeconds))
    case .coverage(let summary):
      server.publish(
        Event(
          .coverage, job: open, retention: .current(key: "coverage"),
          [
            "covered": .integer(summary.covered), "of": .integer(summary.of), "pictures": .integer(summary.pictures)
          ]))
    case .feedback(let set):
      server.publish(
        Event(.feedback, retention: .current(key: "feedback"), ["set": .list(set.map(\.rawValue))]))
    case .prompt(let prompt): server.publish(.prompt(prompt, job: open))
    case .promptClosed(let id, let choice, let byTimeout):
      var fields: Fields = ["id": .integer(id)]
      if let open { fields.append("job", .integer(open)) }
      fields.append("closed", .text(orNone: choice?.rawValue))
      fields.append("by", choice == nil ? .nothing : byTimeout ? "timeout" : "person")
      server.publish(Event(.prompt, job: open, retention: .clears(key: "prompt"), fields))
    case .sample(let sample): server.publish(.sample(sample, job: open))
    case .box(let box):
      server.publish(
        Event(.state, job: open, ["box": .box(box), "pass": .integer(box.pass), "by_hand": .flag(box.byHand)]))
    case .notice(let text):
      log.about(session: await controller.session).info(text)
      server.publish(Event(.state, job: open, ["notice": .text(text)]))
    case .sessionEnded(_, let outcome, let shots):
      course?.outcome = (outcome, shots)
      await conclude(follow)
    }
  }

  private func takeState(
    _ from: ScanState, _ to: ScanState, _ pass: Int, _ reason: String, _ follow: Follow
  ) async {
    let session = await controller.session
    var job: Int?
    if to != .initializing, !to.isIdle, let session {
      if let course, !course.isClosed { job = await course.job.value } else { job = await begin(session) }
    } else {
      job = await currentJob
    }
    if from != to {
      log.about(session: session).info("scan: \(from.rawValue) → \(to.rawValue)\(reason.isEmpty ? "" : ": \(reason)")")
    }
    var from = from
    if to.hasEnded, let course, !course.isClosed {
      // an end that its session's files did not take has another one after it: of both only the last is told
      from = course.stateBefore ?? from
      self.course?.stateBefore = from
    }
    var fields: Fields = [:]
    if let job { fields.append("job", .integer(job)) }
    fields = fields + ["from": from == to ? .nothing : .text(from.rawValue), "to": .text(to.rawValue)]
    if pass > 0 { fields.append("pass", .integer(pass)) }
    if !reason.isEmpty { fields.append("reason", .text(reason)) }
    let event = Event(.state, job: job, retention: .current(key: "scan"), fields)
    guard let job, to.hasEnded else {
      server.publish(event)
      if let job { await jobs.move(job, to: Self.jobState(to), phase: to.rawValue, reason: reason) }
      return
    }
    // The end is told once the session is closed, together with what comes after it.
    await jobs.move(job, to: .running, phase: to == .completed ? "finishing" : "cancelling", reason: reason)
    course?.lastState = event
    await conclude(follow)
  }

  private func conclude(_ follow: Follow) async {
    guard let course, !course.isClosed, var event = course.lastState, let (outcome, shots) = course.outcome else {
      return
    }
    let job = await course.job.value
    event.fields.append("kept", .integer(shots))
    let state: JobState
    var reason = ""
    switch outcome {
    case .completed:
      state = .completed
      if let next = await next(after: course.session, job, follow) { event.fields.append("next", .integer(next)) }
    case .cancelled: state = .cancelled
    case .failed(let why), .suspended(let why):
      state = .failed
      reason = why
    }
    self.course?.isClosed = true
    ended += 1
    event.endsJob = true
    await jobs.move(job, to: state, reason: reason)
    server.publish(event)
  }

  /// The job that makes the model. Why there is none is told before the scan's last event: some leave with that.
  private func next(after session: String, _ job: Int, _ follow: Follow) async -> Int? {
    switch await follow(session) {
    case .success(let next): return next
    case .failure(let refusal):
      let text = "no model is made of session \(session): \(refusal.message)"
      log.about(session: session).warning(text)
      server.publish(Event(.state, job: job, ["notice": .text(text)]))
      return nil
    }
  }

  private static func jobState(_ state: ScanState) -> JobState {
    switch state {
    case .paused: .paused
    case .cancelling: .cancelling
    default: .running
    }
  }
}

extension JobRefusal {
  /// What a scan refused when it was spoken to as a job.
  fileprivate init(_ refusal: ScanRefusal) {
    self.init(Kind(rawValue: refusal.kind.rawValue) ?? .badState, refusal.message)
  }
}
