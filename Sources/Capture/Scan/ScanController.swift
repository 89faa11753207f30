import Imaging
import Rig
import Session
import Threads

/// Runs scans on a rig, one at a time. Every command returns as soon as it is accepted; what it sets going is told by
/// `events()`. The decisions are those of `ScanMachine`; the controller performs them.
public actor ScanController {
  let rig: CaptureRig
  let library: SessionLibrary
  let settings: ScanSettings
  let stages: RigOperator
  let recorder: ShotRecorder
  let encoder: PictureEncoder
  var machine: ScanMachine
  var hub = EventHub<ScanEvent>(depth: 1024)

  // the scan that runs or has just ended
  var sessionID: String?
  var folder: String?
  var passes: [PassRecord] = []
  var boxes: [Int: BoxRecord] = [:]
  var foundBoxes: [Int: BoxRecord] = [:]
  var dial = Coverage()
  var progress: ScanProgress?
  var locked: CameraReadback?
  var resumedControls: CameraControls?
  /// Whether pictures of the empty table were lost from the session and are to be put there again.
  var owesPlates = false
  var viewpoint: Viewpoint?
  var passStart: (at: ContinuousClock.Instant, done: Int)?
  var holdReason: String?
  /// The last session, where it was cut off.
  var resumable: String?

  // what is going on
  var work: Task<Void, Never>?
  var workNumber = 0
  var storing: Task<Void, Never>?
  /// Small things beside the work, in order.
  var side: Task<Void, Never>?
  /// Ends the session's files.
  var closing: Task<Void, Never>?
  var alarm: Task<Void, Never>?
  var alarmEpoch = -1
  var isStarting = false
  var haltWanted = false
  var idleWaiters: [CheckedContinuation<Void, Never>] = []
  var pendingRefusal: ScanRefusal?
  /// The drawing of the dial that is under way.
  private var drawing: (dial: Coverage, folder: String, task: Task<Result<[String], ScanRefusal>, Never>)?

  /// A controller of `rig`. Sessions go to `library`; plates of the empty table are kept under `stateFolder`. With a
  /// `claim` nothing is added to a folder that is no longer the one that was claimed.
  public init(
    rig: CaptureRig, library: SessionLibrary, settings: ScanSettings = ScanSettings(), stateFolder: String,
    claim: StateClaim? = nil
  ) {
    self.init(rig: rig, library: library, settings: settings, stateFolder: stateFolder, claim: claim, observer: nil)
  }

  /// The same, with the session store watched between every two durable steps.
  package init(
    rig: CaptureRig, library: SessionLibrary, settings: ScanSettings, stateFolder: String, claim: StateClaim? = nil,
    encoder: PictureEncoder? = nil, observer: WriteObserver?
  ) {
    self.rig = rig
    self.library = library
    self.settings = settings
    let encoder = encoder ?? PictureEncoder(settings, rig: rig)
    self.encoder = encoder
    stages = RigOperator(
      rig: rig, settings: settings, encoder: encoder, platesFolder: "\(stateFolder)/plates", claim: claim)
    recorder = ShotRecorder(library: library, observer: observer, claim: claim)
    var rules = ScanMachine.Rules()
    rules.retakes = settings.retakes
    rules.cameraRestarts = settings.cameraRestarts
    rules.asksForPlates = settings.asksForPlates
    rules.promptTimeout = settings.promptTimeout
    rules.stepTimeout = settings.stepTimeout
    machine = ScanMachine(rules: rules)
  }

  /// Looks whether cameras and axes answer, homes the axes and lets go of them: initializing → ready, or failed with the
  /// reason. A scan that was cut off before is told of, on the signal too. Returns when all that is known.
  public func initialize() async {
    let last = await recorder.lastResumable()
    guard machine.state == .initializing, work == nil else { return }
    resumable = last?.id
    perform([.initialize])
    setAlarm()
    await untilIdle()
    await side?.value
    guard let last, resumable == last.id else { return }
    hub.send(
      .notice(
        "session \(last.id) was cut off after \(last.shots) shots; capture resume \(last.id), or the answer button, takes it up"
      ))
  }

  /// Looks again where the start-up failed: a device that was missing has come. Nothing happens after anything else.
  public func lookAgain() {
    guard work == nil, !isStarting else { return }
    handle(.lookAgain)
  }

  /// Starts a scan and returns its session's id.
  public func start(_ request: ScanRequest) async throws(ScanRefusal) -> String {
    try check(request)
    try mayStart()
    isStarting = true
    haltWanted = false
    defer {
      isStarting = false
      wakeIfIdle()
    }
    await closing?.value
    guard bytesOfPair > 0 else { throw ScanRefusal(.noDevice, "\(rig.camera.name) offers no format") }
    let stops = request.overcapture ? CapturePlan.overcaptured(request.shots) : request.shots
    let plan = CapturePlan(stops: stops, passes: request.passes, pan: settings.pan, tilt: settings.tilt)
    // all shots, and the plates
    let pairs = Int64(stops * request.passes + settings.plateStops)
    let name = rig.name
    let geometry = rig.geometry
    let contents = try await recorder.create(expectedBytes: pairs * bytesOfPair) { id, created in
      SessionManifest(
        id: id, name: request.name.isEmpty ? id : request.name, created: created, rig: name, geometry: geometry,
        calibration: "nominal", shotsPerPass: stops, passes: request.passes, detail: request.detail,
        overcapture: request.overcapture)
    }
    let id = contents.manifest.id
    adopt(contents, folder: library.folder(of: id))
    let box = request.boxRecord
    if let box {
      boxes[1] = box
      await note(.box(box))
    }
    handle(.start(session: id, plan, hasBox: box != nil))
    haltIfWanted()
    return id
  }

  /// Takes up a session after a crash or a fault, where it stopped.
  public func resume(_ sessionID: String) async throws(ScanRefusal) {
    try mayStart()
    isStarting = true
    haltWanted = false
    defer {
      isStarting = false
      wakeIfIdle()
    }
    await closing?.value
    let (folder, contents, loss) = try await takeUp(sessionID)
    guard contents.manifest.geometry == rig.geometry else {
      await recorder.close()
      throw ScanRefusal(.badState, "session \(sessionID) was shot with another geometry than this rig's")
    }
    adopt(contents, folder: folder)
    resumedControls = contents.shots.last.map { CameraControls($0.left.controls) }
    let plan = CapturePlan(
      stops: contents.manifest.shotsPerPass, passes: contents.manifest.passes, pan: settings.pan, tilt: settings.tilt)
    handle(.resume(session: sessionID, plan, resumption(contents)))
    if let loss {
      hub.send(.notice(loss.text))
      owesPlates = loss.hasPlates
    }
    haltIfWanted()
  }

  private func takeUp(
    _ id: String
  ) async throws(ScanRefusal) -> (folder: String, contents: SessionContents, loss: ScanLoss?) {
    do throws(ScanRefusal) {
      return try await recorder.resume(id, reason: "by command", bytesOfPair: bytesOfPair)
    } catch {
      // what is gone is not offered again
      if error.kind == .notFound, resumable == id { resumable = nil }
      throw error
    }
  }

  private func resumption(_ contents: SessionContents) -> ScanMachine.Resumption {
    let pass = contents.passes.last
    let done = contents.shots.filter { $0.pass == pass?.index }.compactMap(\.viewpoint)
    return ScanMachine.Resumption(
      pass: pass, done: Set(done), isPassComplete: pass.map { contents.completedPasses.contains($0.index) } ?? false,
      hasBox: pass.map { contents.boxes[$0.index] != nil } ?? (contents.boxes[1]?.byHand ?? false),
      headIsKnown: !contents.passes.contains { $0.kind == .height }, shots: contents.shots.count)
  }

  /// Pauses after the shot in flight.
  public func pause() throws(ScanRefusal) { try command(.pause) }

  /// Goes on after a pause. Refuses where the disk has no room for the pictures that are still to be taken.
  public func unpause() async throws(ScanRefusal) {
    if case .paused = machine.phase { try await recorder.check(roomFor: machine.pairsLeft * bytesOfPair) }
    try command(.unpause)
  }

  private var bytesOfPair: Int64 {
    (settings.mode ?? rig.camera.modes.first).map { encoder.bytesOfPair(pixels: Int64($0.width * $0.height)) } ?? 0
  }

  /// Why no scan can be started on this machine as it is configured, and what to do; nil where one can.
  public nonisolated var obstacle: String? { encoder.obstacle }

  /// Gives up the scan; what has been taken is kept. Valid in every state in which something runs. A session that was cut
  /// off is not dropped by it: whoever cancels twice must not lose what can still be gone on with.
  public func cancel() throws(ScanRefusal) {
    if let resumable, machine.state.isIdle {
      throw ScanRefusal(
        .badState,
        "nothing runs; session \(resumable) was cut off: to drop it, capture resume \(resumable) and cancel then, or just "
          + "start another scan")
    }
    try command(.cancel)
  }

  /// Ends the scan with what there is.
  public func finish() throws(ScanRefusal) { try command(.finish) }

  /// Gives up whatever moves, at once; nothing moves again before somebody goes on. A scan pauses, keeping everything; one
  /// that waits for a person goes on waiting; the start-up is given up. Returns what comes of it: `paused`, `cancelled`,
  /// nil for nothing.
  public func halt() -> ScanState? {
    let before = machine.state
    if isStarting { haltWanted = true }
    // on its way to its place of rest
    if before == .paused { side?.cancel() }
    handle(.halt)
    if machine.state == .cancelled, before == .initializing { return .cancelled }
    return before != .paused && (machine.state == .paused || machine.isPauseWanted) ? .paused : nil
  }

  /// A stop that came while a scan was being begun counts for that scan.
  private func haltIfWanted() {
    if haltWanted { handle(.halt) }
    haltWanted = false
  }

  /// Answers a prompt.
  public func answer(_ prompt: Int, _ choice: ScanChoice) throws(ScanRefusal) { try command(.answer(prompt, choice)) }

  /// Takes a pair by hand at the present table angle, now while paused, else after the shot in flight.
  public func shot() throws(ScanRefusal) { try command(.shot) }

  /// Changes the object's box and returns the one now in force. Durable when it returns.
  public func box(_ change: BoxChange) async throws(ScanRefusal) -> BoxRecord {
    let pass = machine.pass
    guard pass > 0, !machine.state.isIdle, machine.state != .initializing else {
      throw ScanRefusal(.badState, "no scan runs; the state is \(machine.state.rawValue)")
    }
    let record: BoxRecord
    switch change {
    case .set(let min, let max):
      let headIsKnown = !passes.contains { $0.kind == .height }
      try BoxCheck(geometry: rig.geometry, head: headIsKnown ? (settings.pan, settings.tilt) : nil)
        .check(from: min, to: max)
      record = BoxRecord(pass: pass, min: min, max: max, byHand: true)
    case .reset:
      guard let found = foundBoxes[pass] else {
        throw ScanRefusal(.badState, "no box has been found in this pass yet")
      }
      record = found
    }
    try await recorder.appendAtOnce(.box(record))
    boxes[pass] = record
    // meanwhile the next pass may have begun, with a box of its own
    if machine.pass == pass { await stages.setBox(record) }
    hub.send(.box(record))
    return record
  }

  /// Lets no new scan start while there is a reason (low battery); nil lifts it.
  public func hold(_ reason: String?) { holdReason = reason }

  /// Stops in order: what runs is left resumable, everything is parked. Returns when the rig is at rest and the session
  /// is closed.
  public func suspend(_ reason: String) async {
    handle(.suspend(reason))
    await untilIdle()
  }

  /// Returns when nothing runs.
  public func untilIdle() async {
    if isAtRest { return }
    await withCheckedContinuation { idleWaiters.append($0) }
  }

  /// Where the scan is.
  public var status: ScanStatus {
    ScanStatus(
      state: machine.state, reason: machine.reason, session: sessionID, folder: folder, pass: machine.pass,
      passes: machine.passes, shots: machine.shots, progress: progress, prompt: machine.prompt,
      feedback: machine.feedback.sorted(), box: boxes[machine.pass], locked: locked, resumable: resumable,
      hold: holdReason)
  }

  /// The id of the session of the scan that runs or has just ended.
  public var session: String? { sessionID }

  /// Which directions have enough pictures.
  public var coverage: CoverageSummary { dial.summary }

  /// The dial itself.
  public var directions: Coverage { dial }

  /// Writes the coverage dial as `coverage.svg` and `coverage.png` into the session's folder and returns their paths.
  public func writeCoverage() async throws(ScanRefusal) -> [String] {
    guard let folder else { throw ScanRefusal(.badState, "there is no session") }
    if let drawing, drawing.folder == folder, drawing.dial == dial { return try await drawing.task.value.get() }
    // one drawing at a time, however many ask: drawing takes a while on a board, and everything else waits for nothing
    let before = drawing?.task
    let task = Task { [recorder, dial] in
      _ = await before?.value
      return await Self.draw(dial, into: folder, recorder)
    }
    drawing = (dial, folder, task)
    let result = await task.value
    if drawing?.task == task { drawing = nil }
    return try result.get()
  }

  private static func draw(
    _ dial: Coverage, into folder: String, _ recorder: ShotRecorder
  ) async -> Result<[String], ScanRefusal> {
    let picture = CoverageDial(coverage: dial)
    do {
      let drawn = try await BlockingThread.result("coverage") { Result { try picture.png() } }.get()
      let files = [("coverage.svg", [UInt8](picture.svg().utf8)), ("coverage.png", drawn)]
      return .success(try await recorder.write(files, into: folder))
    } catch {
      return .failure(ScanRefusal(.inputOutput, "\((error as? ScanFault)?.message ?? "\(error)")"))
    }
  }

  /// Everything from now on, beginning with the present state. A reader that falls behind loses the oldest.
  public func events() -> AsyncStream<ScanEvent> {
    var greeting: [ScanEvent] = [
      .state(from: machine.state, to: machine.state, pass: machine.pass, reason: machine.reason)
    ]
    if let progress { greeting.append(.progress(progress)) }
    if !machine.feedback.isEmpty { greeting.append(.feedback(machine.feedback.sorted())) }
    if let prompt = machine.prompt { greeting.append(.prompt(prompt)) }
    return hub.subscribe(greeting: greeting) { [weak self] id in
      Task { await self?.forget(id) }
    }
  }

  private func forget(_ id: Int) { hub.remove(id) }

  // MARK: checks

  private func check(_ request: ScanRequest) throws(ScanRefusal) {
    guard (4...400).contains(request.shots) else { throw ScanRefusal(.badArgument, "shots are 4 to 400") }
    guard (1...9).contains(request.passes) else { throw ScanRefusal(.badArgument, "passes are 1 to 9") }
    if let box = request.box {
      try BoxCheck(geometry: rig.geometry, head: (settings.pan, settings.tilt)).check(from: box.min, to: box.max)
    }
  }

  private func mayStart() throws(ScanRefusal) {
    if let obstacle { throw ScanRefusal(.noDevice, obstacle) }
    if let holdReason { throw ScanRefusal(.lowBattery, holdReason) }
    guard machine.state.isIdle, !isStarting else {
      throw ScanRefusal(.badState, machine.whyNotNow)
    }
  }

  private func adopt(_ contents: SessionContents, folder: String) {
    sessionID = contents.manifest.id
    resumable = nil
    self.folder = folder
    passes = contents.passes
    boxes = contents.boxes
    foundBoxes = contents.boxes.filter { !$0.value.byHand }
    dial = Coverage(contents)
    progress = nil
    locked = nil
    resumedControls = nil
    owesPlates = false
    viewpoint = nil
    passStart = nil
  }
}
