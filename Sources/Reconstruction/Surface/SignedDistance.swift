import Imaging

/// Makes a signed distance field out of any field with the same zero level.
enum SignedDistance {
  /// The signed distances, in units of the field's world, from the zero level of `field`; fast sweeping (Zhao, "A fast
  /// sweeping method for Eikonal equations", 2005). A field without a zero level gives ±infinity.
  static func of(_ field: [Float], on grid: VoxelGrid) -> [Float] {
    var distance = [Float](repeating: .infinity, count: grid.count)
    field.withUnsafeBufferPointer { field in
      distance.withUnsafeMutableBufferPointer { distance in
        guard let f = field.baseAddress, let d = distance.baseAddress else { return }
        start(f, d, grid)
        // two rounds of all eight directions: the characteristics of a distance turn at most a few times
        for round in 0..<16 { sweep(d, grid, direction: round & 7) }
        for i in 0..<grid.count { d[i] = f[i] < 0 ? -d[i] : d[i] }
      }
    }
    return distance
  }

  /// Voxels next to the zero level get their distance from where the field crosses zero along the axes.
  private static func start(_ f: UnsafePointer<Float>, _ d: UnsafeMutablePointer<Float>, _ grid: VoxelGrid) {
    for z in 0..<grid.nz {
      for y in 0..<grid.ny {
        for x in 0..<grid.nx {
          let i = z * grid.slice + y * grid.nx + x
          var inverse: Float = 0
          func look(_ there: Bool, _ back: Bool, _ step: Int) {
            var nearest = Float.infinity
            for j in [there ? i + step : i, back ? i - step : i] where (f[j] < 0) != (f[i] < 0) {
              nearest = min(nearest, f[i] / (f[i] - f[j]))
            }
            if nearest < .infinity { inverse += 1 / max(nearest * nearest, 1e-6) }
          }
          look(x + 1 < grid.nx, x > 0, 1)
          look(y + 1 < grid.ny, y > 0, grid.nx)
          look(z + 1 < grid.nz, z > 0, grid.slice)
          if inverse > 0 { d[i] = grid.voxel / inverse.squareRoot() }
        }
      }
    }
  }

  private static func sweep(_ d: UnsafeMutablePointer<Float>, _ grid: VoxelGrid, direction: Int) {
    func order(_ n: Int, _ bit: Int) -> StrideTo<Int> {
      direction & bit == 0 ? stride(from: 0, to: n, by: 1) : stride(from: n - 1, to: -1, by: -1)
    }
    let h = grid.voxel
    for z in order(grid.nz, 4) {
      for y in order(grid.ny, 2) {
        for x in order(grid.nx, 1) {
          let i = z * grid.slice + y * grid.nx + x
          var a = min(x > 0 ? d[i - 1] : .infinity, x + 1 < grid.nx ? d[i + 1] : .infinity)
          var b = min(y > 0 ? d[i - grid.nx] : .infinity, y + 1 < grid.ny ? d[i + grid.nx] : .infinity)
          var c = min(z > 0 ? d[i - grid.slice] : .infinity, z + 1 < grid.nz ? d[i + grid.slice] : .infinity)
          if a > b { swap(&a, &b) }
          if b > c { swap(&b, &c) }
          if a > b { swap(&a, &b) }
          guard a < .infinity else { continue }
          var t = a + h
          if t > b {
            let s = a + b
            t = (s + max(0, 2 * h * h - (a - b) * (a - b)).squareRoot()) / 2
            if t > c {
              let sum = s + c
              let square = a * a + b * b + c * c
              t = (sum + max(0, sum * sum - 3 * (square - h * h)).squareRoot()) / 3
            }
          }
          if t < d[i] { d[i] = t }
        }
      }
    }
  }
}
