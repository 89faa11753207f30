import Imaging
import Session

extension PixelRect {
  /// The middle of a picture: where the object is likely to be when nothing is known.
  init(middleOf width: Int, _ height: Int) {
    self = PixelRect(width: width, height: height).shrunk(to: 0.6)
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
  /// The box without its origin.
  var box: Box3 { Box3(min: min, max: max) }
}

extension Box3 {
  /// Where a camera sees the box, or nil where it is beside the picture or not in front of the camera.
  func region(through lens: Lens, cameraFromWorld: RigidTransform) -> PixelRect? {
    guard let extent = extent(through: lens, cameraFromWorld: cameraFromWorld) else { return nil }
    return extent.width >= 4 && extent.height >= 4 ? extent : nil
  }
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
