/// A triangle mesh as flat arrays. Counter-clockwise triangles face outwards. `normals`, `uvs` and `colours` are either
/// empty or one per position. Texture coordinates have their origin at the lower left.
public struct TriangleMesh: Sendable {
  /// Corners, in millimetres.
  public var positions: [SIMD3<Float>]
  /// Three indices into `positions` each.
  public var triangles: [SIMD3<UInt32>]
  /// Unit normals, or empty.
  public var normals: [SIMD3<Float>]
  /// Texture coordinates, or empty.
  public var uvs: [SIMD2<Float>]
  /// sRGB colours, or empty.
  public var colours: [SIMD3<UInt8>]

  /// A mesh from its arrays.
  public init(
    positions: [SIMD3<Float>] = [], triangles: [SIMD3<UInt32>] = [], normals: [SIMD3<Float>] = [],
    uvs: [SIMD2<Float>] = [], colours: [SIMD3<UInt8>] = []
  ) {
    self.positions = positions
    self.triangles = triangles
    self.normals = normals
    self.uvs = uvs
    self.colours = colours
  }

  /// The smallest box around all positions, or nil without any.
  public var bounds: (min: SIMD3<Float>, max: SIMD3<Float>)? {
    guard var low = positions.first else { return nil }
    var high = low
    for p in positions {
      low = pointwiseMin(low, p)
      high = pointwiseMax(high, p)
    }
    return (low, high)
  }
}
