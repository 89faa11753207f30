import Imaging

/// Colours at the nodes of a graph that come close to wishes about single nodes and about differences of two, in the sense
/// of least squares; solved by conjugate gradients with Jacobi preconditioning.
struct GraphLeastSquares {
  private struct Difference {
    var a: Int32, b: Int32
    var weight: Float
    var wish: SIMD3<Float>
  }

  private var differences: [Difference] = []
  private var pull: [Float]
  private var wishes: [SIMD3<Float>]  // times pull

  /// `count` nodes and no wishes.
  init(count: Int) {
    pull = [Float](repeating: 0, count: count)
    wishes = [SIMD3<Float>](repeating: .zero, count: count)
  }

  /// Node `i` should be `value`.
  mutating func want(_ i: Int, _ value: SIMD3<Float>, weight: Float) {
    pull[i] += weight
    wishes[i] += value * weight
  }

  /// Node `a` minus node `b` should be `difference`.
  mutating func want(_ a: Int, minus b: Int, _ difference: SIMD3<Float> = .zero, weight: Float) {
    differences.append(Difference(a: Int32(a), b: Int32(b), weight: weight, wish: difference))
  }

  private func apply(_ x: [SIMD3<Float>], _ out: inout [SIMD3<Float>]) {
    for i in x.indices { out[i] = x[i] * pull[i] }
    for d in differences {
      let pulled = (x[Int(d.a)] - x[Int(d.b)]) * d.weight
      out[Int(d.a)] += pulled
      out[Int(d.b)] -= pulled
    }
  }

  /// The best values, from `start` on. A group of nodes without any wish about a single one keeps the mean it started with.
  func solve(from start: [SIMD3<Float>], iterations: Int = 200) -> [SIMD3<Float>] {
    var x = start
    var diagonal = pull
    var r = wishes
    for d in differences {
      diagonal[Int(d.a)] += d.weight
      diagonal[Int(d.b)] += d.weight
      r[Int(d.a)] += d.wish * d.weight
      r[Int(d.b)] -= d.wish * d.weight
    }
    let inverse = diagonal.map { $0 > 0 ? 1 / $0 : 0 }
    // rounding errors of a start that is right already are not worth a step
    let floor = x.indices.reduce(SIMD3<Double>.zero) { $0 + SIMD3<Double>(r[$1] * r[$1] * inverse[$1]) } * 1e-10
    var q = [SIMD3<Float>](repeating: .zero, count: x.count)
    apply(x, &q)
    for i in x.indices { r[i] -= q[i] }
    var p = x.indices.map { r[$0] * inverse[$0] }
    var rho = x.indices.reduce(SIMD3<Double>.zero) { $0 + SIMD3<Double>(r[$1] * p[$1]) }
    let goal = pointwiseMax(rho * 1e-8, floor)
    for _ in 0..<iterations where (0..<3).contains(where: { rho[$0] > goal[$0] }) {
      apply(p, &q)
      let curvature = x.indices.reduce(SIMD3<Double>.zero) { $0 + SIMD3<Double>(p[$1] * q[$1]) }
      let alpha = SIMD3<Float>(Self.quotient(rho, curvature))
      for i in x.indices {
        x[i] += alpha * p[i]
        r[i] -= alpha * q[i]
      }
      let next = x.indices.reduce(SIMD3<Double>.zero) { $0 + SIMD3<Double>(r[$1] * r[$1] * inverse[$1]) }
      let beta = SIMD3<Float>(Self.quotient(next, rho))
      for i in x.indices { p[i] = r[i] * inverse[i] + beta * p[i] }
      rho = next
    }
    return x
  }

  private static func quotient(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(b.x > 0 ? a.x / b.x : 0, b.y > 0 ? a.y / b.y : 0, b.z > 0 ? a.z / b.z : 0)
  }
}
