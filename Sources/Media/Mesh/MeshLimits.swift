/// What a mesh reader is allowed to take in. Counts are checked before memory is taken.
public struct MeshLimits: Sendable, Hashable {
  /// The most positions, normals or texture coordinates, each.
  public var maxVertices: Int
  /// The most triangles, polygons already cut up.
  public var maxTriangles: Int

  /// Limits, each at most 2³¹ − 1; the default is 30 million each.
  public init(maxVertices: Int = 30_000_000, maxTriangles: Int = 30_000_000) {
    self.maxVertices = min(maxVertices, Int(Int32.max))
    self.maxTriangles = min(maxTriangles, Int(Int32.max))
  }

  /// The default limits.
  public static let standard = MeshLimits()
}
