import Rig
import Synchronization

/// Twin cameras that may be absent. Those that come back are started again as they were, with the controls they had.
package struct ReopeningCamera: StereoCamera {
  /// What was asked of the cameras and holds for those that come back, too.
  package final class Wish: Sendable {
    private struct State {
      var mode: CameraMode?
      var controls: CameraControls?
    }
    private let state = Mutex(State())

    package init() {}

    fileprivate func start(_ mode: CameraMode) { state.withLock { $0 = State(mode: mode) } }
    fileprivate func stop() { state.withLock { $0 = State() } }
    fileprivate func apply(_ controls: CameraControls) { state.withLock { $0.controls = controls } }

    /// Does to cameras that were just opened what was asked of those before them.
    package func fulfil(on camera: any StereoCamera) async throws(DeviceError) {
      let (mode, controls) = state.withLock { ($0.mode, $0.controls) }
      guard let mode else { return }
      try await camera.start(mode)
      if let controls { _ = try await camera.apply(controls) }
    }
  }

  /// The pair as the configuration names it.
  package let name: String
  /// Formats it offers, as configured.
  package let modes: [CameraMode]
  private let camera: Reopening<any StereoCamera>
  private let wish: Wish

  /// Cameras behind a device that comes and goes, and which fulfils `wish` whenever it is opened.
  package init(_ camera: Reopening<any StereoCamera>, modes: [CameraMode], wish: Wish) {
    name = camera.name
    self.modes = modes
    self.camera = camera
    self.wish = wish
  }

  /// How well the two keep together; nil while they are absent.
  package var statistics: CameraStatistics? { camera.current?.statistics }

  /// Starts them. Throws why they are absent, and what they throw.
  package func start(_ mode: CameraMode) async throws(DeviceError) {
    try await camera.perform { camera throws(DeviceError) in try await camera.start(mode) }
    wish.start(mode)
  }

  /// Sets controls. Throws why they are absent, and what they throw.
  package func apply(_ controls: CameraControls) async throws(DeviceError) -> CameraControls {
    let applied = try await camera.perform { camera throws(DeviceError) in try await camera.apply(controls) }
    wish.apply(controls)
    return applied
  }

  /// Lets the lenses focus once; cameras that come back focus no second time. Throws why they are absent, and what they throw.
  package func focus(left: PictureWindow, right: PictureWindow) async throws(DeviceError) -> LensFocus? {
    try await camera.perform { camera throws(DeviceError) in try await camera.focus(left: left, right: right) }
  }

  /// The next pair. Throws why they are absent, and what they throw.
  package func capture() async throws(DeviceError) -> StereoPair {
    try await camera.perform { camera throws(DeviceError) in try await camera.capture() }
  }

  /// The next small pair. Throws why they are absent, and what they throw.
  package func preview() async throws(DeviceError) -> StereoPair {
    try await camera.perform { camera throws(DeviceError) in try await camera.preview() }
  }

  /// Builds the pipeline up again. Throws why they are absent, and what they throw.
  package func restart() async throws(DeviceError) {
    try await camera.perform { camera throws(DeviceError) in try await camera.restart() }
  }

  /// Stops them, where they are there.
  package func stop() async {
    wish.stop()
    await camera.current?.stop()
  }

  /// Asks them for a sign of life, where they are there.
  package func check() async throws(DeviceError) { await camera.look() }
}
