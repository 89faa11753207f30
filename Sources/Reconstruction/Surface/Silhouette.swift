import CDepth
import Imaging

/// A mask as the signed distance from its outline: positive off the object, in quarter pixels, at most 31 pixels.
struct Silhouette: Sendable {
  let lens: Lens
  let cameraFromWorld: RigidTransform
  let distance: [Int8]

  /// The silhouette of a mask (anything but 0 is object) whose pinhole is `lens`.
  init(mask: GrayImage, lens: Lens, cameraFromWorld: RigidTransform) {
    self.lens = lens
    self.cameraFromWorld = cameraFromWorld
    let count = mask.pixels.count
    var scratch = [Int16](repeating: 0, count: 2 * count)
    distance = [Int8](unsafeUninitializedCapacity: count) { target, initialized in
      if let base = target.baseAddress {
        cdepth_outline(mask.pixels, Int32(mask.width), Int32(mask.height), &scratch, base)
      }
      initialized = count
    }
  }
}

extension cdepth_camera {
  init(_ lens: Lens, _ cameraFromWorld: RigidTransform) {
    self.init()
    let m = cameraFromWorld.rotation
    let s = cameraFromWorld.translation
    r = (
      Float(m.row0.x), Float(m.row0.y), Float(m.row0.z), Float(m.row1.x), Float(m.row1.y), Float(m.row1.z),
      Float(m.row2.x), Float(m.row2.y), Float(m.row2.z)
    )
    t = (Float(s.x), Float(s.y), Float(s.z))
    fx = Float(lens.fx)
    fy = Float(lens.fy)
    cx = Float(lens.cx)
    cy = Float(lens.cy)
    width = Int32(lens.width)
    height = Int32(lens.height)
  }
}
