import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// Which way is up for cameras that went around a thing, from their poses alone.
///
/// Cameras that look at a thing on a table are held level or on their side, so one of a picture's two axes lies level,
/// and those that went around at one height all look down on it by one angle. Neither needs a whole ring, one height,
/// or all pictures held the same way.
package struct UprightAxis: Sendable {
  private let cameras: [Matrix3]

  /// The axis of cameras with these rotations from the world.
  package init(_ cameraFromWorld: [Matrix3]) { cameras = cameraFromWorld }

  /// The unit vector that points up, or nil without any camera.
  package var up: SIMD3<Double>? {
    guard !cameras.isEmpty else { return nil }
    var axis = Self.directions(600).min { cost($0, steepness: 0.05) < cost($1, steepness: 0.05) }!
    // that cameras seldom look straight down tells candidates apart, but would bend the one that is right
    var reach = 0.1
    while reach > 1e-4 {
      let best = Self.around(axis, reach).min { cost($0, steepness: 0) < cost($1, steepness: 0) }!
      if cost(best, steepness: 0) < cost(axis, steepness: 0) { axis = best } else { reach /= 2 }
    }
    return isHead(axis) ? axis : -axis
  }

  /// How little `axis` is what the cameras went around; `steepness` is the price of looking along it.
  private func cost(_ axis: SIMD3<Double>, steepness: Double) -> Double {
    var (level, gaze, square) = (0.0, 0.0, 0.0)
    for camera in cameras {
      let seen = camera * axis
      level += min(seen.x * seen.x, seen.y * seen.y)
      gaze += seen.z
      square += seen.z * seen.z
    }
    let n = Double(cameras.count)
    return 0.5 * level / n + square / n - (gaze / n) * (gaze / n) + steepness * square / n
  }

  /// Whether `axis` points up rather than down.
  private func isHead(_ axis: SIMD3<Double>) -> Bool {
    let sum = cameras.reduce(SIMD3<Double>.zero) { $0 + $1 * axis } / Double(cameras.count)
    // pictures' y axes point down; held on their side, cameras still mostly look down on things
    return sum.y.magnitude > 0.5 ? sum.y < 0 : sum.z < 0
  }

  /// Unit vectors spread evenly over half a sphere, as sunflowers have their seeds.
  private static func directions(_ count: Int) -> [SIMD3<Double>] {
    (0..<count).map { i in
      let height = (Double(i) + 0.5) / Double(count)
      let radius = (1 - height * height).squareRoot()
      let angle = Double(i) * .pi * (3 - 5.0.squareRoot())
      return SIMD3(radius * cos(angle), height, radius * sin(angle))
    }
  }

  private static func around(_ axis: SIMD3<Double>, _ reach: Double) -> [SIMD3<Double>] {
    let side = axis.cross(axis.x.magnitude < 0.7 ? [1, 0, 0] : [0, 1, 0]).normalized
    let other = axis.cross(side)
    return (0..<8).map { i in
      let angle = Double(i) * .pi / 4
      return (axis + (side * cos(angle) + other * sin(angle)) * reach).normalized
    }
  }
}
