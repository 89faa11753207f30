import Imaging

/// Between which depths the object may be at each pixel of a view, from the coarse hull. Held at a coarse level: the
/// hull knows no more.
struct HullRange: Sendable {
  /// The level of the arrays.
  let level: Int
  let columns: Int, rows: Int
  /// Largest and smallest possible inverse depth; 0 and 0 where the ray misses the hull.
  private(set) var nearest: [Float]
  private(set) var farthest: [Float]

  /// The limits at a pixel of a level not coarser than the range's own.
  @inline(__always) func at(_ x: Int, _ y: Int, level other: Int) -> (nearest: Float, farthest: Float) {
    let shift = level - other
    let i = Swift.min(y >> shift, rows - 1) * columns + Swift.min(x >> shift, columns - 1)
    return (nearest[i], farthest[i])
  }

  /// Casts a ray through the hull for each pixel in the view's `mask` at `level` (whose pinhole is `lens`).
  init(hull: VoxelHull, lens: Lens, cameraFromWorld: RigidTransform, level: Int, mask: GrayImage) {
    self.level = level
    columns = lens.width
    rows = lens.height
    var near = [Float](repeating: 0, count: columns * rows)
    var far = near
    let worldFromCamera = cameraFromWorld.inverse
    let origin = (worldFromCamera.translation - hull.origin) / hull.cell
    for y in 0..<rows {
      for x in 0..<columns where mask[x, y] != 0 {
        let ray = worldFromCamera.rotation * lens.ray(SIMD2(Double(x), Double(y))) / hull.cell
        if let (first, last) = hull.span(from: origin, along: ray) {
          // a cell and a half of doubt on both sides
          let margin = 1.5 * hull.cell
          near[y * columns + x] = Float(1 / Swift.max(first - margin, first * 0.5))
          far[y * columns + x] = Float(1 / (last + margin))
        }
      }
    }
    (nearest, farthest) = Self.widened(near, far, columns, rows)
  }

  /// The columns and rows of pixels that have limits, or nil without any.
  var window: (columns: ClosedRange<Int>, rows: ClosedRange<Int>)? {
    let known = nearest.indices.filter { nearest[$0] > 0 }
    guard let first = known.first, let last = known.last else { return nil }
    let xs = known.map { $0 % columns }
    return (xs.min()!...xs.max()!, first / columns...last / columns)
  }

  /// Takes the widest limits of each pixel's neighbourhood, so that no ray between two of the coarse ones is cut short.
  private static func widened(_ near: [Float], _ far: [Float], _ columns: Int, _ rows: Int) -> ([Float], [Float]) {
    var (widerNear, widerFar) = (near, far)
    for y in 0..<rows {
      for x in 0..<columns {
        var (high, low) = (Float(0), Float.infinity)
        for b in Swift.max(0, y - 1)...Swift.min(rows - 1, y + 1) {
          for a in Swift.max(0, x - 1)...Swift.min(columns - 1, x + 1) where near[b * columns + a] > 0 {
            high = Swift.max(high, near[b * columns + a])
            low = Swift.min(low, far[b * columns + a])
          }
        }
        guard high > 0 else { continue }
        widerNear[y * columns + x] = high
        widerFar[y * columns + x] = low
      }
    }
    return (widerNear, widerFar)
  }
}

extension VoxelHull {
  /// The first and the last place, in units of `along`, where a ray in cell coordinates is inside an occupied cell
  /// (Amanatides & Woo, "A fast voxel traversal algorithm for ray tracing", 1987).
  func span(from origin: SIMD3<Double>, along ray: SIMD3<Double>) -> (first: Double, last: Double)? {
    let size = SIMD3(Double(nx), Double(ny), Double(nz))
    var enter = 0.0
    var leave = Double.infinity
    for axis in 0..<3 {
      if ray[axis] == 0 {
        if origin[axis] < 0 || origin[axis] >= size[axis] { return nil }
        continue
      }
      let a = -origin[axis] / ray[axis]
      let b = (size[axis] - origin[axis]) / ray[axis]
      enter = Swift.max(enter, Swift.min(a, b))
      leave = Swift.min(leave, Swift.max(a, b))
    }
    guard enter < leave else { return nil }
    let start = origin + ray * (enter + 1e-9)
    var cell = SIMD3(0, 0, 0)
    var step = SIMD3(0, 0, 0)
    var next = SIMD3<Double>(repeating: .infinity)
    var stride = SIMD3<Double>(repeating: .infinity)
    for axis in 0..<3 {
      let limit = [nx, ny, nz][axis] - 1
      cell[axis] = Swift.min(Swift.max(Int(start[axis].rounded(.down)), 0), limit)
      guard ray[axis] != 0 else { continue }
      step[axis] = ray[axis] > 0 ? 1 : -1
      stride[axis] = 1 / ray[axis].magnitude
      let wall = Double(cell[axis] + (ray[axis] > 0 ? 1 : 0))
      next[axis] = (wall - origin[axis]) / ray[axis]
    }
    var (first, last): (Double?, Double) = (nil, 0)
    var t = enter
    while true {
      let axis = next.x < next.y ? (next.x < next.z ? 0 : 2) : (next.y < next.z ? 1 : 2)
      if self[cell.x, cell.y, cell.z] != 0 {
        if first == nil { first = t }
        last = next[axis]
      }
      t = next[axis]
      cell[axis] += step[axis]
      next[axis] += stride[axis]
      let limit = axis == 0 ? nx : axis == 1 ? ny : nz
      guard cell[axis] >= 0, cell[axis] < limit, t < leave + 1 else { break }
    }
    return first.map { ($0, Swift.min(last, leave)) }
  }
}
