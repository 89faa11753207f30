import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// Which views to match a view against.
enum NeighbourChoice {
  /// Up to `count` views that see the object from about `ideal` degrees aside, each from another side than the ones
  /// already chosen: a strip of texture along one baseline cannot mislead all of them. The best comes first.
  static func sources(
    of view: Int, in views: [PosedView], from candidates: [Int]? = nil, around centre: SIMD3<Double>, count: Int,
    ideal: Double = 14
  ) -> [Int] {
    let directions = views.map { ($0.cameraFromWorld.centre - centre).normalized }
    let forward = directions[view]
    var worth: [(view: Int, score: Double)] = []
    for other in candidates ?? Array(views.indices) where other != view {
      let angle = degrees(forward, directions[other])
      guard angle > 1.5, angle < 50 else { continue }
      let width = angle < ideal ? ideal / 2.5 : ideal
      let distance = (views[other].cameraFromWorld.centre - centre).length
      let scale = distance / (views[view].cameraFromWorld.centre - centre).length
      let score = exp(-(angle - ideal) * (angle - ideal) / (2 * width * width)) * min(scale, 1 / scale)
      worth.append((other, score))
    }
    var chosen: [Int] = []
    while chosen.count < count {
      var best: (view: Int, score: Double)?
      for candidate in worth where !chosen.contains(candidate.view) {
        let nearest = chosen.map { degrees(directions[$0], directions[candidate.view]) }.min() ?? 90
        let score = candidate.score * min(1, nearest / 8)
        if score > best?.score ?? 1e-6 { best = (candidate.view, score) }
      }
      guard let best else { break }
      chosen.append(best.view)
    }
    return chosen
  }

  /// At most `count` of the views, spread evenly over the directions they see the object from (farthest-point sampling),
  /// in ascending order.
  static func spread(_ views: [PosedView], around centre: SIMD3<Double>, count: Int) -> [Int] {
    guard views.count > count, count > 0 else { return Array(views.indices) }
    let directions = views.map { ($0.cameraFromWorld.centre - centre).normalized }
    var chosen = [0]
    var distance = directions.map { degrees($0, directions[0]) }
    while chosen.count < count {
      let next = distance.indices.max { distance[$0] < distance[$1] }!
      chosen.append(next)
      for i in distance.indices { distance[i] = min(distance[i], degrees(directions[i], directions[next])) }
    }
    return chosen.sorted()
  }

  private static func degrees(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    atan2(a.cross(b).length, a.dot(b)) * 180 / .pi
  }
}
