import Imaging
import Rig
import Synchronization

/// Twin cameras that look into the world.
actor SimulatedStereoCamera: StereoCamera {
  nonisolated let name = "cameras"
  nonisolated let modes: [CameraMode]
  private let sensor: SensorSettings
  private let clock: SimulatedClock
  private let faults: FaultScript
  private let surroundings: Surroundings
  private let maker: FrameMaker
  private var random: SeededRandom

  private var isStreaming = false
  private var isDead = false
  private var run = 0
  private var frames: UInt64 = 0
  private var wanted = CameraControls()
  private var automatic = Automatic()
  private let buffers = Mutex(0)

  /// Pairs that may be out at once.
  private static let bufferCount = 4
  private static let frameTimeout = Duration.seconds(1)

  /// What the camera decides where nothing is asked of it.
  private struct Automatic {
    /// Exposure time times gain, microseconds.
    var product = 8000.0
    var redGain = 1.45, blueGain = 1.5
  }

  init(
    mode: CameraMode, sensor: SensorSettings, clock: SimulatedClock, faults: FaultScript, surroundings: Surroundings,
    maker: FrameMaker, seed: UInt64
  ) {
    modes = [mode]
    self.sensor = sensor
    self.clock = clock
    self.faults = faults
    self.surroundings = surroundings
    self.maker = maker
    random = SeededRandom(seed: seed, stream: "camera")
  }

  private var mode: CameraMode { modes[0] }
  private var period: Duration { .seconds(1 / mode.framesPerSecond) }

  func start(_ mode: CameraMode) async throws(DeviceError) {
    let operation = "start \(mode.width)×\(mode.height)"
    guard mode == self.mode else {
      throw DeviceError(
        .unsupported, device: name, operation: operation, remedy: "it offers \(self.mode.width)×\(self.mode.height)")
    }
    guard !isStreaming else {
      throw DeviceError(.busy, device: name, operation: operation, remedy: "stop it first")
    }
    isStreaming = true
    isDead = false
    run += 1
    wanted = CameraControls()
    automatic = Automatic()
    let mine = run
    do throws(DeviceError) { try await maker.prepare() } catch {
      isStreaming = false
      throw error
    }
    try await pause(.milliseconds(350), mine, operation)
  }

  func stop() async {
    isStreaming = false
    run += 1
  }

  func restart() async throws(DeviceError) {
    guard isStreaming else { throw notStarted("restart") }
    isDead = false
    run += 1
    try await pause(.milliseconds(600), run, "restart")
  }

  func apply(_ controls: CameraControls) async throws(DeviceError) -> CameraControls {
    let operation = "apply controls"
    guard isStreaming else { throw notStarted(operation) }
    try check(controls)
    let mine = run
    // frames that are on their way still have the old controls; what is automatic uses them
    for _ in 0..<max(0, sensor.controlLatency) {
      if automaticIn(controls) {
        _ = try await take(mode.previewWidth, mode.previewHeight, operation)
      } else {
        try await pause(period, mine, operation)
      }
    }
    try alive(mine, operation)
    wanted = controls
    return reported()
  }

  func capture() async throws(DeviceError) -> StereoPair {
    faults.noteShot()
    return try await take(mode.width, mode.height, "capture")
  }

  func preview() async throws(DeviceError) -> StereoPair {
    try await take(mode.previewWidth, mode.previewHeight, "preview")
  }

  /// Waits for the next frame's exposure and makes the pair of it.
  private func take(_ width: Int, _ height: Int, _ operation: String) async throws(DeviceError) -> StereoPair {
    guard isStreaming else { throw notStarted(operation) }
    let mine = run
    if faults.takes(.cameraTimeout) { isDead = true }
    guard !isDead, borrowBuffer() else {
      try await pause(SimulatedStereoCamera.frameTimeout, mine, operation)
      throw DeviceError(
        .timedOut, device: name, operation: operation,
        remedy: isDead
          ? "restart it; if that does not help check the cable and the power"
          : "hand frames back sooner: all \(SimulatedStereoCamera.bufferCount) buffers are out")
    }
    let buffer = BufferLoan { [weak self] in self?.returnBuffer() }
    let skipped = faults.takes(.droppedFrame) ? 1 : 0
    let index = Int64((clock.now.sinceOrigin / period).rounded(.up)) + Int64(skipped)
    let starts = period * Double(index)
    let controls = reported()
    let exposure = Duration.microseconds(controls.exposureMicroseconds ?? 0)
    let skew = Duration.microseconds(sensor.skew + random.normal(12))
    try await pause(starts + skew + exposure + .milliseconds(12) - clock.now.sinceOrigin, mine, operation)
    frames += 1
    let gain = controls.gain ?? 1
    let pair = try await maker.pair(
      left: seen(from: starts, for: exposure, width: width),
      right: seen(from: starts + skew, for: exposure, width: width), width: width, height: height,
      exposure: FrameMaker.Exposure(
        brightness: (controls.exposureMicroseconds ?? 0) / 10_000 * gain, gain: gain,
        redGain: controls.redGain ?? 1, blueGain: controls.blueGain ?? 1, frame: frames))
    try alive(mine, operation)
    settle(pair.meteredSignal)
    return StereoPair(
      left: Frame(
        image: pair.left, sensorTimestamp: starts.inNanoseconds, controls: controls, requeue: { buffer.keep() }),
      right: Frame(
        image: pair.right, sensorTimestamp: (starts + skew).inNanoseconds, controls: controls,
        requeue: { buffer.keep() }))
  }

  /// What is to be seen during an exposure: one instant if nothing moves by more than a third of a pixel, otherwise
  /// several, evenly spread.
  private func seen(from start: Duration, for exposure: Duration, width: Int) -> [SceneState] {
    let middle = surroundings.scene(at: start + exposure / 2)
    let steps = 4
    var path = 0.0
    var last: SceneState?
    for i in 0...steps {
      let state = surroundings.scene(at: start + exposure * Double(i) / Double(steps))
      if let last { path += apart(last, state, width: width) }
      last = state
    }
    // such blur is a ninth of what the pixel's own width does (variances of two boxes)
    guard path > 0.33 else { return [middle] }
    let count = min(16, max(2, Int(path.rounded(.up))))
    return (0..<count).map { surroundings.scene(at: start + exposure * ((Double($0) + 0.5) / Double(count))) }
  }

  /// About how many pixels apart two instants' pictures are, 110 mm from the table's axis.
  private func apart(_ a: SceneState, _ b: SceneState, width: Int) -> Double {
    let focal = surroundings.geometry.stereo.left.fx * Double(width) / Double(mode.width)
    let turn = (a.turn.radians - b.turn.radians).magnitude * 110 / 450
    let view = (a.leftFromTable.rotation * b.leftFromTable.rotation.transpose).rotationVector.length
    return focal * (turn + view)
  }

  // MARK: controls

  private func automaticIn(_ c: CameraControls) -> Bool {
    c.exposureMicroseconds == nil || c.gain == nil || c.redGain == nil || c.blueGain == nil
  }

  private func check(_ c: CameraControls) throws(DeviceError) {
    let limits: [(String, Double?, ClosedRange<Double>)] = [
      ("exposure in microseconds", c.exposureMicroseconds, 50...sensor.longestExposure),
      ("gain", c.gain, 1...sensor.highestGain), ("red gain", c.redGain, 0.25...8), ("blue gain", c.blueGain, 0.25...8)
    ]
    for (what, value, range) in limits {
      if let value, !range.contains(value) {
        throw DeviceError(
          .outOfRange, device: name, operation: "set \(what) \(value)",
          remedy: "use \(range.lowerBound) to \(range.upperBound)")
      }
    }
    if c.lensPosition != nil {
      throw DeviceError(.unsupported, device: name, operation: "set the lens position", remedy: "its focus is fixed")
    }
  }

  /// The controls in force, as the sensor's metadata state them: in steps of a row's time and of a sixteenth.
  private func reported() -> CameraControls {
    let product = automatic.product
    var exposure = wanted.exposureMicroseconds
    var gain = wanted.gain
    if exposure == nil {
      exposure = min(sensor.longestExposure, max(50, gain.map { product / $0 } ?? min(product, 10_000)))
      // gain before blur, but light before noise
      if gain == nil, product > 10_000 * 2 { exposure = min(sensor.longestExposure, product / 2) }
    }
    let time = ((exposure ?? 50) / 10).rounded() * 10
    if gain == nil { gain = min(sensor.highestGain, max(1, product / time)) }
    return CameraControls(
      exposureMicroseconds: time, gain: ((gain ?? 1) * 16).rounded() / 16, redGain: wanted.redGain ?? automatic.redGain,
      blueGain: wanted.blueGain ?? automatic.blueGain)
  }

  /// Automatic exposure and white balance come nearer to their aims with every frame.
  private func settle(_ signal: Double) {
    let step = min(3, max(1 / 3, 0.16 / max(signal, 1e-5)))
    let reached = reported()
    let product = (reached.exposureMicroseconds ?? 0) * (reached.gain ?? 1)
    automatic.product = min(
      sensor.longestExposure * sensor.highestGain, max(100, product * (1 + 0.8 * (step - 1))))
    automatic.redGain += 0.5 * (1 / FrameMaker.response.x - automatic.redGain)
    automatic.blueGain += 0.5 * (1 / FrameMaker.response.z - automatic.blueGain)
  }

  // MARK: buffers and errors

  private func borrowBuffer() -> Bool {
    buffers.withLock { out in
      guard out < SimulatedStereoCamera.bufferCount else { return false }
      out += 1
      return true
    }
  }

  private nonisolated func returnBuffer() { buffers.withLock { $0 -= 1 } }

  private func notStarted(_ operation: String) -> DeviceError {
    DeviceError(.faulty, device: name, operation: operation, remedy: "start it first")
  }

  private func alive(_ mine: Int, _ operation: String) throws(DeviceError) {
    if run != mine { throw DeviceError(.cancelled, device: name, operation: operation) }
  }

  private func pause(_ duration: Duration, _ mine: Int, _ operation: String) async throws(DeviceError) {
    do {
      try await clock.sleep(for: max(.zero, duration))
    } catch {
      throw DeviceError(.cancelled, device: name, operation: operation)
    }
    try alive(mine, operation)
  }
}

/// A buffer that goes back when nobody keeps it any more.
private final class BufferLoan: Sendable {
  private let giveBack: @Sendable () -> Void
  init(_ giveBack: @escaping @Sendable () -> Void) { self.giveBack = giveBack }
  /// Keeps it until the caller's own end.
  func keep() {}
  deinit { giveBack() }
}

extension Duration {
  fileprivate var inNanoseconds: Int64 {
    let c = components
    return c.seconds * 1_000_000_000 + c.attoseconds / 1_000_000_000
  }
}
