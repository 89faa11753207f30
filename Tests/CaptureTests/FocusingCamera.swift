import Rig
import Synchronization

/// Cameras whose lenses have autofocus: as long as nobody puts them anywhere they move from picture to picture.
final class FocusingCamera: StereoCamera {
  /// What the lenses do, and what was asked of them.
  struct State {
    /// What each finds when it focuses; nil: nothing.
    var sharp: [Double?] = [2.25, 2.35]
    /// How often a picture's lens is yet to stand elsewhere than where it was put.
    var slips = 0
    /// The windows they were to focus in.
    var windows: [[PictureWindow]] = []
    /// Where the lens stood in full-size pictures.
    var captured: [Double] = []
    fileprivate var wanted: Double?
    fileprivate var lens = 0.0
  }

  private let inner: any StereoCamera
  private let state: Mutex<State>

  init(_ inner: any StereoCamera, sharp: [Double?] = [2.25, 2.35], slips: Int = 0) {
    self.inner = inner
    state = Mutex(State(sharp: sharp, slips: slips))
  }

  var now: State { state.withLock { $0 } }
  var name: String { inner.name }
  var modes: [CameraMode] { inner.modes }

  func start(_ mode: CameraMode) async throws(DeviceError) {
    state.withLock { $0.wanted = nil }
    try await inner.start(mode)
  }
  func stop() async { await inner.stop() }
  func restart() async throws(DeviceError) { try await inner.restart() }

  func apply(_ controls: CameraControls) async throws(DeviceError) -> CameraControls {
    var others = controls
    others.lensPosition = nil
    var applied = try await inner.apply(others)
    applied.lensPosition = state.withLock { state in
      state.wanted = controls.lensPosition
      return Self.move(&state)
    }
    return applied
  }

  func focus(left: PictureWindow, right: PictureWindow) async throws(DeviceError) -> LensFocus? {
    state.withLock { state in
      state.windows.append([left, right])
      return LensFocus(left: state.sharp[0], right: state.sharp[1], range: 0...15)
    }
  }

  func preview() async throws(DeviceError) -> StereoPair {
    let lens = state.withLock { Self.move(&$0) }
    return seen(try await inner.preview(), through: lens)
  }

  func capture() async throws(DeviceError) -> StereoPair {
    let lens = state.withLock { state in
      var lens = Self.move(&state)
      if state.slips > 0 {
        state.slips -= 1
        lens += 3
      }
      state.captured.append(lens)
      return lens
    }
    return seen(try await inner.capture(), through: lens)
  }

  private static func move(_ state: inout State) -> Double {
    state.lens = state.wanted ?? (state.lens + 0.7).truncatingRemainder(dividingBy: 12)
    return state.lens
  }

  private func seen(_ pair: consuming StereoPair, through lens: Double) -> StereoPair {
    var (first, second) = (pair.left.controls, pair.right.controls)
    first.lensPosition = lens
    second.lensPosition = lens
    let (left, right) = (pair.left.image, pair.right.image)
    let times = [pair.left.sensorTimestamp, pair.right.sensorTimestamp]
    return StereoPair(
      left: Frame(image: left, sensorTimestamp: times[0], controls: first),
      right: Frame(image: right, sensorTimestamp: times[1], controls: second))
  }
}
