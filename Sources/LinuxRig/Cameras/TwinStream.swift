import CLinux
import Rig

/// Two streaming cameras on their thread: takes frames as they come, pairs them, answers commands. Whatever nobody has asked
/// for goes straight back to be filled again, so that the cameras' automatics always have frames to work with.
final class TwinStream {
  let device: String
  let source: any TwinSource
  let mode: CameraMode
  private let mailbox: TwinMailbox
  let report: (CameraStatistics) -> Void

  var matcher: PairMatcher<CompletedFrame>
  var takes: [PendingTake] = []
  var settling: Settling?
  var focusing: Focusing?
  var statistics: CameraStatistics
  var tally = FrameTally()
  /// Why the pipeline is dead, until it is restarted.
  var failure: DeviceError?
  var restartsWithoutPair = 0
  /// Cameras do not start at one moment: what the earlier one delivers alone is no orphan yet.
  var isPaired = false
  private(set) var wanted = CameraControls()
  /// How long the right camera's start is put off, and how often that was tried since the last pair.
  private var lag: Int64 = 0
  private var steps = 0
  private var stops: [Reply<Void>] = []
  private var startFailure: (error: DeviceError, reply: Reply<Void>)?

  /// Frames that are under way with older controls: as many as there are buffers.
  private static let framesUnderWay = 4
  /// How many frames show that two cameras are out of step, and how often they are started anew for that.
  private static let framesApart = 8, mostSteps = 3

  /// Somebody who waits for a pair.
  struct PendingTake {
    var asked: Int64, deadline: Int64
    var operation: String
    var reply: Reply<RawPair>
  }

  /// Controls that are not in force yet, and whom to tell.
  struct Settling {
    var readbacks: [ControlReadback]
    var since: Int64, deadline: Int64
    var purpose: Purpose
  }

  /// Why a pair with certain controls is waited for.
  enum Purpose {
    case start(Reply<Void>)
    case restart(Reply<Void>)
    case apply(Reply<CameraControls>)

    var operation: String {
      switch self {
      case .start: "start"
      case .restart: "restart"
      case .apply: "apply controls"
      }
    }
  }

  /// Served by the thread that calls `run`. `report` hears of every change of the statistics, which go on from `past`.
  init(
    device: String, mode: CameraMode, source: any TwinSource, mailbox: TwinMailbox, past: CameraStatistics,
    report: @escaping (CameraStatistics) -> Void
  ) {
    self.device = device
    self.mode = mode
    self.source = source
    self.mailbox = mailbox
    self.report = report
    statistics = past
    matcher = PairMatcher(framesPerSecond: mode.framesPerSecond)
  }

  /// Opens and starts the cameras, answers `started` with the first pair, and serves until it is told to stop or nothing came
  /// of the start. Then closes the cameras, calls `ended`, and answers who waits for that.
  func run(_ started: Reply<Void>, ended: () -> Void) {
    steps = 0
    build(.start(started))
    var isIdle = true
    while stops.isEmpty, startFailure == nil {
      source.wait(with: mailbox.waker, until: isIdle ? nextDeadline : 0)
      for command in mailbox.take() { obey(command) }
      isIdle = failure != nil || takeFrames()
      if failure == nil, !isPaired { bringIntoStep() }
      expire(linux_now())
    }
    let cancelled = DeviceError(.cancelled, device: device, operation: "wait for a picture")
    fail(cancelled)
    source.close(wholly: true)
    let late = mailbox.close()
    ended()
    if let startFailure { startFailure.reply.send(.failure(startFailure.error)) }
    for command in late { command.fail(cancelled) }
    for reply in stops { reply.send(.success(())) }
  }

  // MARK: commands

  private func obey(_ command: TwinCommand) {
    switch command {
    case .stop(let reply): stops.append(reply)
    case .restart(let reply): restart(reply)
    case .focus(let windows, let reply): focus(in: windows, reply)
    // a pipeline that stalls is the business of those who wait for pictures
    case .check(let reply):
      if let failure, failure.kind == .absent { return reply.send(.failure(failure)) }
      reply.send(.success(()))
    case .take(let asked, let operation, let reply):
      if let failure { return reply.send(.failure(failure.during(operation))) }
      if takes.isEmpty { tally.begin() }
      takes.append(PendingTake(asked: asked, deadline: asked + patience, operation: operation, reply: reply))
    case .apply(let controls, let reply):
      if let failure { return reply.send(.failure(failure.during("apply controls"))) }
      do throws(DeviceError) { try source.limits.check(controls, device: device) } catch {
        return reply.send(.failure(error))
      }
      endFocusing(.cancelled)
      wanted = controls
      source.set(controls)
      settle(.apply(reply), settling: Self.framesUnderWay)
    }
  }

  private func restart(_ reply: Reply<Void>) {
    let isGone = failure?.kind == .absent || Side.allCases.contains { source.isGone($0) }
    fail(DeviceError(.cancelled, device: device, operation: "restart"))
    failure = nil
    source.close(wholly: isGone)
    matcher = PairMatcher(framesPerSecond: mode.framesPerSecond)
    statistics.restarts += 1
    restartsWithoutPair += 1
    steps = 0
    report(statistics)
    build(.restart(reply))
  }

  /// Opens the cameras with the controls they had, or are to have; a pair that has them is the proof that it worked.
  private func build(_ purpose: Purpose) {
    isPaired = false
    do throws(DeviceError) {
      try source.open(mode)
      statistics.left = source.names.first ?? ""
      statistics.right = source.names.last ?? ""
      try source.start(wanted, lag: lag)
      // cameras that are told before they start need not be waited for
      settle(purpose, settling: 0)
    } catch {
      let hinted = hinted(error)
      failure = hinted
      source.close(wholly: error.kind == .absent)
      answer(purpose, .failure(hinted))
    }
  }

  /// Cameras that nothing synchronises keep the distance at which they started, up to half a frame. Started at another one
  /// they are in step, until their clocks have drifted apart: then somebody restarts them for want of a pair.
  private func bringIntoStep() {
    let period = Int64(1e9 / mode.framesPerSecond)
    guard steps < Self.mostSteps, let current = settling,
      let more = tally.lagToStep(frames: Self.framesApart, period: period, tolerance: matcher.tolerance)
    else { return }
    steps += 1
    lag = (lag + more) % period
    settling = nil
    source.close(wholly: false)
    matcher = PairMatcher(framesPerSecond: mode.framesPerSecond)
    build(current.purpose)
  }

  private func settle(_ purpose: Purpose, settling frames: Int) {
    if let current = settling {
      let cancelled = DeviceError(.cancelled, device: device, operation: current.purpose.operation)
      answer(current.purpose, .failure(cancelled))
    }
    let readback = ControlReadback(of: wanted, limits: source.limits, settling: frames)
    let now = linux_now()
    settling = Settling(
      readbacks: [readback, readback], since: now, deadline: now + 2 * patience, purpose: purpose)
    tally.begin()
  }

  /// Who starts cameras in vain hears of it when they are closed again, and so may try at once.
  func answer(_ purpose: Purpose, _ result: Result<CameraControls, DeviceError>) {
    switch (purpose, result) {
    case (.start(let reply), .failure(let error)): startFailure = (error, reply)
    case (.start(let reply), .success), (.restart(let reply), .success): reply.send(.success(()))
    case (.restart(let reply), .failure(let error)): reply.send(.failure(error))
    case (.apply(let reply), _): reply.send(result)
    }
  }

  // MARK: time

  /// How long a pair may take, in nanoseconds: a second, or eight frames where they are slower, and the exposure.
  private var patience: Int64 {
    let frames = Int64(8e9 / mode.framesPerSecond)
    let exposure = Int64((wanted.exposureMicroseconds ?? 0) * 2000)
    return max(1_000_000_000, frames) + exposure
  }

  private var nextDeadline: Int64 {
    let soonest = (takes.map(\.deadline) + [settling?.deadline, focusing?.deadline].compactMap { $0 }).min()
    return soonest ?? linux_now() + 1_000_000_000
  }

  private func expire(_ now: Int64) {
    for take in takes where take.deadline <= now {
      take.reply.send(.failure(late(take.operation, since: take.asked)))
    }
    takes.removeAll { $0.deadline <= now }
    expireFocusing(now)
    guard let current = settling, current.deadline <= now else { return }
    settling = nil
    var error = late(current.purpose.operation, since: current.since)
    let objections = zip(source.names, current.readbacks).compactMap { name, readback in
      readback.objection.map { "\"\(name)\" \($0)" }
    }
    if !objections.isEmpty { error.remedy = objections.joined(separator: ", ") }
    answer(current.purpose, .failure(error))
  }

  private func late(_ operation: String, since: Int64) -> DeviceError {
    let verdict = tally.verdict(since: since, names: source.names, tolerance: matcher.tolerance)
    return hinted(DeviceError(.timedOut, device: device, operation: operation, remedy: verdict))
  }

  /// What two restarts did not mend is no passing fault.
  func hinted(_ error: DeviceError) -> DeviceError {
    guard restartsWithoutPair >= 2, [.timedOut, .absent, .faulty].contains(error.kind) else { return error }
    var hinted = error
    let said = error.remedy.map { "\($0); " } ?? ""
    hinted.remedy =
      said + "\(restartsWithoutPair) restarts did not help: check the cameras' cables and the power supply"
    return hinted
  }
}

extension DeviceError {
  /// The same, of another operation.
  func during(_ operation: String) -> DeviceError {
    var error = self
    error.operation = operation
    return error
  }
}
