import CMesh
import Imaging
import Media

/// A mesh that can be asked for samples, nearest places and what is in the way.
final class Surface: @unchecked Sendable {
  let mesh: TriangleMesh
  private let scene: OpaquePointer
  /// Sums of the triangles' areas up to and including each.
  private let areas: [Double]

  /// Prepares a mesh. Throws where it has no area or no memory is left.
  init(_ mesh: TriangleMesh, name: String) throws {
    var sum = 0.0
    areas = mesh.triangles.map { t in
      let a = SIMD3<Double>(mesh.positions[Int(t.x)])
      let b = SIMD3<Double>(mesh.positions[Int(t.y)])
      let c = SIMD3<Double>(mesh.positions[Int(t.z)])
      sum += (b - a).cross(c - a).length / 2
      return sum
    }
    guard sum > 0 else { throw BenchError("\(name): no surface") }
    self.mesh = mesh
    var message = [CChar](repeating: 0, count: 256)
    let scene = Surface.view(mesh) { cmesh_scene_create($0, &message, message.count, nil) }
    guard let scene else {
      throw BenchError(
        "\(name): " + String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
    self.scene = scene
  }

  deinit { cmesh_scene_destroy(scene) }

  private static func view<Result>(_ mesh: TriangleMesh, _ body: (cmesh_view) -> Result) -> Result {
    mesh.positions.withUnsafeBytes { positions in
      mesh.triangles.withUnsafeBytes { triangles in
        body(
          cmesh_view(
            positions: positions.baseAddress, position_count: mesh.positions.count, position_stride: 16,
            triangles: triangles.baseAddress, triangle_count: mesh.triangles.count, triangle_stride: 16))
      }
    }
  }

  var area: Double { areas.last ?? 0 }
  var diagonal: Double { mesh.bounds.map { SIMD3<Double>($0.max - $0.min).length } ?? 0 }

  /// Points spread evenly over the area: one at a random place of each of `count` equal shares of it, the place within a
  /// triangle after R. Osada et al., "Shape distributions", 2002.
  func samples(_ count: Int, seed: UInt64) -> [SIMD3<Float>] {
    var random = SplitMix(seed: seed)
    var points: [SIMD3<Float>] = []
    points.reserveCapacity(count)
    var triangle = 0
    for i in 0..<count {
      let place = (Double(i) + random.unit()) / Double(count) * area
      while triangle < areas.count - 1, areas[triangle] <= place { triangle += 1 }
      let t = mesh.triangles[triangle]
      let root = Float(random.unit().squareRoot())
      let v = Float(random.unit())
      let a = mesh.positions[Int(t.x)] * (1 - root)
      let b = mesh.positions[Int(t.y)] * (root * (1 - v))
      points.append(a + b + mesh.positions[Int(t.z)] * (root * v))
    }
    return points
  }

  struct Nearest {
    var point: SIMD3<Float>
    var distance: Float
    /// The unit normal of the triangle, as its corners wind.
    var normal: SIMD3<Float>
  }

  /// The nearest place to each point.
  func nearest(_ points: [SIMD3<Float>]) -> [Nearest] {
    let found = search(points)
    return found.map { place in
      let t = mesh.triangles[Int(place.triangle)]
      let a = mesh.positions[Int(t.x)]
      let normal = (mesh.positions[Int(t.y)] - a).cross(mesh.positions[Int(t.z)] - a).normalized
      return Nearest(point: [place.point.0, place.point.1, place.point.2], distance: place.distance, normal: normal)
    }
  }

  /// The distance from each point to the surface.
  func distances(_ points: [SIMD3<Float>]) -> [Float] { search(points).map(\.distance) }

  private func search(_ points: [SIMD3<Float>]) -> [cmesh_nearest] {
    let none = cmesh_nearest(point: (0, 0, 0), distance: 0, u: 0, v: 0, triangle: 0)
    var out = [cmesh_nearest](repeating: none, count: points.count)
    points.withUnsafeBufferPointer { from in
      out.withUnsafeMutableBufferPointer { to in
        let source = Place(from.baseAddress!)
        let target = MutablePlace(to.baseAddress!)
        Parallel.bands(points.count, of: 4096) { band in
          cmesh_closest(
            scene, source.address + band.lowerBound, 16, band.count, .greatestFiniteMagnitude.squareRoot(),
            target.address + band.lowerBound)
        }
      }
    }
    return out
  }

  /// For each point whether the straight way from it to `eye` is free, not counting what is nearer to the point than
  /// `tolerance`.
  func sees(_ points: [SIMD3<Float>], from eye: SIMD3<Float>, tolerance: Float) -> [Bool] {
    let rays = points.map { point in
      let way = eye - point
      let length = way.length
      let direction = length > 0 ? way / length : [0, 0, 1]
      return cmesh_ray(
        origin: (point.x, point.y, point.z), near: tolerance, direction: (direction.x, direction.y, direction.z),
        far: length)
    }
    var blocked = [UInt8](repeating: 0, count: points.count)
    rays.withUnsafeBufferPointer { from in
      blocked.withUnsafeMutableBufferPointer { to in
        let source = Place(from.baseAddress!)
        let target = MutablePlace(to.baseAddress!)
        Parallel.bands(points.count, of: 4096) { band in
          cmesh_occluded(scene, source.address + band.lowerBound, band.count, target.address + band.lowerBound)
        }
      }
    }
    return blocked.map { $0 == 0 }
  }
}

/// Addresses that threads may share, since each touches its own part.
private struct Place<Pointee>: @unchecked Sendable {
  let address: UnsafePointer<Pointee>
  init(_ address: UnsafePointer<Pointee>) { self.address = address }
}
private struct MutablePlace<Pointee>: @unchecked Sendable {
  let address: UnsafeMutablePointer<Pointee>
  init(_ address: UnsafeMutablePointer<Pointee>) { self.address = address }
}

/// G. Steele et al., "Fast splittable pseudorandom number generators", 2014: seeded, the same on every machine.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
  /// A number from 0 up to, but not including, 1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
