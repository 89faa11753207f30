/// An axis-aligned box, in the unit of its coordinates.
public struct Box3: Sendable, Hashable, Codable {
  /// Lowest and highest corner.
  public var min: SIMD3<Double>, max: SIMD3<Double>

  /// A box from two corners.
  public init(min: SIMD3<Double>, max: SIMD3<Double>) {
    self.min = min
    self.max = max
  }

  /// The length of its diagonal.
  public var diagonal: Double { (max - min).length }
  /// Its middle.
  public var centre: SIMD3<Double> { (min + max) / 2 }
  /// Its eight corners.
  public var corners: [SIMD3<Double>] {
    (0..<8).map { i in
      SIMD3(i & 1 == 0 ? min.x : max.x, i & 2 == 0 ? min.y : max.y, i & 4 == 0 ? min.z : max.z)
    }
  }

  /// Whether a ray goes through the box.
  public func isMet(by direction: SIMD3<Double>, from origin: SIMD3<Double>) -> Bool {
    var low = 0.0
    var high = Double.infinity
    for axis in 0..<3 {
      let a = (min[axis] - origin[axis]) / direction[axis]
      let b = (max[axis] - origin[axis]) / direction[axis]
      low = Swift.max(low, Swift.min(a, b))
      high = Swift.min(high, Swift.max(a, b))
    }
    return high > low
  }

  /// The rectangle of a camera's picture in which the box is seen, cut to the picture (perhaps nothing), or nil where a
  /// corner is not in front of the camera.
  public func extent(through lens: Lens, cameraFromWorld: RigidTransform) -> PixelRect? {
    var low = SIMD2(Double.infinity, Double.infinity)
    var high = -low
    for corner in corners {
      guard let p = lens.project(cameraFromWorld * corner) else { return nil }
      low = pointwiseMin(low, p)
      high = pointwiseMax(high, p)
    }
    // a corner beside the camera is seen no matter how far off the picture, and farther than whole numbers reach
    let edge = SIMD2(Double(lens.width), Double(lens.height))
    low = pointwiseMin(pointwiseMax(low, .zero), edge).rounded(.down)
    high = pointwiseMin(pointwiseMax(high, .zero), edge).rounded(.up)
    let (x, y) = (Int(low.x), Int(low.y))
    return PixelRect(width: lens.width, height: lens.height)
      .intersection(PixelRect(x: x, y: y, width: Int(high.x) + 1 - x, height: Int(high.y) + 1 - y))
  }
}
