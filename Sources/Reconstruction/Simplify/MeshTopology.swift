/// Which triangles meet at which edges and corners.
struct MeshTopology {
  /// For edge k of triangle t (from corner k to corner k+1) at `3 * t + k`: the triangle on the other side, or -1 at a
  /// border, where more than two triangles meet, or where the two are turned against each other.
  let neighbours: [Int32]
  /// `incident[first[v]..<first[v + 1]]` are the corners (3 * triangle + k) at vertex v, rising.
  let first: [Int32], incident: [Int32]

  /// Looks at `triangles` over `vertexCount` vertices. Indices must be in range.
  init(triangles: [SIMD3<UInt32>], vertexCount: Int) {
    (first, incident) = MeshTopology.corners(triangles, vertexCount)
    neighbours = MeshTopology.pair(triangles, first, incident)
  }

  /// Corners by vertex, by a counting sort.
  private static func corners(_ triangles: [SIMD3<UInt32>], _ vertexCount: Int) -> ([Int32], [Int32]) {
    var first = [Int32](repeating: 0, count: vertexCount + 1)
    for t in triangles {
      for k in 0..<3 { first[Int(t[k]) + 1] += 1 }
    }
    for v in 0..<vertexCount { first[v + 1] += first[v] }
    var cursor = first
    var incident = [Int32](repeating: 0, count: triangles.count * 3)
    for (i, t) in triangles.enumerated() {
      for k in 0..<3 {
        incident[Int(cursor[Int(t[k])])] = Int32(3 * i + k)
        cursor[Int(t[k])] += 1
      }
    }
    return (first, incident)
  }

  private static func pair(_ triangles: [SIMD3<UInt32>], _ first: [Int32], _ incident: [Int32]) -> [Int32] {
    var neighbours = [Int32](repeating: -1, count: triangles.count * 3)
    for (i, t) in triangles.enumerated() {
      for k in 0..<3 {
        let a = t[k]
        let b = t[(k + 1) % 3]
        // the twin runs from b to a; a second edge either way makes the place non-manifold
        var twin: Int32 = -1
        var forward = 0
        var backward = 0
        for c in incident[Int(first[Int(a)])..<Int(first[Int(a) + 1])] {
          let other = triangles[Int(c) / 3]
          if other[(Int(c) % 3 + 1) % 3] == b { forward += 1 }
          if other[(Int(c) % 3 + 2) % 3] == b {
            backward += 1
            twin = c / 3
          }
        }
        if forward == 1, backward == 1 { neighbours[3 * i + k] = twin }
      }
    }
    return neighbours
  }

  /// Whether every edge has exactly two triangles, turned alike.
  var isClosed: Bool { !neighbours.contains(-1) }

  /// Follows the fan of triangles around a corner over shared edges: the corners (3 * triangle + k) of one fan.
  func fan(from corner: Int32, _ triangles: [SIMD3<UInt32>]) -> [Int32] {
    let vertex = triangles[Int(corner) / 3][Int(corner) % 3]
    var fan = [corner]
    var c = corner
    // counter-clockwise across the edge that ends in this corner, then clockwise from the start if a border was met
    while let next = step(c, vertex, triangles, across: 2) {
      if next == corner { return fan }
      fan.append(next)
      c = next
    }
    c = corner
    while let next = step(c, vertex, triangles, across: 0) {
      fan.append(next)
      c = next
    }
    return fan
  }

  private func step(_ corner: Int32, _ vertex: UInt32, _ triangles: [SIMD3<UInt32>], across: Int) -> Int32? {
    let k = Int(corner) % 3
    let other = neighbours[Int(corner) - k + (k + across) % 3]
    guard other >= 0 else { return nil }
    let t = triangles[Int(other)]
    return other * 3 + (t.x == vertex ? 0 : t.y == vertex ? 1 : 2)
  }
}
