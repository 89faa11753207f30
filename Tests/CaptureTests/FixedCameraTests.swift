import Capture
import Imaging
import Rig
import Session
import Testing

/// Cameras that nobody can set, as many that libcamera drives: no exposure, no gain, and frames that report neither.
private struct FixedCamera: StereoCamera {
  let inner: any StereoCamera
  var name: String { inner.name }
  var modes: [CameraMode] { inner.modes }

  func start(_ mode: CameraMode) async throws(DeviceError) { try await inner.start(mode) }
  func stop() async { await inner.stop() }
  func restart() async throws(DeviceError) { try await inner.restart() }
  func apply(_ controls: CameraControls) async throws(DeviceError) -> CameraControls {
    _ = try await inner.apply(CameraControls())
    return CameraControls()
  }
  func capture() async throws(DeviceError) -> StereoPair { silent(try await inner.capture()) }
  func preview() async throws(DeviceError) -> StereoPair { silent(try await inner.preview()) }

  private func silent(_ pair: consuming StereoPair) -> StereoPair {
    let (left, right) = (pair.left.image, pair.right.image)
    let (first, second) = (pair.left.sensorTimestamp, pair.right.sensorTimestamp)
    return StereoPair(
      left: Frame(image: left, sensorTimestamp: first, controls: CameraControls()),
      right: Frame(image: right, sensorTimestamp: second, controls: CameraControls()))
  }
}

@Suite struct FixedCameraTests {
  @Test func camerasThatNobodyCanSetTakeAScanAndItIsSaid() async throws {
    let station = try Station.quick(rig: { $0.camera = FixedCamera(inner: $0.camera) })
    await station.controller.initialize()
    let told = try await station.scan(ScanRequest(shots: 6, passes: 1))
    #expect(states(told).last == .completed)
    let contents = try station.contents()
    #expect(contents.shots.count == 6)
    let notices = told.compactMap { event in
      if case .notice(let text) = event { text } else { nil }
    }
    #expect(notices.filter { $0.contains("exposure, gain") }.count == 1, "\(notices)")
  }
}
