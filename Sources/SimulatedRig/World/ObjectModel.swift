import CRender
import Imaging
import Rig
import Synchronization

/// The thing to be scanned: what it looks like and how it can stand.
struct ObjectModel: Sendable {
  /// Its surface, in its own frame, millimetres.
  let mesh: RenderMesh
  /// The centroid of its solid.
  let centroid: SIMD3<Double>
  /// The distance of the farthest point from the centroid.
  let radius: Double

  /// Builds or loads it. `pixel` is what one picture element covers, in millimetres: built-in objects are not made finer
  /// than can be seen.
  init(_ object: SimulatedObject, pixel: Double, threads: Int) throws(DeviceError) {
    let built: RenderMesh
    switch object {
    case .demo: built = try ObjectModel.toy(0, pixel: pixel, threads: threads)
    case .plain: built = try ObjectModel.toy(1, pixel: pixel, threads: threads)
    case .symmetric: built = try ObjectModel.toy(2, pixel: pixel, threads: threads)
    case .model(let path, let texture, let unit, let up):
      built = try ObjectFile(path: path, texture: texture, unit: unit, up: up).mesh()
    }
    mesh = built
    var centre = (0.0, 0.0, 0.0)
    var volume = 0.0
    withUnsafeMutableBytes(of: &centre) {
      cr_mesh_centroid(built.pointer, $0.assumingMemoryBound(to: Double.self).baseAddress, &volume)
    }
    let middle = SIMD3(centre.0, centre.1, centre.2)
    centroid = middle
    let m = built.pointer.pointee
    radius = (0..<Int(m.vertex_count)).reduce(0) { farthest, i in
      let p = SIMD3(m.positions[3 * i], m.positions[3 * i + 1], m.positions[3 * i + 2])
      return max(farthest, (SIMD3<Double>(p) - middle).length)
    }
  }

  /// Painted toys of this process: many worlds have the same.
  private static let toys = Mutex<[ToyKey: RenderMesh]>([:])

  private struct ToyKey: Hashable {
    var kind: Int32
    var cell: Float
  }

  private static func toy(_ kind: Int32, pixel: Double, threads: Int) throws(DeviceError) -> RenderMesh {
    let noMemory = DeviceError(.faulty, device: "object", operation: "build the object", remedy: "free some memory")
    let key = ToyKey(kind: kind, cell: Float(min(2.5, max(1.5, pixel * 7))))
    if let made = toys.withLock({ $0[key] }) {
      guard let copy = cr_mesh_copy(made.pointer) else { throw noMemory }
      return RenderMesh(owning: copy)
    }
    guard let made = cr_toy_create(kind, key.cell) else { throw noMemory }
    let mesh = RenderMesh(owning: made)
    let quads = Int(made.pointee.triangle_count / 2)
    Parallel.bands(quads, of: 512, threads: threads) { range in
      cr_toy_paint(mesh.pointer, kind, UInt32(range.lowerBound), UInt32(range.upperBound))
    }
    guard let copy = cr_mesh_copy(made) else { throw noMemory }
    let keep = RenderMesh(owning: copy)
    toys.withLock { toys in
      if toys.count >= 4 { toys = [:] }
      toys[key] = keep
    }
    return mesh
  }

  /// Which direction of the object points down after it has been put down with about `down` pointing down, and how
  /// firmly it then stands (millimetres its centroid must be lifted to tilt it by 0.15 rad).
  func rest(down: SIMD3<Double>) -> (down: SIMD3<Double>, firmness: Double) {
    var d = (down.normalized.x, down.normalized.y, down.normalized.z)
    var c = (centroid.x, centroid.y, centroid.z)
    let firmness = withUnsafeMutableBytes(of: &d) { d in
      withUnsafeMutableBytes(of: &c) { c in
        cr_rest(
          mesh.pointer.pointee.positions, mesh.pointer.pointee.vertex_count,
          c.assumingMemoryBound(to: Double.self).baseAddress,
          d.assumingMemoryBound(to: Double.self).baseAddress)
      }
    }
    return (SIMD3(d.0, d.1, d.2).normalized, firmness)
  }

  /// Puts the object down with `down` pointing down exactly, turned by `yaw`, its centroid over `place` (x, z), and its
  /// lowest point on the table.
  func placed(down: SIMD3<Double>, yaw: Angle, at place: SIMD2<Double>) -> RigidTransform {
    let y = -down
    // an object that stands as it was made keeps its front
    let helper = SIMD3<Double>(0, 0, 1).dot(y).magnitude < 0.9 ? SIMD3<Double>(0, 0, 1) : SIMD3<Double>(1, 0, 0)
    let x = y.cross(helper).normalized
    let rotation = Matrix3.rotation(yaw, about: [0, 1, 0]) * Matrix3(x, y, x.cross(y))
    let m = mesh.pointer.pointee
    var lowest = Double.infinity
    let row = SIMD3<Float>(rotation.row1)
    for i in 0..<Int(m.vertex_count) {
      let h = row.x * m.positions[3 * i] + row.y * m.positions[3 * i + 1] + row.z * m.positions[3 * i + 2]
      lowest = min(lowest, Double(h))
    }
    let c = rotation * centroid
    return RigidTransform(rotation: rotation, translation: [place.x - c.x, -lowest, place.y - c.z])
  }
}
