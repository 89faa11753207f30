import Imaging
import Media

/// Which views meet at each vertex, how much of each, and what has to be added to each so that nothing shows where they
/// meet and all come close to what the views agree on (the global part of V. Lempitsky and D. Ivanov, CVPR 2007, and of M.
/// Waechter, N. Moehrle, M. Goesele, "Let there be color!", ECCV 2014, with a pull to the common colour).
struct SeamLevelling: Sendable {
  /// Nodes of vertex v are at `first[v]..<first[v + 1]`, by rising view.
  private(set) var first: [Int32] = [0]
  /// The view of each node.
  private(set) var views: [Int32] = []
  /// The share of the triangles around the vertex that show this view; 0 where only triangles one step away do.
  private(set) var share: [Float] = []
  /// What to add to the view's colours at the vertex.
  private(set) var correction: [SIMD3<Float>] = []

  /// How strongly a view is pulled to the common colour, against 1 for being smooth along an edge.
  private static let pull: Float = 0.03

  /// Levels `labels` over a mesh. `colours` are the common colours of triangles, `observations` are compensated.
  init(
    _ mesh: TriangleMesh, _ topology: MeshTopology, labels: [Int32], colours: [SIMD3<Float>?],
    observations: FaceObservations
  ) {
    let edges = Self.edges(mesh)
    findNodes(mesh.positions.count, topology, labels, edges)
    var system = GraphLeastSquares(count: views.count)
    let wishes = addWishes(&system, topology, colours, observations)
    for (a, b) in edges {
      for i in Int(first[a])..<Int(first[a + 1]) {
        if let j = node(b, views[i]) { system.want(i, minus: j, weight: 1) }
      }
    }
    for v in 0..<mesh.positions.count {
      let shown = (Int(first[v])..<Int(first[v + 1])).filter { share[$0] > 0 }
      for (i, j) in zip(shown, shown.dropFirst()) {
        guard let a = wishes[i], let b = wishes[j] else { continue }
        system.want(i, minus: j, a - b, weight: 4)
      }
    }
    correction = system.solve(from: wishes.map { $0 ?? .zero })
  }

  /// The node of a view at a vertex.
  func node(_ vertex: Int, _ view: Int32) -> Int? {
    (Int(first[vertex])..<Int(first[vertex + 1])).first { views[$0] == view }
  }

  /// Each edge once, lower vertex first, in rising order.
  static func edges(_ mesh: TriangleMesh) -> [(Int, Int)] {
    var keys: [UInt64] = []
    keys.reserveCapacity(mesh.triangles.count * 3)
    for t in mesh.triangles {
      for k in 0..<3 {
        let a = UInt64(t[k])
        let b = UInt64(t[(k + 1) % 3])
        keys.append(min(a, b) << 32 | max(a, b))
      }
    }
    keys.sort()
    var edges: [(Int, Int)] = []
    var last: UInt64?
    for key in keys where key != last {
      edges.append((Int(key >> 32), Int(key & 0xffff_ffff)))
      last = key
    }
    return edges
  }

  private mutating func findNodes(_ count: Int, _ topology: MeshTopology, _ labels: [Int32], _ edges: [(Int, Int)]) {
    var around = [[Int32]](repeating: [], count: count)  // views of the triangles at each vertex, with repeats
    for v in 0..<count {
      let corners = topology.incident[Int(topology.first[v])..<Int(topology.first[v + 1])]
      around[v] = corners.map { labels[Int($0) / 3] }.filter { $0 >= 0 }
    }
    var wide = around.map { Set($0) }
    for (a, b) in edges {
      wide[a].formUnion(around[b])
      wide[b].formUnion(around[a])
    }
    for v in 0..<count {
      for view in wide[v].sorted() {
        views.append(view)
        let own = around[v].reduce(0) { $0 + ($1 == view ? 1 : 0) }
        share.append(around[v].isEmpty ? 0 : Float(own) / Float(around[v].count))
      }
      first.append(Int32(views.count))
    }
  }

  /// What each node would need to match the common colour of the triangles around it that its view sees; nil where it
  /// sees none.
  private func addWishes(
    _ system: inout GraphLeastSquares, _ topology: MeshTopology, _ colours: [SIMD3<Float>?],
    _ observations: FaceObservations
  ) -> [SIMD3<Float>?] {
    var wishes = [SIMD3<Float>?](repeating: nil, count: views.count)
    for v in 0..<first.count - 1 {
      let corners = topology.incident[Int(topology.first[v])..<Int(topology.first[v + 1])]
      for i in Int(first[v])..<Int(first[v + 1]) {
        var sum = SIMD3<Float>.zero
        var count: Float = 0
        for c in corners {
          let t = Int(c) / 3
          guard let common = colours[t], let seen = observations[t].first(where: { $0.view == views[i] }) else {
            continue
          }
          sum += common - seen.colour
          count += 1
        }
        guard count > 0 else { continue }
        wishes[i] = sum / count
        system.want(i, sum / count, weight: Self.pull)
      }
    }
    return wishes
  }
}
