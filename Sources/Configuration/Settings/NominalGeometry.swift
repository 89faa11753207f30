import Imaging
import Rig

extension TwinrigConfiguration {
  /// The geometry by design: what `[geometry]` and `[cameras]` say together.
  public var nominalGeometry: RigGeometry {
    .nominal(
      width: cameras.width, height: cameras.height,
      focalLength: cameras.focalRatio * Double(min(cameras.width, cameras.height)), k1: cameras.k1, k2: cameras.k2,
      baseline: geometry.baseline, distance: geometry.distance, elevation: geometry.elevation,
      aimHeight: geometry.aimHeight, tableRadius: geometry.tableRadius)
  }

  /// The cameras' format.
  public var cameraMode: CameraMode {
    CameraMode(
      width: cameras.width, height: cameras.height, previewWidth: cameras.previewWidth,
      previewHeight: cameras.previewHeight, framesPerSecond: cameras.framesPerSecond)
  }
}
