import Configuration
import LinuxRig
import Rig

/// The real cameras of a configuration that was checked: opened in the background, and again whenever they were gone.
struct RealCameras {
  private let configuration: TwinrigConfiguration

  init(_ configuration: TwinrigConfiguration) { self.configuration = configuration }

  /// The pair, entered into `register`; nil where the simulated world has its own.
  func pair(_ register: DeviceRegister) -> (any StereoCamera)? {
    let (cameras, mode) = (configuration.cameras, configuration.cameraMode)
    guard cameras.driver == .libcamera else { return nil }
    let wish = ReopeningCamera.Wish()
    let device = Reopening<any StereoCamera>(
      kind: "camera", name: "cameras", register: register,
      check: { camera throws(DeviceError) in try await camera.check() }
    ) { () throws(DeviceError) in
      let pair = try LibcameraPair(mode, left: cameras.left, right: cameras.right)
      try await wish.fulfil(on: pair)
      return pair
    }
    return ReopeningCamera(device, modes: [mode], wish: wish)
  }
}
