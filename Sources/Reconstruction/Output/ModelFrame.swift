import Imaging
import Media

/// How the model of a world is set up for viewers: y up, standing on the floor, in millimetres.
struct ModelFrame: Sendable {
  /// Takes the world to the model's frame, still in the world's unit.
  var modelFromWorld: RigidTransform
  /// Millimetres in one unit of the world.
  var scale: Double
  /// Where `scale` comes from, for people.
  var unit: String

  /// The frame for `mesh` in the world of `views`. A session's world is upright already; of a foreign one that of its six
  /// directions is up which the cameras mostly hold up.
  init(_ mesh: TriangleMesh, views: ViewSet, unitInMillimetres: Double?) {
    let rotation = views.rig != nil ? Matrix3.identity : Self.upright(views)
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

  /// A quarter-turn rotation that takes the cameras' common up to +y.
  private static func upright(_ views: ViewSet) -> Matrix3 {
    // a picture's y axis points down
    let up = views.views.reduce(SIMD3<Double>.zero) { $0 - $1.cameraFromWorld.rotation.row1 }
    let size = SIMD3(up.x.magnitude, up.y.magnitude, up.z.magnitude)
    if size.y >= size.x, size.y >= size.z {
      return up.y >= 0 ? .identity : Matrix3([1, 0, 0], [0, -1, 0], [0, 0, -1])
    }
    if size.x >= size.z {
      return up.x >= 0 ? Matrix3([0, -1, 0], [1, 0, 0], [0, 0, 1]) : Matrix3([0, 1, 0], [-1, 0, 0], [0, 0, 1])
    }
    return up.z >= 0 ? Matrix3([1, 0, 0], [0, 0, 1], [0, -1, 0]) : Matrix3([1, 0, 0], [0, 0, -1], [0, 1, 0])
  }

  /// The mesh in the model's frame, in millimetres.
  func placed(_ mesh: TriangleMesh) -> TriangleMesh {
    var placed = mesh
    placed.positions = mesh.positions.map { SIMD3<Float>(modelFromWorld * SIMD3<Double>($0) * scale) }
    placed.normals = mesh.normals.map { SIMD3<Float>(modelFromWorld.rotation * SIMD3<Double>($0)) }
    return placed
  }
}
