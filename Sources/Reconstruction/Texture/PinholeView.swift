import Imaging

/// A camera in single precision, for loops over many points.
struct PinholeView: Sendable {
  private let row0: SIMD3<Float>, row1: SIMD3<Float>, row2: SIMD3<Float>
  private let translation: SIMD3<Float>
  private let fx: Float, fy: Float, cx: Float, cy: Float
  /// Size of the picture.
  let width: Int, height: Int
  /// Where the camera stands in the world.
  let centre: SIMD3<Float>

  /// The camera with lens `lens` (distortion is ignored: pictures are undistorted).
  init(_ cameraFromWorld: RigidTransform, _ lens: Lens) {
    // fold the focal lengths in later: rows stay orthonormal and depths stay depths
    row0 = SIMD3<Float>(cameraFromWorld.rotation.row0)
    row1 = SIMD3<Float>(cameraFromWorld.rotation.row1)
    row2 = SIMD3<Float>(cameraFromWorld.rotation.row2)
    translation = SIMD3<Float>(cameraFromWorld.translation)
    fx = Float(lens.fx)
    fy = Float(lens.fy)
    cx = Float(lens.cx)
    cy = Float(lens.cy)
    width = lens.width
    height = lens.height
    centre = SIMD3<Float>(cameraFromWorld.centre)
  }

  /// Pixel x, pixel y and depth of a world point; meaningless where the depth is not positive.
  @inline(__always) func project(_ p: SIMD3<Float>) -> SIMD3<Float> {
    let z = row2.dot(p) + translation.z
    let x = row0.dot(p) + translation.x
    let y = row1.dot(p) + translation.y
    return SIMD3(fx * x / z + cx, fy * y / z + cy, z)
  }
}
