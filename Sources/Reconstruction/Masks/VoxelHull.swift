import Imaging

/// A coarse occupancy grid around the object: what no silhouette rules out.
public struct VoxelHull: Sendable {
  /// The lowest corner of the grid in world coordinates (the corner, not the centre, of cell 0, 0, 0).
  public var origin: SIMD3<Double>
  /// The side of a cell.
  public var cell: Double
  /// Cells along x, y, z; at most 128 each.
  public var nx: Int, ny: Int, nz: Int
  /// 1 where the object may be, 0 where it is not; x runs fastest, then y, then z.
  public var occupied: [UInt8]

  /// A grid full of one value.
  public init(origin: SIMD3<Double>, cell: Double, nx: Int, ny: Int, nz: Int, fill: UInt8) {
    self.origin = origin
    self.cell = cell
    self.nx = nx
    self.ny = ny
    self.nz = nz
    occupied = [UInt8](repeating: fill, count: nx * ny * nz)
  }

  /// The cell at x, y, z.
  @inlinable public subscript(x: Int, y: Int, z: Int) -> UInt8 {
    get { occupied[(z * ny + y) * nx + x] }
    set { occupied[(z * ny + y) * nx + x] = newValue }
  }

  /// The middle of a cell in world coordinates.
  @inlinable public func centre(_ x: Int, _ y: Int, _ z: Int) -> SIMD3<Double> {
    origin + cell * SIMD3(Double(x) + 0.5, Double(y) + 0.5, Double(z) + 0.5)
  }

  /// Whether a point lies in an occupied cell.
  public func contains(_ point: SIMD3<Double>) -> Bool {
    let p = (point - origin) / cell
    guard p.x >= 0, p.y >= 0, p.z >= 0, p.x < Double(nx), p.y < Double(ny), p.z < Double(nz) else { return false }
    return self[Int(p.x), Int(p.y), Int(p.z)] != 0
  }

  /// The smallest box around all occupied cells, or nil when there is none.
  public var bounds: Box3? {
    var low = SIMD3(Int.max, Int.max, Int.max)
    var high = SIMD3(-1, -1, -1)
    for z in 0..<nz {
      for y in 0..<ny {
        for x in 0..<nx where self[x, y, z] != 0 {
          low = pointwiseMin(low, SIMD3(x, y, z))
          high = pointwiseMax(high, SIMD3(x, y, z))
        }
      }
    }
    guard high.x >= 0 else { return nil }
    func corner(_ i: SIMD3<Int>) -> SIMD3<Double> { origin + cell * SIMD3(Double(i.x), Double(i.y), Double(i.z)) }
    return Box3(min: corner(low), max: corner(high &+ 1))
  }
}
