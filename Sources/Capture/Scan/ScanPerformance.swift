import Imaging
import Rig
import Session

/// How the controller performs what the machine decides.
extension ScanController {
  /// Whether nothing is going on and nothing is being written.
  var isAtRest: Bool {
    machine.state != .initializing && machine.state.isIdle && work == nil && storing == nil && closing == nil
      && !isStarting
  }

  /// A command: throws the machine's refusal.
  func command(_ event: ScanMachine.Event) throws(ScanRefusal) {
    handle(event)
    if let refusal = pendingRefusal {
      pendingRefusal = nil
      throw refusal
    }
  }

  /// Gives the machine an event and performs what it answers.
  func handle(_ event: ScanMachine.Event) {
    perform(machine.handle(event))
    setAlarm()
    wakeIfIdle()
  }

  func wakeIfIdle() {
    guard isAtRest else { return }
    let waiters = idleWaiters
    idleWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  /// Wakes the machine when a phase takes too long.
  func setAlarm() {
    guard alarmEpoch != machine.epoch else { return }
    alarmEpoch = machine.epoch
    alarm?.cancel()
    alarm = nil
    guard let deadline = machine.deadline else { return }
    let epoch = machine.epoch
    alarm = Task { [weak self] in
      do { try await ContinuousClock().sleep(for: deadline) } catch { return }
      await self?.handle(.timedOut(epoch: epoch))
    }
  }

  func perform(_ actions: [ScanMachine.Action]) {
    for action in actions { perform(action) }
  }

  private func perform(_ action: ScanMachine.Action) {
    switch action {
    case .initialize, .prepare, .takePlates, .look, .go, .shoot, .restartCamera, .rehome, .wake, .advise, .park:
      begin(action)
    case .abandon: abandon()
    case .rest: after { stages in await stages.rest() }
    case .keep(let viewpoint, let pass): keep(viewpoint, pass)
    case .begin(let pass): beginPass(pass)
    case .complete(let pass): write(.passCompleted(pass))
    case .end(let outcome): end(outcome)
    case .signal(let pattern):
      // ready, but something waits to be taken up first
      let shown = pattern == .ready && resumable != nil ? .failed : pattern
      after { [rig] _ in await rig.signal?.show(shown) }
    case .publish(let event): publish(event)
    case .refuse(let refusal): pendingRefusal = refusal
    }
  }

  // MARK: work

  /// Begins a piece of work. Its result is an event, unless it has been given up by then.
  private func begin(_ action: ScanMachine.Action) {
    workNumber += 1
    let number = workNumber
    let before = work
    let beside = side
    work = Task { [weak self] in
      await before?.value
      await beside?.value
      guard let self else { return }
      let event = await self.result(of: action)
      await self.finished(number, event)
    }
  }

  /// Does something small between two pieces of work, in order with them.
  private func after(_ body: @escaping @Sendable (RigOperator) async -> Void) {
    let before = side
    side = Task { [stages] in
      await before?.value
      await body(stages)
    }
  }

  /// Gives up the work: stops what moves and forgets its result.
  private func abandon() {
    guard let given = work else { return }
    workNumber += 1
    let number = workNumber
    given.cancel()
    let axes = rig.axes
    // whoever moves ends with `.cancelled`; a driver that hangs must not keep the rest from being parked
    work = Task { [weak self] in
      for axis in axes { await axis.stop() }
      await Self.wait(for: given, atMost: .seconds(15))
      await self?.abandoned(number)
    }
  }

  private func abandoned(_ number: Int) {
    guard number == workNumber else { return }
    work = nil
    wakeIfIdle()
  }

  /// Waits for a task, but not for ever.
  private static func wait(for task: Task<Void, Never>, atMost limit: Duration) async {
    let (stream, signal) = AsyncStream.makeStream(of: Void.self)
    let waiter = Task {
      await task.value
      signal.finish()
    }
    let timer = Task {
      try? await ContinuousClock().sleep(for: limit)
      signal.finish()
    }
    for await _ in stream {}
    waiter.cancel()
    timer.cancel()
  }

  private func finished(_ number: Int, _ event: ScanMachine.Event) {
    guard number == workNumber else { return }
    work = nil
    handle(event)
  }

  private func result(of action: ScanMachine.Action) async -> ScanMachine.Event {
    do throws(ScanFault) {
      switch action {
      case .initialize:
        try await stages.initialize()
        return .initialized
      case .prepare: return try await prepare()
      case .takePlates:
        report("plates", 0, of: 1)
        if let trouble = try await stages.takePlates() { publish(.notice(trouble)) }
        return .platesTaken
      case .look(let pass): return try await look(pass)
      case .go(let viewpoint):
        self.viewpoint = viewpoint
        return .arrived(try await stages.go(to: viewpoint))
      case .shoot(let viewpoint):
        let (verdict, feedback) = try await stages.shoot(viewpoint, at: await axes())
        return .judged(verdict, dial.isOverdone ? feedback.union([.overCapturing]) : feedback)
      case .restartCamera:
        try await stages.restartCamera()
        return .cameraRestarted
      case .rehome:
        try await stages.rehome()
        return .rehomed
      case .wake:
        try await stages.wake()
        return .woken
      case .advise: return .advised(await stages.advise(after: passes.map(\.kind)))
      case .park:
        report("park", 0, of: 1)
        await storing?.value
        try await stages.park()
        return .parked
      default: return .failed(ScanFault(.other, "not a piece of work"))
      }
    } catch {
      return .failed(error)
    }
  }

  private func prepare() async throws(ScanFault) -> ScanMachine.Event {
    report("prepare", 0, of: 1)
    await stages.setBox(boxes[machine.pass])
    let start = AxisAngles(turntable: .zero, pan: settings.pan, tilt: settings.tilt)
    let preparation = try await stages.prepare(lockTo: resumedControls, at: start)
    for notice in preparation.notices { publish(.notice(notice)) }
    locked = CameraReadback(preparation.locked)
    if owesPlates, preparation.havePlates {
      owesPlates = false
      storePlates()
    }
    return .prepared(havePlates: preparation.havePlates, preparation.feedback)
  }

  private func look(_ pass: PassRecord) async throws(ScanFault) -> ScanMachine.Event {
    report("detect", 0, of: 1)
    let finding = try await stages.look()
    guard let found = finding.box else { return .looked(found: false, finding.feedback) }
    let record = BoxRecord(pass: pass.index, min: found.min, max: found.max, byHand: false)
    foundBoxes[pass.index] = record
    if boxes[pass.index]?.byHand != true {
      boxes[pass.index] = record
      write(.box(record))
      publish(.box(record))
    }
    await stages.setBox(boxes[pass.index])
    return .looked(found: true, finding.feedback)
  }

  /// Where the axes stand, as they believe; the turntable within one turn.
  private func axes() async -> AxisAngles {
    if let viewpoint { return viewpoint.axes }
    var turntable = (await rig.turntable.position ?? .zero).degrees.truncatingRemainder(dividingBy: 360)
    if turntable < 0 { turntable += 360 }
    return AxisAngles(
      turntable: .degrees(turntable), pan: await rig.pan?.position ?? .zero, tilt: await rig.tilt?.position ?? .zero)
  }

  // MARK: storing

  /// Encodes and stores the pair of the last burst beside the next move. Only one is under way: the machine lets no burst
  /// begin, no pass end and nothing be parked before it has been told of `.stored`.
  private func keep(_ viewpoint: Int?, _ pass: Int) {
    let at = self.viewpoint?.axes
    storing = Task { [weak self, recorder, stages, encoder] in
      guard let self else { return }
      let axes: AxisAngles
      if let at { axes = at } else { axes = await self.axes() }
      var outcome: ScanMachine.Event
      var loss: ScanLoss?
      do throws(ScanFault) {
        guard let (pair, measures) = await stages.takePending(at: axes, byHand: viewpoint == nil) else {
          throw ScanFault(.other, "there is no pair to store")
        }
        // not by the recorder, which journal lines must not wait for
        let files = try await encoder.files(of: pair, measures)
        let (shot, lost) = try await recorder.store(files, pass: pass, viewpoint: viewpoint, axes: axes)
        outcome = .stored(shot)
        loss = lost
      } catch {
        outcome = .storeFailed(error)
      }
      if let loss { await self.lost(loss, coverage: recorder.coverage()) }
      await self.stored(outcome)
    }
  }

  private func stored(_ outcome: ScanMachine.Event) {
    storing = nil
    if case .stored(let shot) = outcome {
      dial.add(shot, passes: passes, geometry: rig.geometry, box: boxes[shot.pass])
    }
    handle(outcome)
    if case .stored = outcome { hub.send(.coverage(dial.summary)) }
  }

  /// Pictures are gone: what was seen on them has not been seen.
  private func lost(_ loss: ScanLoss, coverage: Coverage) {
    dial = coverage
    handle(.lost(loss))
  }

  private func beginPass(_ pass: PassRecord) {
    passes.append(pass)
    passStart = nil
    viewpoint = nil
    write(.pass(pass))
    // at another height the object stands as before, and so does its box
    if pass.kind == .height, let box = boxes[pass.index - 1] {
      let copy = BoxRecord(pass: pass.index, min: box.min, max: box.max, byHand: box.byHand)
      boxes[pass.index] = copy
      write(.box(copy))
    }
    let box = boxes[pass.index]
    let isFirst = pass.index == 1
    after { stages in
      await stages.beginPass()
      await stages.setBox(box)
    }
    if isFirst { storePlates() }
  }

  /// Puts the pictures of the empty table into the session, where there are any.
  private func storePlates() {
    after { [recorder, weak self] stages in
      guard let plates = await stages.plates?.plates else { return }
      do throws(ScanFault) { try await recorder.store(plates) } catch { await self?.troubled(error) }
    }
  }

  /// Writes a journal line in order with everything else that is written.
  private func write(_ entry: JournalEntry) {
    after { [recorder, weak self] _ in
      do throws(ScanFault) { try await recorder.append(entry) } catch { await self?.troubled(error) }
    }
  }

  private func troubled(_ fault: ScanFault) { handle(.storeFailed(fault)) }

  /// Writes a journal line and waits for it.
  func note(_ entry: JournalEntry) async {
    do throws(ScanFault) { try await recorder.append(entry) } catch { publish(.notice(error.message)) }
  }

  private func end(_ outcome: ScanOutcome) {
    let before = side
    let session = sessionID
    switch outcome {
    case .failed, .suspended: resumable = session
    case .completed, .cancelled: break
    }
    closing = Task { [weak self, recorder] in
      await before?.value
      let (kept, loss) = await recorder.account()
      var ending = outcome
      var trouble: String?
      if case .completed = outcome, kept == 0 {
        ending = .failed("nothing is left of what was taken; see to the session's folder, then scan again")
      }
      do throws(ScanFault) { try await recorder.append(ending.entry) } catch {
        trouble = error.message
        if case .completed = outcome { ending = .failed(error.message) }
      }
      await recorder.close()
      let cutOff = await recorder.lastResumable()?.id
      await self?.closed(session, ending, kept: kept, cutOff: cutOff, [loss?.text, trouble].compactMap { $0 })
    }
  }

  private func closed(_ id: String?, _ outcome: ScanOutcome, kept: Int, cutOff: String?, _ troubles: [String]) {
    closing = nil
    for trouble in troubles { publish(.notice(trouble)) }
    if case .failed(let why) = outcome, machine.state == .completed {
      if cutOff == id { resumable = id }
      handle(.unclosed(why))
    }
    if let id { hub.send(.sessionEnded(id: id, outcome: outcome, shots: kept)) }
    wakeIfIdle()
  }

  // MARK: telling

  private func publish(_ event: ScanEvent) {
    if case .progress(var new) = event {
      new.etaSeconds = remaining(new)
      progress = new
      return hub.send(.progress(new))
    }
    hub.send(event)
  }

  private func report(_ stage: String, _ done: Int, of: Int) {
    publish(.progress(ScanProgress(stage: stage, done: done, of: of, fraction: machine.fraction, etaSeconds: nil)))
  }

  /// The rest of this pass and of those to come, at the pace of this pass so far.
  private func remaining(_ progress: ScanProgress) -> Double? {
    guard progress.stage == "capture" else { return nil }
    let now = ContinuousClock.now
    guard let start = passStart, start.done < progress.done else {
      passStart = (now, progress.done)
      return nil
    }
    let each = (now - start.at) / (progress.done - start.done)
    let rest = progress.of - progress.done + (machine.passes - machine.pass) * progress.of
    return (each * rest) / .seconds(1)
  }
}
