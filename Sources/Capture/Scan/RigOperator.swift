import Codecs
import Imaging
import Rig
import Session
import Threads

/// The hands on the rig: each of the scan's pieces of work as one call. Runs on a thread of its own, because it looks at
/// many pictures.
actor RigOperator {
  /// What `prepare` found.
  struct Preparation: Sendable {
    var havePlates: Bool
    /// What a person should know: why kept plates are of no use, what the cameras cannot do.
    var notices: [String]
    var locked: CameraControls
    var feedback: Set<ScanFeedback>
  }

  private let executor = ThreadExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let rig: CaptureRig
  let settings: ScanSettings
  let encoder: PictureEncoder
  let plateLibrary: PlateLibrary
  let exposure: ExposureLock
  var isStreaming = false
  /// The controls of the scan, as read back.
  var locked = CameraControls()
  /// What should have been locked, and the cameras do not have.
  var unlockable: [String] = []
  /// Why the lenses stand where nobody has seen that it is sharp.
  var focusTrouble: String?
  /// Mean brightness of the whole picture when the controls were locked.
  var lockedLuma = 0.0
  /// Difference of two frames at rest, 0…1.
  var noise = 0.004
  /// The last frames at rest.
  var atRest: [FloatPlane] = []
  /// Whether turning the table has ever changed the picture.
  var hasSeenTurning = false
  var plates: PlateSet?
  var box: BoxRecord?
  var pending: PairPicture?
  var pendingMeasures: [ShotMeasure] = []
  var keptScores: [Double] = []
  var refusedScore: Double?
  var advisor = FlipAdvisor()

  init(
    rig: CaptureRig, settings: ScanSettings, encoder: PictureEncoder, platesFolder: String, claim: StateClaim?
  ) {
    self.rig = rig
    self.settings = settings
    self.encoder = encoder
    plateLibrary = PlateLibrary(root: platesFolder, claim: claim)
    var limited = settings
    // an exposure ends before the next frame's begins
    if let rate = (settings.mode ?? rig.camera.modes.first)?.framesPerSecond, rate > 0 {
      limited.longestExposure = min(settings.longestExposure, 0.99e6 / rate)
    }
    exposure = ExposureLock(settings: limited)
  }

  /// The cameras' format.
  var mode: CameraMode? { settings.mode ?? rig.camera.modes.first }

  // MARK: begin and end

  /// Looks whether everything answers and lets go of it again.
  func initialize() async throws(ScanFault) {
    do {
      try await homeAxes()
      try await startCamera()
      _ = try await preview()
    } catch {
      await rest()
      await stopCamera()
      throw error
    }
    await rest()
    await stopCamera()
  }

  /// Lamps on, axes homed, head aimed, cameras streaming with locked controls, noise known.
  /// `previous` are the controls of a session that is resumed.
  func prepare(lockTo previous: CameraControls?, at start: AxisAngles) async throws(ScanFault) -> Preparation {
    plates = nil
    pending = nil
    keptScores = []
    atRest = []
    hasSeenTurning = false
    focusTrouble = nil
    advisor.reset()
    try await setLamps(settings.lampLevel)
    try await homeAxes()
    try await startCamera()
    var axes = start
    let (stored, trouble) = try keptPlates()
    var notices = [trouble].compactMap { $0 }
    if let first = stored?.plates.first { axes = first.axes }
    try await move(to: axes)
    if let previous {
      try await lockAgain(to: previous, at: axes)
    } else if let stored {
      try await lockAgain(to: stored.controls, at: axes)
      if try await showsTheSameRoom(stored.plates[0]) {
        plates = stored
      } else {
        notices.append(
          Self.clearAgain("they show another light, another pose of the head or other things around the table"))
        try await lockAutomatically(at: axes)
      }
    } else {
      try await lockAutomatically(at: axes)
    }
    try await measureNoise()
    notices += focusNotices
    if !unlockable.isEmpty {
      notices.append(
        "\(rig.camera.name): nobody can set their \(unlockable.joined(separator: ", ")), and they may change it from "
          + "picture to picture: keep the light even")
    }
    return try await Preparation(
      havePlates: plates != nil, notices: notices, locked: locked, feedback: lightFeedback())
  }

  /// The plates kept for this set-up, or why there are none though some were kept.
  private func keptPlates() throws(ScanFault) -> (PlateSet?, trouble: String?) {
    let key = try plateKey()
    do throws(SessionError) { return (try plateLibrary.load(key), nil) } catch {
      return (nil, Self.clearAgain(error.description))
    }
  }

  private static func clearAgain(_ reason: String) -> String {
    "the kept pictures of the empty table cannot be used, it has to be photographed again: \(reason)"
  }

  private func lightFeedback() async throws(ScanFault) -> Set<ScanFeedback> {
    let pair = try await preview()
    let middle = middle(pair)
    return exposure.feedback(locked, meanLuma: middle.mean, clipped: middle.clipped)
  }

  /// Lamps off, axes at their parking place and released; the cameras go on. An axis that fails is released where it is.
  func rest() async {
    for axis in rig.axes { await axis.stop() }
    for lamp in rig.lamps { try? await lamp.set(level: 0) }
    for axis in rig.axes where await axis.position != nil {
      do throws(DeviceError) { try await drive(axis, to: settings.parked) } catch {
        // stopped by hand: that counts for the others too
        if error.kind == .cancelled { break }
      }
    }
    for axis in rig.axes { await axis.release() }
  }

  /// Back to work after `rest`. What the axes did meanwhile, or when they failed, nobody knows.
  func wake() async throws(ScanFault) {
    try await setLamps(settings.lampLevel)
    try await rehome()
    try await restartCamera()
    atRest = []
  }

  /// Ends everything, whatever fails: lamps off, cameras stopped, axes at their parking place and released. Throws what
  /// failed, after all the rest was done.
  func park() async throws(ScanFault) {
    pending = nil
    var fault: ScanFault?
    for axis in rig.axes { await axis.stop() }
    for lamp in rig.lamps {
      do { try await lamp.set(level: 0) } catch { fault = fault ?? ScanFault(.other, "\(error)") }
    }
    await stopCamera()
    for axis in rig.axes where await axis.position != nil {
      do throws(DeviceError) { try await bringHome(axis) } catch { fault = fault ?? ScanFault(axis: error) }
    }
    for axis in rig.axes { await axis.release() }
    if let fault { throw fault }
  }

  // MARK: devices, with their errors sorted

  func setLamps(_ level: Double) async throws(ScanFault) {
    for lamp in rig.lamps {
      do { try await lamp.set(level: level) } catch { throw ScanFault(.other, "\(error)") }
    }
  }

  /// Homes the axes that do not know where they are.
  func homeAxes() async throws(ScanFault) {
    for axis in rig.axes where await axis.position == nil {
      do { try await axis.home() } catch { throw ScanFault(axis: error) }
    }
  }

  /// Homes all axes, because one of them may be elsewhere than it believes.
  func rehome() async throws(ScanFault) {
    for axis in rig.axes {
      do { try await axis.home() } catch { throw ScanFault(axis: error) }
    }
    atRest = []
  }

  func startCamera() async throws(ScanFault) {
    if isStreaming { return }
    guard let mode else { throw ScanFault(.other, "\(rig.camera.name): offers no format") }
    // Between scans somebody may have left them streaming, for aiming.
    await rig.camera.stop()
    do { try await rig.camera.start(mode) } catch { throw ScanFault(camera: error) }
    isStreaming = true
  }

  func stopCamera() async {
    await rig.camera.stop()
    isStreaming = false
  }

  /// Builds the camera pipeline up again and checks that it has the scan's controls.
  func restartCamera() async throws(ScanFault) {
    do {
      try await rig.camera.restart()
      if locked != CameraControls() { locked = try await rig.camera.apply(locked) }
    } catch { throw ScanFault(camera: error) }
  }

  func preview() async throws(ScanFault) -> PairPicture {
    do { return PairPicture(try await rig.camera.preview()) } catch { throw ScanFault(camera: error) }
  }

  func capture() async throws(ScanFault) -> PairPicture {
    do { return PairPicture(try await rig.camera.capture()) } catch { throw ScanFault(camera: error) }
  }

  // MARK: motion

  /// Moves all axes, the head first: the turntable is what is waited for last.
  func move(to axes: AxisAngles) async throws(ScanFault) {
    if let pan = rig.pan { try await move(pan, to: axes.pan) }
    if let tilt = rig.tilt { try await move(tilt, to: axes.tilt) }
    try await move(rig.turntable, to: axes.turntable)
  }

  private func move(_ axis: any Axis, to angle: Angle) async throws(ScanFault) {
    do { try await drive(axis, to: angle) } catch { throw ScanFault(axis: error) }
  }

  /// Moves an axis to its parking place. One that fails on the way is homed and tried once more, unless it was stopped.
  private func bringHome(_ axis: any Axis) async throws(DeviceError) {
    do throws(DeviceError) { try await drive(axis, to: settings.parked) } catch {
      if error.kind == .cancelled { throw error }
      try await axis.home()
      try await drive(axis, to: settings.parked)
    }
  }

  private func drive(_ axis: any Axis, to angle: Angle) async throws(DeviceError) {
    let position = await axis.position
    let target = Self.target(angle, from: position ?? .zero, range: axis.limits.range)
    if let position, abs((target - position).degrees) < 0.005 { return }
    try await axis.move(to: target, speed: settings.moveSpeed.map { min($0, axis.limits.topSpeed) })
  }

  /// Where an axis goes to stand at `angle`. One that turns without end goes on in the same direction, so that its play
  /// is always on the same side; a step back of less than half a degree is made as such.
  static func target(_ angle: Angle, from position: Angle, range: ClosedRange<Angle>?) -> Angle {
    if let range {
      if range.contains(angle) { return angle }
      for turns in [-360.0, 360.0] where range.contains(angle + .degrees(turns)) { return angle + .degrees(turns) }
      return angle
    }
    var ahead = (angle - position).degrees.truncatingRemainder(dividingBy: 360)
    if ahead < 0 { ahead += 360 }
    if ahead > 359.5 { ahead -= 360 }
    return position + .degrees(ahead)
  }
}
