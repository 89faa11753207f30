import Imaging
import Session

/// A rectangle of pixels, half open.
struct PictureRegion: Sendable, Hashable {
  var x: Range<Int>
  var y: Range<Int>

  init(x: Range<Int>, y: Range<Int>) {
    self.x = x
    self.y = y
  }

  /// The middle of a picture: where the object is likely to be when nothing is known.
  init(middleOf width: Int, _ height: Int) {
    self.init(x: width / 5..<max(width / 5 + 1, width * 4 / 5), y: height / 5..<max(height / 5 + 1, height * 4 / 5))
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
    self.init(x: x0..<x1, y: y0..<y1)
  }

  /// The same middle with a share of both sides.
  func shrunk(to share: Double) -> PictureRegion {
    let dx = Int(Double(x.count) * (1 - share) / 2)
    let dy = Int(Double(y.count) * (1 - share) / 2)
    return PictureRegion(
      x: x.lowerBound + dx..<max(x.lowerBound + dx + 1, x.upperBound - dx),
      y: y.lowerBound + dy..<max(y.lowerBound + dy + 1, y.upperBound - dy))
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
