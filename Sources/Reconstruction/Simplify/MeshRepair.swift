import Imaging
import Media

/// Makes a mesh safe for what follows: every index in range, every triangle with an area, no triangle twice, at most two
/// triangles at an edge, one fan of triangles at a vertex.
package enum MeshRepair {
  /// The cleaned mesh: positions and triangles only; unused positions are gone.
  package static func cleaned(_ mesh: TriangleMesh) -> TriangleMesh {
    let welded = weld(mesh)
    let triangles = withoutDoubles(withoutDegenerate(welded.triangles, welded.positions))
    return compacted(separated(TriangleMesh(positions: welded.positions, triangles: triangles)))
  }

  /// Gives equal positions one index and drops triangles with an index or a position that is none.
  private static func weld(_ mesh: TriangleMesh) -> TriangleMesh {
    var indexOf: [SIMD3<Float>: UInt32] = [:]
    indexOf.reserveCapacity(mesh.positions.count)
    var positions: [SIMD3<Float>] = []
    positions.reserveCapacity(mesh.positions.count)
    var map = [UInt32](repeating: .max, count: mesh.positions.count)
    for (i, p) in mesh.positions.enumerated() where p.x.isFinite && p.y.isFinite && p.z.isFinite {
      if let known = indexOf[p] {
        map[i] = known
      } else {
        map[i] = UInt32(positions.count)
        indexOf[p] = map[i]
        positions.append(p)
      }
    }
    let count = UInt32(clamping: mesh.positions.count)
    let triangles = mesh.triangles.compactMap { t -> SIMD3<UInt32>? in
      guard t.max() < count else { return nil }
      let m = SIMD3(map[Int(t.x)], map[Int(t.y)], map[Int(t.z)])
      return m.max() == .max ? nil : m
    }
    return TriangleMesh(positions: positions, triangles: triangles)
  }

  private static func withoutDegenerate(_ triangles: [SIMD3<UInt32>], _ positions: [SIMD3<Float>]) -> [SIMD3<UInt32>] {
    triangles.filter { t in
      if t.x == t.y || t.y == t.z || t.z == t.x { return false }
      let a = positions[Int(t.x)]
      let normal = (positions[Int(t.y)] - a).cross(positions[Int(t.z)] - a)
      return normal.length > 0
    }
  }

  /// Keeps one of triangles with the same corners turned alike; two turned against each other enclose nothing and both go.
  private static func withoutDoubles(_ triangles: [SIMD3<UInt32>]) -> [SIMD3<UInt32>] {
    var seen: [SIMD3<UInt32>: (turn: Bool, index: Int)] = [:]
    seen.reserveCapacity(triangles.count)
    var keep = [Bool](repeating: true, count: triangles.count)
    for (i, t) in triangles.enumerated() {
      // smallest corner first; the other two in rising order, remembering whether that turned the triangle
      let r = t.x < t.y && t.x < t.z ? t : t.y < t.z ? SIMD3(t.y, t.z, t.x) : SIMD3(t.z, t.x, t.y)
      let turned = r.y > r.z
      let key = turned ? SIMD3(r.x, r.z, r.y) : r
      guard let known = seen[key] else {
        seen[key] = (turned, i)
        continue
      }
      keep[i] = false
      if known.turn != turned { keep[known.index] = false }
    }
    return zip(triangles, keep).filter(\.1).map(\.0)
  }

  /// Gives each fan of triangles at a vertex a vertex of its own, so that surfaces that merely touch come apart.
  private static func separated(_ mesh: TriangleMesh) -> TriangleMesh {
    let topology = MeshTopology(triangles: mesh.triangles, vertexCount: mesh.positions.count)
    var positions = mesh.positions
    var triangles = mesh.triangles
    var done = [Bool](repeating: false, count: triangles.count * 3)
    for v in 0..<mesh.positions.count {
      var isFirst = true
      for corner in topology.incident[Int(topology.first[v])..<Int(topology.first[v + 1])] where !done[Int(corner)] {
        let index = isFirst ? UInt32(v) : UInt32(positions.count)
        if !isFirst { positions.append(mesh.positions[v]) }
        isFirst = false
        for c in topology.fan(from: corner, mesh.triangles) {
          done[Int(c)] = true
          triangles[Int(c) / 3][Int(c) % 3] = index
        }
      }
    }
    return TriangleMesh(positions: positions, triangles: triangles)
  }

  /// Drops positions no triangle uses, keeping their order.
  static func compacted(_ mesh: TriangleMesh) -> TriangleMesh {
    var map = [UInt32](repeating: .max, count: mesh.positions.count)
    for t in mesh.triangles {
      for k in 0..<3 { map[Int(t[k])] = 0 }
    }
    var positions: [SIMD3<Float>] = []
    for i in map.indices where map[i] == 0 {
      map[i] = UInt32(positions.count)
      positions.append(mesh.positions[i])
    }
    let triangles = mesh.triangles.map { SIMD3(map[Int($0.x)], map[Int($0.y)], map[Int($0.z)]) }
    return TriangleMesh(positions: positions, triangles: triangles)
  }
}
