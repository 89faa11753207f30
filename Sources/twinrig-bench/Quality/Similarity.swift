import Imaging

/// A rotation, a scale and a translation: p ↦ scale · R p + t.
struct Similarity {
  var rotation = Matrix3.identity
  var scale = 1.0
  var translation = SIMD3<Double>.zero

  func callAsFunction(_ p: SIMD3<Double>) -> SIMD3<Double> { rotation * p * scale + translation }

  func callAsFunction(_ points: [SIMD3<Float>]) -> [SIMD3<Float>] {
    points.map { SIMD3<Float>(self(SIMD3<Double>($0))) }
  }
}

/// Moves a model onto a truth.
///
/// Candidates for the rotation are those that bring the principal axes together, and the identity; each is refined by
/// iterated closest points (P. J. Besl and N. D. McKay, 1992) with distances to tangent planes (Y. Chen and G. Medioni,
/// 1992) and the farthest tenth left out (D. Chetverikov et al., "The trimmed iterative closest point algorithm", 2002).
struct Alignment {
  let truth: Surface
  let samples: [SIMD3<Float>]
  private let diagonal: Double

  /// `samples` lie evenly on the model.
  init(truth: Surface, samples: [SIMD3<Float>]) {
    self.truth = truth
    self.samples = samples
    diagonal = truth.diagonal
  }

  /// The best rigid motion (scale 1), and the best with a scale, which starts there.
  func solve() -> (rigid: Similarity, scaled: Similarity) {
    let coarse = thin(600)
    var trials: [(error: Double, motion: Similarity)] = []
    for start in candidates() {
      let motion = refine(start, coarse, steps: 25, withScale: false)
      trials.append((error(motion, coarse), motion))
    }
    trials.sort { $0.error < $1.error }
    let middle = thin(5000)
    let best = trials.prefix(4).map { refine($0.motion, middle, steps: 30, withScale: false) }
      .min { error($0, middle) < error($1, middle) }
    let rigid = refine(best ?? Similarity(), thin(40_000), steps: 30, withScale: false)
    return (rigid, refine(rigid, thin(40_000), steps: 40, withScale: true))
  }

  private func thin(_ count: Int) -> [SIMD3<Float>] {
    let step = max(1, samples.count / count)
    return stride(from: 0, to: samples.count, by: step).map { samples[$0] }
  }

  private func error(_ motion: Similarity, _ points: [SIMD3<Float>]) -> Double {
    let sorted = truth.distances(motion(points)).sorted()
    return sorted.prefix(sorted.count * 9 / 10).reduce(0) { $0 + Double($1 * $1) }
  }

  // MARK: where to start

  private func candidates() -> [Similarity] {
    let (modelCentre, modelAxes) = Alignment.principalAxes(samples)
    let (truthCentre, truthAxes) = Alignment.principalAxes(truth.samples(20_000, seed: 5))
    var starts = [Similarity()]
    for turn in Alignment.cubeTurns {
      let rotation = truthAxes.transpose * (turn * modelAxes)
      starts.append(Similarity(rotation: rotation, translation: truthCentre - rotation * modelCentre))
    }
    return starts
  }

  /// The 24 rotations of a cube: an axis may be mistaken for another of like length, or for its opposite.
  private static let cubeTurns: [Matrix3] = {
    let axes: [SIMD3<Double>] = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]
    return axes.flatMap { first in
      axes.filter { $0.dot(first) == 0 }.map { second in Matrix3(first, second, first.cross(second)) }
    }
  }()

  /// The centre and the principal axes (rows, right-handed) of points.
  private static func principalAxes(_ points: [SIMD3<Float>]) -> (SIMD3<Double>, Matrix3) {
    let centre = points.reduce(SIMD3<Double>.zero) { $0 + SIMD3<Double>($1) } / Double(max(points.count, 1))
    var covariance = [[Double]](repeating: [0, 0, 0], count: 3)
    for point in points {
      let d = SIMD3<Double>(point) - centre
      for i in 0..<3 { for j in 0..<3 { covariance[i][j] += d[i] * d[j] } }
    }
    let vectors = SmallMatrix.eigenvectors(covariance)
    let first = SIMD3(vectors[0][0], vectors[0][1], vectors[0][2])
    let second = SIMD3(vectors[1][0], vectors[1][1], vectors[1][2])
    return (centre, Matrix3(first, second, first.cross(second)))
  }

  // MARK: closest points

  private func refine(_ start: Similarity, _ points: [SIMD3<Float>], steps: Int, withScale: Bool) -> Similarity {
    var motion = start
    for _ in 0..<steps {
      let moved = motion(points)
      let found = truth.nearest(moved)
      let kept = found.indices.sorted { (found[$0].distance, $0) < (found[$1].distance, $1) }.prefix(
        found.count * 9 / 10)
      let centre = kept.reduce(SIMD3<Double>.zero) { $0 + SIMD3<Double>(moved[$1]) } / Double(max(kept.count, 1))
      let size = withScale ? 7 : 6
      var normal = [[Double]](repeating: [Double](repeating: 0, count: size), count: size)
      var right = [Double](repeating: 0, count: size)
      for i in kept {
        let p = SIMD3<Double>(moved[i]) - centre
        let n = SIMD3<Double>(found[i].normal)
        let turning = p.cross(n)
        // the unknowns: a small turn about the centre, a translation, a relative growth
        let row = [turning.x, turning.y, turning.z, n.x, n.y, n.z, p.dot(n)]
        let residual = n.dot(SIMD3<Double>(found[i].point) - SIMD3<Double>(moved[i]))
        for a in 0..<size {
          right[a] += row[a] * residual
          for b in 0..<size { normal[a][b] += row[a] * row[b] }
        }
      }
      // a hair of damping: a sphere may turn as it likes
      for a in 0..<size { normal[a][a] += 1e-9 * (normal[a][a] + Double(kept.count)) }
      guard let step = SmallMatrix.solve(normal, right) else { break }
      let turn = Matrix3.rotation(vector: [step[0], step[1], step[2]])
      let growth = withScale ? 1 + step[6] : 1
      let shift = SIMD3(step[3], step[4], step[5])
      motion.rotation = turn * motion.rotation
      motion.scale *= growth
      motion.translation = turn * (motion.translation - centre) * growth + centre + shift
      if shift.length < 1e-7 * diagonal, abs(growth - 1) < 1e-8, SIMD3(step[0], step[1], step[2]).length < 1e-8 {
        break
      }
    }
    return motion
  }
}
