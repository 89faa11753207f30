import Imaging

/// A pinhole with its pose: what triangulation needs of a view.
struct Camera: Sendable {
  var lens: Lens
  var cameraFromWorld: RigidTransform

  /// Where a point in world coordinates appears, in pixels; nil behind the camera.
  func pixel(_ point: SIMD3<Double>) -> SIMD2<Double>? {
    let p = cameraFromWorld * point
    guard p.z > 0 else { return nil }
    return SIMD2(lens.fx * p.x / p.z + lens.cx, lens.fy * p.y / p.z + lens.cy)
  }

  /// The direction of a pixel in world coordinates, of length 1.
  func direction(_ pixel: SIMD2<Double>) -> SIMD3<Double> {
    let ray = SIMD3((pixel.x - lens.cx) / lens.fx, (pixel.y - lens.cy) / lens.fy, 1)
    return (cameraFromWorld.rotation.transpose * ray).normalized
  }
}

/// Points from sights of them with known cameras (R. Hartley and P. Sturm, "Triangulation", CVIU 1997).
enum Triangulation {
  /// The point nearest to all rays, then moved to the least squared distance in the pictures. Nil where the rays are
  /// nearly parallel or the point is behind a camera.
  static func point(_ sightings: [Sighting], _ cameras: [Camera]) -> SIMD3<Double>? {
    guard sightings.count >= 2 else { return nil }
    var matrix = Symmetric3()
    var right = SIMD3<Double>.zero
    for s in sightings {
      let camera = cameras[s.view]
      let c = camera.cameraFromWorld.centre
      let d = camera.direction(s.pixel)
      matrix.add(SIMD3(1, 0, 0), 1)
      matrix.add(SIMD3(0, 1, 0), 1)
      matrix.add(SIMD3(0, 0, 1), 1)
      matrix.add(d, -1)
      right += c - d * d.dot(c)
    }
    guard var x = matrix.solve(right) else { return nil }
    for _ in 0..<4 {
      guard let step = step(x, sightings, cameras) else { return nil }
      x += step
      let reach = (cameras[sightings[0].view].cameraFromWorld.centre - x).length
      if step.length < 1e-7 * reach { break }
    }
    return x
  }

  /// The Gauss-Newton step of a point.
  private static func step(_ x: SIMD3<Double>, _ sightings: [Sighting], _ cameras: [Camera]) -> SIMD3<Double>? {
    var matrix = Symmetric3()
    var right = SIMD3<Double>.zero
    for s in sightings {
      let camera = cameras[s.view]
      let r = camera.cameraFromWorld.rotation
      let p = camera.cameraFromWorld * x
      guard p.z > 0 else { return nil }
      let du = (r.row0 - r.row2 * (p.x / p.z)) * (camera.lens.fx / p.z)
      let dv = (r.row1 - r.row2 * (p.y / p.z)) * (camera.lens.fy / p.z)
      let eu = s.pixel.x - (camera.lens.fx * p.x / p.z + camera.lens.cx)
      let ev = s.pixel.y - (camera.lens.fy * p.y / p.z + camera.lens.cy)
      matrix.add(du, 1)
      matrix.add(dv, 1)
      right += du * eu + dv * ev
    }
    return matrix.solve(right)
  }

  /// The largest angle between any two rays to a point, in radians.
  static func parallax(_ x: SIMD3<Double>, _ sightings: [Sighting], _ cameras: [Camera]) -> Double {
    let rays = sightings.map { (cameras[$0.view].cameraFromWorld.centre - x).normalized }
    var least = 1.0
    for i in rays.indices { for j in 0..<i { least = min(least, rays[i].dot(rays[j])) } }
    return acosClamped(least)
  }

  /// The squared distance, in pixels, between where a point was seen and where it should be; nil behind the camera.
  static func squaredError(_ x: SIMD3<Double>, _ s: Sighting, _ cameras: [Camera]) -> Double? {
    guard let p = cameras[s.view].pixel(x) else { return nil }
    let d = p - s.pixel
    return d.dot(d)
  }

  /// Triangulates tracks and drops what does not fit within `tolerance` pixels, and tracks with less than `least` sights
  /// or a parallax under `parallax` radians.
  static func settle(
    _ tracks: [Track], _ cameras: [Camera], tolerance: Double, least: Int = 2, parallax: Double = 0.035
  ) -> [Track] {
    tracks.compactMap { track in
      var track = track
      while track.sightings.count >= least {
        guard let x = point(track.sightings, cameras) else { return nil }
        var worst = (index: -1, error: tolerance * tolerance)
        for (i, s) in track.sightings.enumerated() {
          let error = squaredError(x, s, cameras) ?? .infinity
          if error > worst.error { worst = (i, error) }
        }
        if worst.index < 0 {
          track.position = x
          return self.parallax(x, track.sightings, cameras) >= parallax ? track : nil
        }
        track.sightings.remove(at: worst.index)
      }
      return nil
    }
  }

  /// Root mean square distance in the pictures, in pixels of the feature level.
  static func rms(_ tracks: [Track], _ cameras: [Camera]) -> Double {
    var sum = 0.0
    var count = 0
    for track in tracks {
      for s in track.sightings {
        sum += squaredError(track.position, s, cameras) ?? 0
        count += 1
      }
    }
    return count > 0 ? (sum / Double(count)).squareRoot() : 0
  }
}

/// A symmetric 3×3 matrix that outer products are added to.
struct Symmetric3 {
  private var xx = 0.0
  private var xy = 0.0
  private var xz = 0.0
  private var yy = 0.0
  private var yz = 0.0
  private var zz = 0.0

  mutating func add(_ v: SIMD3<Double>, _ weight: Double) {
    xx += weight * v.x * v.x
    xy += weight * v.x * v.y
    xz += weight * v.x * v.z
    yy += weight * v.y * v.y
    yz += weight * v.y * v.z
    zz += weight * v.z * v.z
  }

  /// x with M x = b; nil where M is singular up to rounding.
  func solve(_ b: SIMD3<Double>) -> SIMD3<Double>? {
    let c0 = SIMD3(yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy)
    let c1 = SIMD3(c0.y, xx * zz - xz * xz, xy * xz - xx * yz)
    let c2 = SIMD3(c0.z, c1.z, xx * yy - xy * xy)
    let det = xx * c0.x + xy * c0.y + xz * c0.z
    let size = xx + yy + zz
    guard det > 1e-12 * size * size * size else { return nil }
    return SIMD3(c0.dot(b), c1.dot(b), c2.dot(b)) / det
  }
}
