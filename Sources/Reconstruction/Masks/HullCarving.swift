import CMasks
import Imaging

/// Carves a coarse visual hull from silhouettes (A. Laurentini, "The Visual Hull Concept for Silhouette-Based Image
/// Understanding", PAMI 1994). Views vote, so that a hole in a few masks does not cut the object.
struct HullCarving {
  /// Cells along the longest side of the final grid.
  var resolution = 128
  /// The share of views that may be against a cell which still stays.
  var tolerance = 0.05
  /// The share of views that must see a cell.
  var coverage = 0.5
  /// Threads to use.
  var threads = Parallel.processorCount

  /// One silhouette: a mask, its pinhole, and the pose of its camera.
  struct Silhouette: Sendable {
    var mask: GrayImage
    var lens: Lens
    var cameraFromWorld: RigidTransform
  }

  /// Carves inside `box`, halving the empty space around the object first. Nil when nothing is left.
  func carve(_ silhouettes: [Silhouette], in box: Box3, floor: Double? = nil) -> VoxelHull? {
    let tables = integrals(silhouettes)
    var box = box
    for _ in 0..<3 {
      guard let rough = hull(silhouettes, tables, in: box, longest: 48, floor: floor).largestParts.bounds else {
        return nil
      }
      let margin = rough.diagonal * 0.03
      let tight = Box3(
        min: pointwiseMax(rough.min - margin, box.min), max: pointwiseMin(rough.max + margin, box.max))
      let shrunk = tight.diagonal < 0.9 * box.diagonal
      box = tight
      if !shrunk { break }
    }
    let fine = hull(silhouettes, tables, in: box, longest: resolution, floor: floor).largestParts
    return fine.bounds == nil ? nil : fine
  }

  private func integrals(_ silhouettes: [Silhouette]) -> [[UInt32]] {
    silhouettes.map { silhouette in
      let mask = silhouette.mask
      let count = (mask.width + 1) * (mask.height + 1)
      return [UInt32](unsafeUninitializedCapacity: count) { table, n in
        mask.pixels.withUnsafeBufferPointer {
          cmasks_integral($0.baseAddress, Int32(mask.width), Int32(mask.height), table.baseAddress)
        }
        n = count
      }
    }
  }

  private func hull(
    _ silhouettes: [Silhouette], _ tables: [[UInt32]], in box: Box3, longest: Int, floor: Double?
  ) -> VoxelHull {
    let size = box.max - box.min
    let cell = max(size.max() / Double(longest), 1e-12)
    func cells(_ length: Double) -> Int { min(longest, max(1, Int((length / cell).rounded(.up)))) }
    var hull = VoxelHull(
      origin: box.min, cell: cell, nx: cells(size.x), ny: cells(size.y), nz: cells(size.z), fill: 1)
    let grid = hull.grid
    let layer = hull.nx * hull.ny
    let allowed = silhouettes.count <= 4 ? 0 : max(1, Int(tolerance * Double(silhouettes.count)))
    let needed = max(min(3, silhouettes.count), Int(coverage * Double(silhouettes.count)))
    let cameras = silhouettes.map { cmasks_camera(lens: $0.lens, cameraFromWorld: $0.cameraFromWorld) }
    let layers = hull.nz
    hull.occupied.withUnsafeMutableBufferPointer { buffer in
      let occupied = SharedBytes(base: buffer.baseAddress!)
      Parallel.forEach(layers, threads: threads) { z in
        var against = [UInt8](repeating: 0, count: layer)
        var seen = against
        let active = occupied.base + z * layer
        var slice = grid
        slice.nz = 1
        slice.origin.2 += Double(z) * grid.cell
        for (camera, table) in zip(cameras, tables) {
          withUnsafePointer(to: camera) { camera in
            cmasks_vote(camera, table, &slice, 0, 1, active, &against, &seen)
          }
        }
        for i in 0..<layer where against[i] > allowed || seen[i] < needed { active[i] = 0 }
      }
    }
    if let floor { hull.clear(below: floor) }
    return hull
  }
}

/// A buffer that threads write to in parts that do not overlap.
struct SharedBytes: @unchecked Sendable {
  let base: UnsafeMutablePointer<UInt8>
}

extension VoxelHull {
  /// The grid as the kernels see it.
  var grid: cmasks_grid {
    cmasks_grid(
      origin: (origin.x, origin.y, origin.z), cell: cell, nx: Int32(nx), ny: Int32(ny), nz: Int32(nz))
  }

  /// Empties all cells whose middle is below y = `floor`.
  mutating func clear(below floor: Double) {
    for y in 0..<ny where centre(0, y, 0).y < floor {
      for z in 0..<nz {
        for x in 0..<nx { self[x, y, z] = 0 }
      }
    }
  }

  /// The hull without islands smaller than a fiftieth of the largest.
  var largestParts: VoxelHull {
    let (label, sizes) = parts()
    guard let largest = sizes.max() else { return self }
    var kept = self
    for i in 0..<occupied.count where label[i] >= 0 && sizes[Int(label[i])] * 50 < largest { kept.occupied[i] = 0 }
    return kept
  }

  /// The part that every cell belongs to, -1 where it is empty, and how many cells every part has.
  private func parts() -> (label: [Int32], sizes: [Int]) {
    var label = [Int32](repeating: -1, count: occupied.count)
    var sizes: [Int] = []
    for start in 0..<occupied.count where occupied[start] != 0 && label[start] < 0 {
      sizes.append(flood(&label, from: start, with: Int32(sizes.count)))
    }
    return (label, sizes)
  }

  /// Labels the cells that are connected to `start`; the number of them.
  private func flood(_ label: inout [Int32], from start: Int, with part: Int32) -> Int {
    var stack = [start]
    var size = 0
    let (sy, sz) = (nx, nx * ny)
    label[start] = part
    while let i = stack.popLast() {
      size += 1
      let (x, y, z) = (i % nx, i / nx % ny, i / sz)
      func visit(_ inside: Bool, _ j: Int) {
        guard inside, occupied[j] != 0, label[j] < 0 else { return }
        label[j] = part
        stack.append(j)
      }
      visit(x > 0, i - 1)
      visit(x + 1 < nx, i + 1)
      visit(y > 0, i - sy)
      visit(y + 1 < ny, i + sy)
      visit(z > 0, i - sz)
      visit(z + 1 < nz, i + sz)
    }
    return size
  }
}

extension cmasks_camera {
  /// A pinhole with a pose as the kernels see it.
  init(lens: Lens, cameraFromWorld: RigidTransform) {
    let r = cameraFromWorld.rotation
    let t = cameraFromWorld.translation
    let u = r.row0 * lens.fx + r.row2 * lens.cx
    let v = r.row1 * lens.fy + r.row2 * lens.cy
    self.init(
      p: (
        (u.x, u.y, u.z, lens.fx * t.x + lens.cx * t.z), (v.x, v.y, v.z, lens.fy * t.y + lens.cy * t.z),
        (r.row2.x, r.row2.y, r.row2.z, t.z)
      ),
      focal: max(lens.fx, lens.fy), width: Int32(lens.width), height: Int32(lens.height))
  }
}
