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
    let outside = Self.distances(in: mask, from: { $0 != 0 })
    let inside = Self.distances(in: mask, from: { $0 == 0 })
    distance = zip(outside, inside).map { out, into in
      // the outline runs between the pixels: half a pixel from the centres on both sides
      let pixels = out > 0 ? out - 0.5 : 0.5 - into
      return Int8((4 * Swift.min(Swift.max(pixels, -31), 31)).rounded())
    }
  }

  /// The distance of each pixel from the nearest one that `isSource` holds for; 3-4 chamfer metric in two passes
  /// (Borgefors, "Distance transformations in digital images", 1986).
  private static func distances(in mask: GrayImage, from isSource: (UInt8) -> Bool) -> [Float] {
    let (width, height) = (mask.width, mask.height)
    let far: Int32 = 1 << 20
    var d = mask.pixels.map { isSource($0) ? 0 : far }
    func relax(_ x: Int, _ y: Int, _ steps: [(Int, Int, Int32)]) {
      let i = y * width + x
      for (dx, dy, cost) in steps {
        let (a, b) = (x + dx, y + dy)
        if a >= 0, a < width, b >= 0, b < height { d[i] = Swift.min(d[i], d[b * width + a] + cost) }
      }
    }
    let before: [(Int, Int, Int32)] = [(-1, 0, 3), (0, -1, 3), (-1, -1, 4), (1, -1, 4)]
    let after: [(Int, Int, Int32)] = [(1, 0, 3), (0, 1, 3), (1, 1, 4), (-1, 1, 4)]
    for y in 0..<height { for x in 0..<width { relax(x, y, before) } }
    for y in (0..<height).reversed() { for x in (0..<width).reversed() { relax(x, y, after) } }
    return d.map { Float($0) / 3 }
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
