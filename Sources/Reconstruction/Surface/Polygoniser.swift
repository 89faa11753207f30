import Media

/// Marching cubes (Lorensen & Cline, 1987). The table of cases is derived instead of copied: on every face of a cube the
/// inside corners are cut off one by one, whichever cube looks at the face, so that the surface is closed.
package enum Polygoniser {
  /// The surface where `field` passes zero; inside is negative. Its border must be positive everywhere for the surface
  /// to be closed. Triangles are counter-clockwise from outside. Normals are the field's gradients.
  package static func surface(of field: [Float], on grid: VoxelGrid) -> TriangleMesh {
    field.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return TriangleMesh() }
      var march = March(field: base, grid: grid)
      march.run()
      return march.mesh
    }
  }

  /// The corners of a cube are numbered x + 2 y + 4 z. Each edge is its lower corner and its axis.
  static let edges: [(corner: Int, axis: Int)] = (0..<3).flatMap { axis in
    (0..<8).filter { $0 & (1 << axis) == 0 }.map { ($0, axis) }
  }

  private static func edge(_ a: Int, _ b: Int) -> Int {
    let low = min(a, b)
    let axis = (a ^ b).trailingZeroBitCount
    return edges.firstIndex { $0.corner == low && $0.axis == axis }!
  }

  /// The six faces, corners counter-clockwise seen from outside the cube.
  private static let faces = [
    [0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]
  ]

  /// For each of the 256 cases (bit c: corner c is inside) the edges of its triangles, three each.
  static let cases: [[Int]] = (0..<256).map { inside in
    var next: [Int: Int] = [:]
    for face in faces {
      for i in 0..<4 where inside >> face[i] & 1 == 1 && inside >> face[(i + 3) % 4] & 1 == 0 {
        // a run of inside corners begins at i; find its end
        var j = i
        while inside >> face[(j + 1) % 4] & 1 == 1 { j = (j + 1) % 4 }
        next[edge(face[(i + 3) % 4], face[i])] = edge(face[j], face[(j + 1) % 4])
      }
    }
    var triangles: [Int] = []
    for start in next.keys.sorted() where next[start] != nil {
      var loop = [start]
      var at = next.removeValue(forKey: start)!
      while at != start {
        loop.append(at)
        at = next.removeValue(forKey: at)!
      }
      for k in 1..<(loop.count - 1) { triangles += [loop[0], loop[k], loop[k + 1]] }
    }
    return triangles
  }
}

/// One run over the grid, slice by slice, with the vertices of the last two slices at hand.
private struct March {
  let field: UnsafePointer<Float>
  let grid: VoxelGrid
  var mesh = TriangleMesh()
  /// Vertices on the edges along x and y of the lower and upper slice, and along z between them.
  private var lower: [[UInt32]]
  private var upper: [[UInt32]]
  private var between: [UInt32]

  init(field: UnsafePointer<Float>, grid: VoxelGrid) {
    self.field = field
    self.grid = grid
    let none = [UInt32](repeating: .max, count: grid.slice)
    lower = [none, none]
    upper = [none, none]
    between = none
  }

  mutating func run() {
    let cases = Polygoniser.cases
    let edges = Polygoniser.edges
    upper = edgesInSlice(0)
    for z in 0..<max(0, grid.nz - 1) {
      lower = upper
      upper = edgesInSlice(z + 1)
      crossingsBetween(z)
      for y in 0..<grid.ny - 1 {
        let row = field + (z * grid.slice + y * grid.nx)
        for x in 0..<grid.nx - 1 {
          let inside = code(row + x)
          guard inside != 0, inside != 255 else { continue }
          emit(cases[inside], edges, x, y)
        }
      }
    }
  }

  @inline(__always) private func code(_ at: UnsafePointer<Float>) -> Int {
    let (nx, slice) = (grid.nx, grid.slice)
    func bit(_ offset: Int, _ corner: Int) -> Int { at[offset] < 0 ? 1 << corner : 0 }
    return bit(0, 0) | bit(1, 1) | bit(nx, 2) | bit(nx + 1, 3) | bit(slice, 4) | bit(slice + 1, 5)
      | bit(slice + nx, 6) | bit(slice + nx + 1, 7)
  }

  private mutating func emit(_ triangles: [Int], _ edges: [(corner: Int, axis: Int)], _ x: Int, _ y: Int) {
    func vertex(_ e: Int) -> UInt32 {
      let (corner, axis) = edges[e]
      let i = (y + (corner >> 1 & 1)) * grid.nx + x + (corner & 1)
      if axis == 2 { return between[i] }
      return corner & 4 == 0 ? lower[axis][i] : upper[axis][i]
    }
    for k in stride(from: 0, to: triangles.count, by: 3) {
      mesh.triangles.append(SIMD3(vertex(triangles[k]), vertex(triangles[k + 1]), vertex(triangles[k + 2])))
    }
  }

  private mutating func edgesInSlice(_ z: Int) -> [[UInt32]] {
    let none = [UInt32](repeating: .max, count: grid.slice)
    var result = [none, none]
    for y in 0..<grid.ny {
      let row = field + (z * grid.slice + y * grid.nx)
      for x in 0..<grid.nx {
        let here = row[x] < 0
        if x + 1 < grid.nx, here != (row[x + 1] < 0) { result[0][y * grid.nx + x] = add(x, y, z, 0) }
        if y + 1 < grid.ny, here != (row[x + grid.nx] < 0) { result[1][y * grid.nx + x] = add(x, y, z, 1) }
      }
    }
    return result
  }

  private mutating func crossingsBetween(_ z: Int) {
    for y in 0..<grid.ny {
      let row = field + (z * grid.slice + y * grid.nx)
      for x in 0..<grid.nx where (row[x] < 0) != (row[x + grid.slice] < 0) {
        between[y * grid.nx + x] = add(x, y, z, 2)
      }
    }
  }

  /// Adds the vertex on the edge from a voxel along an axis. It keeps a little away from both ends, so that no triangle
  /// shrinks to a point.
  private mutating func add(_ x: Int, _ y: Int, _ z: Int, _ axis: Int) -> UInt32 {
    var other = SIMD3(x, y, z)
    other[axis] += 1
    let a = field[z * grid.slice + y * grid.nx + x]
    let b = field[other.z * grid.slice + other.y * grid.nx + other.x]
    let t = min(max(a / (a - b), 0.02), 0.98)
    var p = grid.position(x, y, z)
    p[axis] += t * grid.voxel
    mesh.positions.append(p)
    let n = gradient(x, y, z) * (1 - t) + gradient(other.x, other.y, other.z) * t
    mesh.normals.append(n.normalized)
    return UInt32(mesh.positions.count - 1)
  }

  private func gradient(_ x: Int, _ y: Int, _ z: Int) -> SIMD3<Float> {
    func at(_ x: Int, _ y: Int, _ z: Int) -> Float {
      let a = min(max(x, 0), grid.nx - 1)
      let b = min(max(y, 0), grid.ny - 1)
      let c = min(max(z, 0), grid.nz - 1)
      return field[c * grid.slice + b * grid.nx + a]
    }
    return SIMD3(
      at(x + 1, y, z) - at(x - 1, y, z), at(x, y + 1, z) - at(x, y - 1, z), at(x, y, z + 1) - at(x, y, z - 1))
  }
}
