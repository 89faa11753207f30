import CLinux
import Imaging
import LinuxRig
import Rig
import Synchronization

/// Two free-running cameras that exist only here, in real time: with buffers, controls that take some frames, and whatever a
/// test lets happen to them.
final class FakeTwins: TwinSource {
  /// What a test does to the cameras, from its own thread.
  final class Fate: Sendable {
    struct State {
      /// How often they may be opened yet; nil: always.
      var openings: Int?
      /// Cameras that deliver nothing, give up their frames, or are unplugged.
      var silent: Set<Side> = []
      var cancelled: Set<Side> = []
      var gone: Set<Side> = []
      /// The camera keeps its own gain.
      var isStubborn = false
      /// Whether they have lenses with autofocus, where those see something sharp, and after how many frames.
      var haveLenses = false
      var sharp = [2.25, 2.35]
      var framesToFocus = 6
      /// Lenses that find nothing, never stop looking, or go their own ways whatever they were told.
      var blurred: Set<Side> = []
      var restless: Set<Side> = []
      var wayward: Set<Side> = []
      /// How far the right one is behind, in nanoseconds, and whether starting it later changes that.
      var skew: Int64 = 120_000
      var followsItsStart = true
      /// How long the computer takes to hand a frame on, in nanoseconds.
      var delay: Int64 = 0
      /// What has happened.
      var opened = 0, closedWholly = 0, outstanding = 0, copies = 0
      var windows: [[PictureWindow]] = []
    }
    private let state: Mutex<State>
    init(_ change: (inout State) -> Void = { _ in }) {
      var state = State()
      change(&state)
      self.state = Mutex(state)
    }
    var now: State { state.withLock { $0 } }
    /// Whether a camera is in a set; looked up under the lock: the thread sanitizer does not see how sets are shared.
    func has(_ side: Side, in set: (State) -> Set<Side>) -> Bool { state.withLock { set($0).contains(side) } }
    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
  }

  private struct Camera {
    var next: Int64 = 0
    var free: Set<Int> = []
    /// In dioptres; it starts where the last program has left it.
    var lens = 1.0
  }

  private let fate: Fate
  private let hasControls: Bool
  private var mode = CameraMode(width: 0, height: 0, previewWidth: 0, previewHeight: 0, framesPerSecond: 1)
  private var cameras: [Camera] = []
  private var origin: Int64 = 0
  private var lag: Int64 = 0
  private var inForce = CameraControls()
  private var coming: (controls: CameraControls, from: Int64)?
  /// When lenses begin to look for their focus.
  private var focusingFrom: Int64?

  init(_ fate: Fate, hasControls: Bool) {
    self.fate = fate
    self.hasControls = hasControls
  }

  var names: [String] { ["left eye", "right eye"] }

  var limits: ControlLimits {
    var limits = ControlLimits()
    guard hasControls else { return limits }
    limits.exposure = 50...60_000
    limits.gain = 1...16
    limits.colourGain = 0.25...8
    if fate.now.haveLenses {
      limits.lens = 0...15
      limits.hasAutofocus = true
    }
    return limits
  }

  private var period: Int64 { Int64(1e9 / mode.framesPerSecond) }

  func open(_ mode: CameraMode) throws(DeviceError) {
    let isThere = fate.now.openings.map { $0 > 0 } ?? true
    fate.change { state in
      state.opened += 1
      state.openings = state.openings.map { $0 - 1 }
    }
    guard isThere else {
      throw DeviceError(.absent, device: "cameras", operation: "open", remedy: "it is not there any more")
    }
    self.mode = mode
  }

  func start(_ controls: CameraControls, lag: Int64) throws(DeviceError) {
    origin = linux_now()
    self.lag = fate.now.followsItsStart ? lag : 0
    inForce = controls
    coming = nil
    focusingFrom = nil
    cameras = [Camera(next: 0, free: [0, 1, 2, 3]), Camera(next: 0, free: [0, 1, 2, 3])]
  }

  func set(_ controls: CameraControls) {
    coming = (controls, linux_now() + 2 * period)
    focusingFrom = nil
  }

  func focus(in windows: [PictureWindow]) {
    fate.change { $0.windows.append(windows) }
    focusingFrom = linux_now() + 2 * period
  }

  private func exposure(_ side: Side, _ index: Int64) -> Int64 {
    origin + index * period + (side == .right ? fate.now.skew + lag : 0)
  }

  private func completion(_ side: Side) -> Int64 {
    exposure(side, cameras[side.rawValue].next) + period / 2 + fate.now.delay
  }

  func wait(with waker: Int32, until deadline: Int64) {
    let next = cameras.isEmpty ? deadline : Side.allCases.map(completion).min() ?? deadline
    var entries = [linux_poll_entry(descriptor: waker, wanted: Int16(LINUX_POLL_IN), got: 0)]
    let left = max(0, min(deadline, next) - linux_now())
    linux_poll(&entries, 1, Int32(clamping: (left + 999_999) / 1_000_000))
  }

  func next(_ side: Side) -> CompletedFrame? {
    let state = fate.now
    while cameras.count == 2, completion(side) <= linux_now() {
      let index = cameras[side.rawValue].next
      cameras[side.rawValue].next += 1
      // where no buffer is free the frame is lost
      guard !state.silent.contains(side), let buffer = cameras[side.rawValue].free.popFirst() else { continue }
      fate.change { $0.outstanding += 1 }
      let time = exposure(side, index)
      let controls = controls(at: time)
      let focusing = moveLens(side, at: time)
      return CompletedFrame(
        buffer: buffer, status: state.cancelled.contains(side) ? .cancelled : .good,
        time: FrameTime(
          sensor: time, buffer: 0, monotonicArrival: linux_now(), bootArrival: linux_now() + 5_000_000_000),
        controls: with(lensOf: side, controls), focusing: focusing)
    }
    return nil
  }

  /// Moves a lens as its mode wants it: to where it was told, through a search, or after whatever it sees.
  private func moveLens(_ side: Side, at time: Int64) -> CompletedFrame.Focusing? {
    let state = fate.now
    if let begun = focusingFrom, begun <= time {
      let frames = Int((time - begun) / period)
      if frames < state.framesToFocus || fate.has(side, in: { $0.restless }) {
        cameras[side.rawValue].lens = Double(frames % 12)
        return .scanning
      }
      if fate.has(side, in: { $0.blurred }) { return .failed }
      cameras[side.rawValue].lens = state.sharp[side.rawValue]
      return .focused
    }
    if let position = inForce.lensPosition, !fate.has(side, in: { $0.wayward }) {
      cameras[side.rawValue].lens = position
    } else {
      let next = cameras[side.rawValue].lens + 0.3
      cameras[side.rawValue].lens = next > 12 ? 0 : next
    }
    return nil
  }

  private func with(lensOf side: Side, _ controls: CameraControls) -> CameraControls {
    guard hasControls, fate.now.haveLenses else { return controls }
    var controls = controls
    controls.lensPosition = cameras[side.rawValue].lens
    return controls
  }

  private func controls(at time: Int64) -> CameraControls {
    if let change = coming, change.from <= time {
      inForce = change.controls
      coming = nil
    }
    guard hasControls else { return CameraControls() }
    return CameraControls(
      exposureMicroseconds: inForce.exposureMicroseconds ?? 3000, gain: fate.now.isStubborn ? 7 : inForce.gain ?? 1,
      redGain: inForce.redGain ?? 1.75, blueGain: inForce.blueGain ?? 1.5)
  }

  func isGone(_ side: Side) -> Bool { fate.has(side, in: { $0.gone }) }

  func copy(_ side: Side, _ buffer: Int) throws(DeviceError) -> RawPicture {
    fate.change { $0.copies += 1 }
    let layout = PictureLayout(pixels: .bgr, width: mode.width, height: mode.height, stride: 3 * mode.width)
    let shade: UInt8 = side == .left ? 60 : 180
    return RawPicture(layout: layout, bytes: [UInt8](repeating: shade, count: layout.byteCount))
  }

  func giveBack(_ side: Side, _ buffer: Int) throws(DeviceError) {
    fate.change { $0.outstanding -= 1 }
    precondition(cameras[side.rawValue].free.insert(buffer).inserted, "a buffer was given back twice")
  }

  func close(wholly: Bool) {
    cameras = []
    fate.change { state in
      state.outstanding = 0
      if wholly { state.closedWholly += 1 }
    }
  }
}
