import Imaging
import Session

extension PixelRect {
  /// The middle of a picture: where the object is likely to be when nothing is known.
  init(middleOf width: Int, _ height: Int) {
    self = PixelRect(width: width, height: height).shrunk(to: 0.6)
  }

  /// What a box covers in a camera's picture, or nil where none of it is in view. Corners outside the picture are cut.
  init?(of corners: [SIMD3<Double>], through lens: Lens, cameraFromObject: RigidTransform) {
    let points = corners.compactMap { lens.project(cameraFromObject * $0) }
    guard points.count == corners.count, let first = points.first else { return nil }
    let low = points.reduce(first) { pointwiseMin($0, $1) }
    let high = points.reduce(first) { pointwiseMax($0, $1) }
    let x0 = Int(max(0, low.x.rounded(.down)))
    let x1 = Int(min(Double(lens.width), high.x.rounded(.up) + 1))
    let y0 = Int(max(0, low.y.rounded(.down)))
    let y1 = Int(min(Double(lens.height), high.y.rounded(.up) + 1))
    guard x1 - x0 >= 4, y1 - y0 >= 4 else { return nil }
    self.init(x: x0, y: y0, width: x1 - x0, height: y1 - y0)
  }

  /// The same middle with a share of both sides, at least a pixel of each.
  func shrunk(to share: Double) -> PixelRect {
    let dx = Int(Double(width) * (1 - share) / 2)
    let dy = Int(Double(height) * (1 - share) / 2)
    return PixelRect(x: x + dx, y: y + dy, width: max(1, width - 2 * dx), height: max(1, height - 2 * dy))
  }

  /// A rectangle of this size about the same middle, or as near to that as the picture allows.
  func centred(width: Int, height: Int, in image: RGBImage) -> PixelRect {
    func start(_ middle: Int, _ size: Int, _ limit: Int) -> Int { max(0, min(limit - size, middle - size / 2)) }
    let width = min(width, image.width)
    let height = min(height, image.height)
    return PixelRect(
      x: start(x + self.width / 2, width, image.width), y: start(y + self.height / 2, height, image.height),
      width: width, height: height)
  }
}

extension BoxRecord {
  /// The eight corners.
  var corners: [SIMD3<Double>] {
    (0..<8).map { i in
      SIMD3(i & 1 == 0 ? min.x : max.x, i & 2 == 0 ? min.y : max.y, i & 4 == 0 ? min.z : max.z)
    }
  }
  /// The middle.
  var centre: SIMD3<Double> { (min + max) / 2 }
}

extension RigGeometry {
  /// Takes object coordinates to the cameras' frames, left and right.
  func camerasFromObject(_ axes: AxisAngles) -> [RigidTransform] {
    let left = leftFromObject(turntable: axes.turntable, pan: axes.pan, tilt: axes.tilt)
    return [left, stereo.rightFromLeft * left]
  }
  /// Both lenses, left and right.
  var lenses: [Lens] { [stereo.left, stereo.right] }
}
