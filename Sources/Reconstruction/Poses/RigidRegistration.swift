import CFeatures
import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// Rigid motions between two clouds of points that look alike (B. Horn, "Closed-form solution of absolute orientation using
/// unit quaternions", JOSA 1987; M. Fischler and R. Bolles, "Random Sample Consensus", 1981). Scale is known.
struct RigidRegistration {
  /// A pair of points that may be the same.
  struct Pair: Sendable {
    var a: SIMD3<Double>
    var b: SIMD3<Double>
    /// Numbers of the two points, so that a point counts once.
    var indexA: Int
    var indexB: Int
    var distance: Int
  }

  /// A motion and what speaks for it.
  struct Hypothesis: Sendable {
    var bFromA: RigidTransform
    var inliers: [Int]
    var rms: Double
  }

  /// How far apart two points may be that are the same.
  var tolerance: Double
  /// The extent of the clouds.
  var size: Double
  /// Samples drawn.
  var rounds = 60_000

  /// The best motion, and the best among those that are clearly different from it.
  func hypotheses(_ pairs: [Pair]) -> (best: Hypothesis, second: Int)? {
    guard pairs.count >= 6 else { return nil }
    let ordered = pairs.sorted { ($0.distance, $0.indexA, $0.indexB) < ($1.distance, $1.indexA, $1.indexB) }
    var random = SplitMix(seed: 0x7477_696E)
    var found: [(motion: RigidTransform, count: Int)] = []
    for round in 0..<rounds {
      // good-looking pairs first (O. Chum and J. Matas, "PROSAC", CVPR 2005)
      let reach = min(ordered.count, 30 + ordered.count * round / (rounds / 2))
      func pick() -> Int { min(reach - 1, Int(random.unit() * Float(reach))) }
      let (i, j, k) = (pick(), pick(), pick())
      guard i != j, j != k, i != k, let motion = motion(ordered[i], ordered[j], ordered[k]) else { continue }
      // counting with repetitions is quick and never less
      guard agreeing(motion, ordered) >= max(6, found.count < 12 ? 6 : found[11].count) else { continue }
      let count = inliers(motion, ordered).count
      if count >= 6 { insert(&found, motion, count) }
    }
    guard let first = found.first, let best = refined(first.motion, ordered) else { return nil }
    let centre = best.inliers.reduce(SIMD3.zero) { $0 + ordered[$1].a } / Double(best.inliers.count)
    var second = 0
    for other in found.dropFirst() {
      // refinement may lead to the best motion after all
      guard let other = refined(other.motion, ordered), isDifferent(other.bFromA, best.bFromA, at: centre) else {
        continue
      }
      second = max(second, other.inliers.count)
    }
    return (best, second)
  }

  /// Keeps the best few motions, one of each kind.
  private func insert(_ found: inout [(motion: RigidTransform, count: Int)], _ motion: RigidTransform, _ count: Int) {
    if let at = found.firstIndex(where: { !isDifferent($0.motion, motion, at: .zero) }) {
      if found[at].count >= count { return }
      found.remove(at: at)
    } else if found.count == 12, found[11].count >= count {
      return
    }
    let place = found.firstIndex { $0.count < count } ?? found.count
    found.insert((motion, count), at: place)
    if found.count > 12 { found.removeLast() }
  }

  private func isDifferent(_ a: RigidTransform, _ b: RigidTransform, at point: SIMD3<Double>) -> Bool {
    let turn = (a.rotation * b.rotation.transpose).rotationVector.length
    return turn > 0.2 || (a * point - b * point).length > 0.1 * size
  }

  /// The motion three pairs agree on, if the triangles are alike and not small.
  private func motion(_ p: Pair, _ q: Pair, _ r: Pair) -> RigidTransform? {
    for (x, y) in [(p, q), (q, r), (r, p)] {
      let a = (x.a - y.a).length
      let b = (x.b - y.b).length
      guard a > 0.06 * size, abs(a - b) < 1.5 * tolerance else { return nil }
    }
    return Self.absoluteOrientation([p, q, r].map { ($0.a, $0.b) })
  }

  /// How many pairs a motion brings together.
  private func agreeing(_ motion: RigidTransform, _ pairs: [Pair]) -> Int {
    let limit = tolerance * tolerance
    var count = 0
    for pair in pairs {
      let d = motion * pair.a - pair.b
      if d.dot(d) < limit { count += 1 }
    }
    return count
  }

  /// Pairs that a motion brings together, each point at most once.
  private func inliers(_ motion: RigidTransform, _ pairs: [Pair]) -> [Int] {
    var usedA: Set<Int> = []
    var usedB: Set<Int> = []
    var inliers: [Int] = []
    let limit = tolerance * tolerance
    for (i, pair) in pairs.enumerated() {
      let d = motion * pair.a - pair.b
      guard d.dot(d) < limit, !usedA.contains(pair.indexA), !usedB.contains(pair.indexB) else { continue }
      usedA.insert(pair.indexA)
      usedB.insert(pair.indexB)
      inliers.append(i)
    }
    return inliers
  }

  private func refined(_ motion: RigidTransform, _ pairs: [Pair]) -> Hypothesis? {
    var motion = motion
    var found: [Int] = []
    for _ in 0..<5 {
      found = inliers(motion, pairs)
      guard found.count >= 4, let better = Self.absoluteOrientation(found.map { (pairs[$0].a, pairs[$0].b) }) else {
        return nil
      }
      motion = better
    }
    found = inliers(motion, pairs)
    guard !found.isEmpty else { return nil }
    let sum = found.reduce(0.0) { sum, i in
      let d = motion * pairs[i].a - pairs[i].b
      return sum + d.dot(d)
    }
    return Hypothesis(bFromA: motion, inliers: found, rms: (sum / Double(found.count)).squareRoot())
  }

  /// The rotation and translation with the least squared distance between the moved first and the second points; nil for
  /// points on a line. The rotation is the eigenvector of Horn's 4×4 matrix, by Jacobi's method.
  static func absoluteOrientation(_ pairs: [(a: SIMD3<Double>, b: SIMD3<Double>)]) -> RigidTransform? {
    let n = Double(pairs.count)
    guard n >= 3 else { return nil }
    let ca = pairs.reduce(SIMD3.zero) { $0 + $1.a } / n
    let cb = pairs.reduce(SIMD3.zero) { $0 + $1.b } / n
    var s = [SIMD3<Double>](repeating: .zero, count: 3)
    for pair in pairs {
      let a = pair.a - ca
      let b = pair.b - cb
      for i in 0..<3 { s[i] += a[i] * b }
    }
    let (xx, xy, xz) = (s[0].x, s[0].y, s[0].z)
    let (yx, yy, yz) = (s[1].x, s[1].y, s[1].z)
    let (zx, zy, zz) = (s[2].x, s[2].y, s[2].z)
    let matrix = [
      [xx + yy + zz, yz - zy, zx - xz, xy - yx], [yz - zy, xx - yy - zz, xy + yx, zx + xz],
      [zx - xz, xy + yx, yy - xx - zz, yz + zy], [xy - yx, zx + xz, yz + zy, zz - xx - yy]
    ]
    let (values, vectors) = jacobi(matrix)
    let order = (0..<4).sorted { values[$0] > values[$1] }
    // two equal largest eigenvalues: the points do not fix the rotation
    guard values[order[0]] - values[order[1]] > 1e-9 * abs(values[order[0]]) else { return nil }
    let q = (0..<4).map { vectors[$0][order[0]] }
    let (w, x, y, z) = (q[0], q[1], q[2], q[3])
    let r = Matrix3(
      [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
      [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
      [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)])
    return RigidTransform(rotation: r, translation: cb - r * ca)
  }

  /// Eigenvalues and eigenvectors (columns) of a symmetric 4×4 matrix.
  private static func jacobi(_ matrix: [[Double]]) -> (values: [Double], vectors: [[Double]]) {
    var a = matrix
    var v = (0..<4).map { i in (0..<4).map { $0 == i ? 1.0 : 0.0 } }
    for _ in 0..<30 {
      var off = 0.0
      for p in 0..<4 { for q in 0..<p { off += a[p][q] * a[p][q] } }
      if off < 1e-24 * (a[0][0] * a[0][0] + a[1][1] * a[1][1] + a[2][2] * a[2][2] + a[3][3] * a[3][3] + 1e-300) {
        break
      }
      for p in 0..<3 {
        for q in (p + 1)..<4 where a[p][q] != 0 {
          let theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
          let t = (theta >= 0 ? 1.0 : -1.0) / (abs(theta) + (theta * theta + 1).squareRoot())
          let c = 1 / (t * t + 1).squareRoot()
          let s = t * c
          for k in 0..<4 {
            let (x, y) = (a[k][p], a[k][q])
            a[k][p] = c * x - s * y
            a[k][q] = s * x + c * y
          }
          for k in 0..<4 {
            let (x, y) = (a[p][k], a[q][k])
            a[p][k] = c * x - s * y
            a[q][k] = s * x + c * y
          }
          for k in 0..<4 {
            let (x, y) = (v[k][p], v[k][q])
            v[k][p] = c * x - s * y
            v[k][q] = s * x + c * y
          }
        }
      }
    }
    return ((0..<4).map { a[$0][$0] }, v)
  }
}
