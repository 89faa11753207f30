import Configuration
import LinuxRig
import Rig

/// Opens the real cameras of a configuration that was checked.
struct RealCameras {
  private let configuration: TwinrigConfiguration

  init(_ configuration: TwinrigConfiguration) { self.configuration = configuration }

  /// The pair; nil where the simulated world has its own. Throws `.absent` and the like where they are not to be found.
  func open() throws(DeviceError) -> (any StereoCamera)? {
    let cameras = configuration.cameras
    switch cameras.driver {
    case .simulated: return nil
    case .libcamera: return try LibcameraPair(configuration.cameraMode, left: cameras.left, right: cameras.right)
    }
  }
}
