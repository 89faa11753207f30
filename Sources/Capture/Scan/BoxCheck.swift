import Imaging
import Session

/// What a box that a person sets must be, so that an object can be in it.
struct BoxCheck {
  /// No rig of this kind has room for more, in millimetres.
  private static let largest = 10_000.0
  /// Smaller things are no objects for this rig, in millimetres.
  private static let smallestSide = 5.0
  /// In so many directions the cameras look at the table while it turns.
  private static let directions = 12

  let geometry: RigGeometry
  /// The head's angles during the scan; nil where its pose is not known, as after it was set to another height by hand.
  let head: (pan: Angle, tilt: Angle)?

  /// Throws where no object can be in the box.
  func check(from min: SIMD3<Double>, to max: SIMD3<Double>) throws(ScanRefusal) {
    let largest = Self.largest
    guard [min.x, min.y, min.z, max.x, max.y, max.z].allSatisfy({ $0.magnitude <= largest }) else {
      throw ScanRefusal(
        .badArgument, "a corner of the box lies more than \(Int(largest)) mm from the table's middle; lengths are mm")
    }
    let size = max - min
    guard size.x > 0, size.y > 0, size.z > 0 else {
      throw ScanRefusal(.badArgument, "a box is x0,y0,z0,x1,y1,z1 in millimetres, the lower corner first")
    }
    guard size.min() >= Self.smallestSide else {
      throw ScanRefusal(
        .badArgument, "a side of the box is shorter than \(Int(Self.smallestSide)) mm; lengths are mm")
    }
    try checkPlace(Box3(min: min, max: max))
  }

  /// An object stands on the table, which is y = 0, and the cameras see it.
  private func checkPlace(_ box: Box3) throws(ScanRefusal) {
    let radius = geometry.tableRadius
    let nearest = SIMD2(Swift.max(box.min.x, -box.max.x, 0), Swift.max(box.min.z, -box.max.z, 0))
    guard (nearest * nearest).sum() <= radius * radius else {
      throw ScanRefusal(
        .badArgument, "the box lies beside the turntable, which reaches \(Int(radius)) mm from its middle, 0,0,0")
    }
    guard box.max.y >= Self.smallestSide else {
      throw ScanRefusal(.badArgument, "the box lies below the turntable's surface, which is y = 0; y is upwards")
    }
    guard isSeen(clipped(box)) else {
      throw ScanRefusal(
        .badArgument, "the cameras see nothing of the box; the turntable's middle is 0,0,0 and y is upwards")
    }
  }

  /// What of a box is above the table.
  private func clipped(_ box: Box3) -> Box3 {
    let radius = geometry.tableRadius
    return Box3(
      min: [Swift.max(box.min.x, -radius), Swift.max(box.min.y, 0), Swift.max(box.min.z, -radius)],
      max: [Swift.min(box.max.x, radius), box.max.y, Swift.min(box.max.z, radius)])
  }

  private func isSeen(_ box: Box3) -> Bool {
    guard let head else { return true }
    let points = Self.points(of: box)
    return (0..<Self.directions).contains { step in
      let turntable = Angle(degrees: 360 * Double(step) / Double(Self.directions))
      let cameras = geometry.camerasFromObject(AxisAngles(turntable: turntable, pan: head.pan, tilt: head.tilt))
      return zip(geometry.lenses, cameras).contains { lens, camera in
        points.contains { Self.isInside(lens.project(camera * $0), lens) }
      }
    }
  }

  private static func isInside(_ pixel: SIMD2<Double>?, _ lens: Lens) -> Bool {
    guard let pixel else { return false }
    return pixel.min() >= 0 && pixel.x < Double(lens.width) && pixel.y < Double(lens.height)
  }

  /// Points all over a box, its corners among them.
  private static func points(of box: Box3) -> [SIMD3<Double>] {
    let shares = (0...8).map { Double($0) / 8 }
    let size = box.max - box.min
    var points: [SIMD3<Double>] = []
    for y in shares {
      for z in shares {
        for x in shares { points.append(box.min + size * SIMD3(x, y, z)) }
      }
    }
    return points
  }
}
