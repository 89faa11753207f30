import Imaging
import Media

#if canImport(Glibc)
  import Glibc
#endif

/// How the model of a world is set up for viewers: y up, standing on the floor, straight along x and z, in millimetres.
struct ModelFrame: Sendable {
  /// Takes the world to the model's frame, still in the world's unit.
  var modelFromWorld: RigidTransform
  /// Millimetres in one unit of the world.
  var scale: Double
  /// Where `scale` comes from, for people.
  var unit: String

  /// The frame for `mesh` in the world of `views`. A session's world is upright already; a foreign one is turned so that the axis
  /// the cameras went around is. However the thing stood on its table, its width and depth are then its own.
  init(_ mesh: TriangleMesh, views: ViewSet, unitInMillimetres: Double?) {
    let upright = views.rig != nil ? Matrix3.identity : Self.upright(views)
    let places = mesh.positions.map { upright * SIMD3<Double>($0) }.map { SIMD2($0.x, $0.z) }
    let rotation = .rotation(Footprint(places).turn, about: [0, 1, 0]) * upright
    var low = SIMD3(Double.infinity, Double.infinity, Double.infinity)
    var high = -low
    for p in mesh.positions {
      let q = rotation * SIMD3<Double>(p)
      low = pointwiseMin(low, q)
      high = pointwiseMax(high, q)
    }
    let foot = SIMD3((low.x + high.x) / 2, low.y, (low.z + high.z) / 2)
    modelFromWorld = RigidTransform(rotation: rotation, translation: -foot)
    let size = (high - low).length
    if let unitInMillimetres {
      (scale, unit) = (unitInMillimetres, "\(unitInMillimetres) mm, as told")
    } else if views.isMetric {
      (scale, unit) = (1, "millimetres, measured")
    } else if size < 8 {
      // nothing on a turntable is smaller than 8 mm, and little is larger than 8 m
      (scale, unit) = (1000, "metres, a guess from the size")
    } else {
      (scale, unit) = (1, "millimetres, a guess from the size")
    }
  }

  /// A rotation that takes what is up for the cameras to +y.
  private static func upright(_ views: ViewSet) -> Matrix3 {
    guard let axis = UprightAxis(views.views.map(\.cameraFromWorld.rotation)).up else { return .identity }
    let turn = axis.cross([0, 1, 0])
    let angle = Angle(radians: atan2(turn.length, axis.y))
    // a world that is upright but for the cameras' unevenness stays as it is
    if angle.degrees < 3 { return .identity }
    return turn.length > 1e-9
      ? .rotation(angle, about: turn.normalized) : Matrix3([1, 0, 0], [0, -1, 0], [0, 0, -1])
  }

  /// The mesh in the model's frame, in millimetres.
  func placed(_ mesh: TriangleMesh) -> TriangleMesh {
    var placed = mesh
    placed.positions = mesh.positions.map { SIMD3<Float>(modelFromWorld * SIMD3<Double>($0) * scale) }
    placed.normals = mesh.normals.map { SIMD3<Float>(modelFromWorld.rotation * SIMD3<Double>($0)) }
    return placed
  }
}
