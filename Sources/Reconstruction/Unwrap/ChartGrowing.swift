import Imaging
import Media

#if canImport(Glibc)
  import Glibc
#endif

/// Groups triangles into charts that are nearly flat, compact and topological discs, by merging neighbours from single
/// triangles upwards (after M. Garland, A. Willmott, P. Heckbert, "Hierarchical face clustering on polygonal surfaces",
/// I3D 2001, with the normal deviation of D. Cohen-Steiner, P. Alliez, M. Desbrun, "Variational shape approximation",
/// SIGGRAPH 2004).
struct ChartGrowing {
  private let triangles: [SIMD3<UInt32>]
  private let topology: MeshTopology
  private let lengths: [Float]  // of each edge, 3 * triangle + k

  // one entry a triangle; a cluster is known by the triangle that leads it
  private var leader: [Int32]
  private var members: [[Int32]]
  private var normal: [SIMD3<Double>]
  private var area: [Double]
  private var perimeter: [Double]
  private var version: [Int32]
  private var borders: [[Int32: Double]]
  private var heap = Heap()
  private var stamp: [Int32]
  private var stampCount: Int32 = 0

  /// Prepares to cluster a subset of the triangles of a mesh.
  private init(_ mesh: TriangleMesh, _ topology: MeshTopology, _ subset: [Int32]) {
    triangles = mesh.triangles
    self.topology = topology
    let count = triangles.count
    leader = [Int32](repeating: -1, count: count)
    members = [[Int32]](repeating: [], count: count)
    normal = [SIMD3<Double>](repeating: .zero, count: count)
    area = [Double](repeating: 0, count: count)
    perimeter = [Double](repeating: 0, count: count)
    version = [Int32](repeating: 0, count: count)
    borders = [[Int32: Double]](repeating: [:], count: count)
    stamp = [Int32](repeating: 0, count: mesh.positions.count)
    var lengths = [Float](repeating: 0, count: 3 * count)
    for t in subset.map(Int.init) {
      leader[t] = Int32(t)
      members[t] = [Int32(t)]
      let corners = (0..<3).map { mesh.positions[Int(mesh.triangles[t][$0])] }
      let n = (corners[1] - corners[0]).cross(corners[2] - corners[0])
      normal[t] = SIMD3<Double>(n) / 2
      area[t] = normal[t].length
      for k in 0..<3 { lengths[3 * t + k] = (corners[(k + 1) % 3] - corners[k]).length }
      perimeter[t] = Double(lengths[3 * t] + lengths[3 * t + 1] + lengths[3 * t + 2])
    }
    self.lengths = lengths
    for t in subset.map(Int.init) {
      for k in 0..<3 {
        let other = topology.neighbours[3 * t + k]
        if other >= 0, leader[Int(other)] >= 0 { borders[t][other, default: 0] += Double(lengths[3 * t + k]) }
      }
    }
  }

  /// Charts of `subset` (or of everything): lists of triangles, rising, largest area first. `flatness` bounds
  /// 1 - |mean normal| of a chart: 0.2 is a bend of about ±63°.
  static func charts(
    of mesh: TriangleMesh, _ topology: MeshTopology, subset: [Int32]? = nil, flatness: Double
  ) -> [[Int32]] {
    let all = subset ?? (0..<Int32(mesh.triangles.count)).map { $0 }
    var growing = ChartGrowing(mesh, topology, all)
    growing.merge(all, limit: flatness)
    // slivers between good charts go to whichever neighbour bends least, even beyond the limit
    let total = all.reduce(0) { $0 + growing.area[Int($1)] }
    if subset == nil { growing.absorb(limit: min(0.4, 1.8 * flatness), smallerThan: total * 0.004) }
    return growing.result(all)
  }

  private func result(_ all: [Int32]) -> [[Int32]] {
    let leaders = all.filter { leader[Int($0)] == $0 }
    return leaders.sorted { (area[Int($0)], $1) > (area[Int($1)], $0) }.map { members[Int($0)].sorted() }
  }

  private mutating func merge(_ all: [Int32], limit: Double) {
    for a in all {
      for (b, _) in borders[Int(a)] where b > a { push(a, b) }
    }
    while let candidate = heap.pop() {
      let a = candidate.a
      let b = candidate.b
      guard leader[Int(a)] == a, leader[Int(b)] == b, version[Int(a)] == candidate.versionA,
        version[Int(b)] == candidate.versionB, bend(a, b) <= limit, meetInOneArc(a, b)
      else { continue }
      let kept = join(a, b)
      for (n, _) in borders[Int(kept)] { push(kept, n) }
    }
  }

  private mutating func absorb(limit: Double, smallerThan smallest: Double) {
    let leaders = leader.indices.filter { leader[$0] == Int32($0) && area[$0] < smallest }
    for small in leaders.sorted(by: { (area[$0], $0) < (area[$1], $1) }) {
      let a = leader[small]
      guard a == Int32(small), area[small] < smallest else { continue }
      let choices = borders[small].map { (bend: bend(a, $0.key) - 0.2 * $0.value / perimeter[small], at: $0.key) }
      for choice in choices.sorted(by: { ($0.bend, $0.at) < ($1.bend, $1.at) })
      where bend(a, choice.at) <= limit && meetInOneArc(a, choice.at) {
        _ = join(a, choice.at)
        break
      }
    }
  }

  /// 1 - |mean normal| of two clusters as one.
  private func bend(_ a: Int32, _ b: Int32) -> Double {
    let total = area[Int(a)] + area[Int(b)]
    return total > 0 ? 1 - (normal[Int(a)] + normal[Int(b)]).length / total : 0
  }

  private mutating func push(_ a: Int32, _ b: Int32) {
    let shared = borders[Int(a)][b] ?? 0
    let total = area[Int(a)] + area[Int(b)]
    let around = perimeter[Int(a)] + perimeter[Int(b)] - 2 * shared
    let irregularity = total > 0 ? around * around / (4 * .pi * total) : 0
    let cost = bend(a, b) + 0.015 * min(irregularity, 20)
    heap.push(.init(cost: cost, a: a, b: b, versionA: version[Int(a)], versionB: version[Int(b)]))
  }

  private mutating func join(_ a: Int32, _ b: Int32) -> Int32 {
    let large = members[Int(a)].count >= members[Int(b)].count ? a : b
    let small = large == a ? b : a
    let l = Int(large)
    let s = Int(small)
    for t in members[s] { leader[Int(t)] = large }
    members[l] += members[s]
    members[s] = []
    normal[l] += normal[s]
    area[l] += area[s]
    perimeter[l] += perimeter[s] - 2 * (borders[l][small] ?? 0)
    borders[l][small] = nil
    for (n, length) in borders[s] where n != large {
      borders[l][n, default: 0] += length
      borders[Int(n)][small] = nil
      borders[Int(n)][large] = borders[l][n]
    }
    borders[s] = [:]
    version[l] += 1
    return large
  }

  /// Two discs make a disc exactly if what they share is one connected arc: shared vertices - shared edges = 1.
  private mutating func meetInOneArc(_ a: Int32, _ b: Int32) -> Bool {
    let small = members[Int(a)].count <= members[Int(b)].count ? a : b
    let large = small == a ? b : a
    stampCount += 1
    var vertices = 0
    var edges = 0
    for t in members[Int(small)] {
      for k in 0..<3 {
        let other = topology.neighbours[3 * Int(t) + k]
        if other >= 0, leader[Int(other)] == large { edges += 1 }
        let v = Int(triangles[Int(t)][k])
        if stamp[v] == stampCount { continue }
        stamp[v] = stampCount
        let corners = topology.incident[Int(topology.first[v])..<Int(topology.first[v + 1])]
        if corners.contains(where: { leader[Int($0) / 3] == large }) { vertices += 1 }
      }
    }
    return vertices - edges == 1
  }
}

/// A possible merge; ordered by cost, then by the clusters' numbers so that the order is always the same.
private struct Candidate: Comparable {
  var cost: Double
  var a: Int32, b: Int32
  var versionA: Int32, versionB: Int32

  static func < (x: Candidate, y: Candidate) -> Bool {
    (x.cost, min(x.a, x.b), max(x.a, x.b)) < (y.cost, min(y.a, y.b), max(y.a, y.b))
  }
}

/// A binary heap, smallest first.
private struct Heap {
  private var items: [Candidate] = []

  mutating func push(_ item: Candidate) {
    items.append(item)
    var i = items.count - 1
    while i > 0, items[i] < items[(i - 1) / 2] {
      items.swapAt(i, (i - 1) / 2)
      i = (i - 1) / 2
    }
  }

  mutating func pop() -> Candidate? {
    guard let top = items.first else { return nil }
    let last = items.removeLast()
    if items.isEmpty { return top }
    items[0] = last
    var i = 0
    while true {
      var next = i
      for child in [2 * i + 1, 2 * i + 2] where child < items.count && items[child] < items[next] { next = child }
      if next == i { return top }
      items.swapAt(i, next)
      i = next
    }
  }
}
