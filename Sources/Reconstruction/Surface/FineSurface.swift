import Imaging
import Media

/// The surface before simplification: as fine as the depth maps, closed, outward normals.
public struct FineSurface: Sendable {
  /// Positions in the world's unit, with normals.
  public var mesh: TriangleMesh
  /// How well each position is measured: 0 where it was only closed over … 1.
  public var confidence: [Float]
  /// Whether any camera measured the surface there; one a position.
  public var isSeen: [Bool]

  /// The share of positions that a camera measured.
  var measured: Double {
    isSeen.isEmpty ? 0 : Double(isSeen.reduce(0) { $0 + ($1 ? 1 : 0) }) / Double(isSeen.count)
  }

  /// A surface from its parts.
  public init(mesh: TriangleMesh, confidence: [Float], isSeen: [Bool]) {
    self.mesh = mesh
    self.confidence = confidence
    self.isSeen = isSeen
  }
}
