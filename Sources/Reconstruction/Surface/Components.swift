import Imaging
import Media

extension TriangleMesh {
  /// The mesh without its small pieces and its inner cavities: kept is every connected piece that turns its outside
  /// outwards and has at least `share` of the area of the largest.
  package func withoutIslands(share: Float) -> (mesh: TriangleMesh, kept: [Int]) {
    var parent = Array(0..<UInt32(positions.count))
    func root(_ i: UInt32) -> UInt32 {
      var i = i
      while parent[Int(i)] != i {
        parent[Int(i)] = parent[Int(parent[Int(i)])]
        i = parent[Int(i)]
      }
      return i
    }
    for t in triangles {
      let (a, b, c) = (root(t.x), root(t.y), root(t.z))
      let low = min(a, min(b, c))
      parent[Int(a)] = low
      parent[Int(b)] = low
      parent[Int(c)] = low
    }
    var area = [Float](repeating: 0, count: positions.count)
    var volume = [Double](repeating: 0, count: positions.count)
    for t in triangles {
      let (a, b, c) = (positions[Int(t.x)], positions[Int(t.y)], positions[Int(t.z)])
      let piece = Int(root(t.x))
      area[piece] += (b - a).cross(c - a).length / 2
      volume[piece] += Double(a.dot(b.cross(c))) / 6
    }
    let largest = area.indices.filter { volume[$0] > 0 }.map { area[$0] }.max() ?? 0
    return keeping { piece in
      volume[piece] > 0 && area[piece] >= share * largest
    } of: {
      Int(root($0))
    }
  }

  private func keeping(_ isWanted: (Int) -> Bool, of piece: (UInt32) -> Int) -> (mesh: TriangleMesh, kept: [Int]) {
    var place = [UInt32](repeating: .max, count: positions.count)
    var kept: [Int] = []
    var mesh = TriangleMesh()
    for i in positions.indices where isWanted(piece(UInt32(i))) {
      place[i] = UInt32(kept.count)
      kept.append(i)
      mesh.positions.append(positions[i])
      if !normals.isEmpty { mesh.normals.append(normals[i]) }
    }
    for t in triangles where place[Int(t.x)] != .max {
      mesh.triangles.append(SIMD3(place[Int(t.x)], place[Int(t.y)], place[Int(t.z)]))
    }
    return (mesh, kept)
  }
}
