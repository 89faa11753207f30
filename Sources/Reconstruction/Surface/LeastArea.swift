import CDepth
import Imaging

/// The field of least total variation near a target: as a surface, the one of least area that the measurements allow.
/// Solved coarse to fine, as the flow moves a closing surface only about a voxel a step.
struct LeastArea {
  let grid: VoxelGrid
  /// What is wanted, -1 inside … 1 outside.
  let target: [Float]
  /// How strongly; infinity fixes a voxel.
  let pull: [Float]
  let threads: Int

  func solve() -> [Float] {
    var levels = [self]
    while let coarser = levels[levels.count - 1].halved { levels.append(coarser) }
    // the flow starts from the fullest body: all that is neither measured nor outside belongs to it
    let top = levels.count - 1
    var u = levels[top].fullest
    var p = [Float](repeating: 0, count: 3 * levels[top].grid.count)
    for i in (0...top).reversed() {
      let level = levels[i]
      level.flow(&u, &p, rounds: i == top ? 1500 : 60 << i)
      guard i > 0 else { break }
      // the dual field goes along: a start from zero would set the closing surface swinging
      let fine = levels[i - 1].grid
      u = level.doubled(u, onto: fine)
      let count = level.grid.count
      p = (0..<3).flatMap { axis in level.doubled(Array(p[axis * count..<(axis + 1) * count]), onto: fine) }
    }
    return u
  }

  private var fullest: [Float] {
    zip(target, pull).map { $1 == .infinity ? $0 : $0 > 0 && $1 < 0.1 ? -1 : $0 }
  }

  private func flow(_ u: inout [Float], _ p: inout [Float], rounds: Int) {
    var over = u
    // the step sizes' product is below 1 / 12, the bound of the method in three dimensions
    let (tau, sigma): (Float, Float) = (0.28, 0.28)
    u.shared { u in
      over.shared { over in
        p.shared { p in
          for _ in 0..<rounds {
            Parallel.bands(grid.nz, of: 8, threads: threads) { range in
              var kernel = grid.kernel
              cdepth_tv_dual(&kernel, over.base, p.base, sigma, Int32(range.lowerBound), Int32(range.upperBound))
            }
            Parallel.bands(grid.nz, of: 8, threads: threads) { range in
              var kernel = grid.kernel
              cdepth_tv_primal(
                &kernel, p.base, target, pull, tau, u.base, over.base, Int32(range.lowerBound),
                Int32(range.upperBound))
            }
          }
        }
      }
    }
  }

  /// The same problem on a grid of half the size, or nil where that would be too small to be of use.
  private var halved: LeastArea? {
    guard min(grid.nx, min(grid.ny, grid.nz)) >= 24 else { return nil }
    let half = grid.halved
    var target = [Float](repeating: 1, count: half.count)
    var pull = [Float](repeating: .infinity, count: half.count)
    for z in 0..<half.nz {
      for y in 0..<half.ny {
        for x in 0..<half.nx {
          var (sum, weight, fixed): (Float, Float, Int) = (0, 0, 0)
          for k in 0..<8 {
            let (a, b, c) = (
              min(2 * x + (k & 1), grid.nx - 1), min(2 * y + (k >> 1 & 1), grid.ny - 1),
              min(2 * z + (k >> 2), grid.nz - 1)
            )
            let i = c * grid.slice + b * grid.nx + a
            if self.pull[i] == .infinity {
              fixed += 1
            } else {
              sum += self.pull[i] * self.target[i]
              weight += self.pull[i]
            }
          }
          guard fixed <= 4 else { continue }
          let i = z * half.slice + y * half.nx + x
          target[i] = sum / weight
          // a voxel twice as wide has twice the data for the same area, in units of its faces
          pull[i] = 2 * weight / Float(8 - fixed)
        }
      }
    }
    return LeastArea(grid: half, target: target, pull: pull, threads: threads)
  }

  private func doubled(_ field: [Float], onto fine: VoxelGrid) -> [Float] {
    var out = [Float](repeating: 1, count: fine.count)
    field.withUnsafeBufferPointer { field in
      for z in 0..<fine.nz {
        for y in 0..<fine.ny {
          for x in 0..<fine.nx {
            out[z * fine.slice + y * fine.nx + x] = grid.sample(field.baseAddress!, at: fine.position(x, y, z))
          }
        }
      }
    }
    return out
  }
}

extension VoxelGrid {
  /// A grid of voxels twice as wide, each over 2×2×2 of this one's.
  var halved: VoxelGrid {
    VoxelGrid(
      origin: origin + voxel / 2, voxel: 2 * voxel, nx: (nx + 1) / 2, ny: (ny + 1) / 2, nz: (nz + 1) / 2)
  }
}
