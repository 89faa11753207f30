import Imaging
import Media

/// A chart laid flat.
struct FlatChart: Sendable {
  /// Triangles of the mesh, rising.
  var triangles: [Int32]
  /// Vertices of the mesh the chart uses, in order of first use.
  var vertices: [UInt32]
  /// Corners of the triangles as places in `vertices`.
  var corners: [SIMD3<Int32>]
  /// Where each vertex lies, in the mesh's unit, y up, seen from outside.
  var places: [SIMD2<Double>]
}

/// Lays a chart flat as rigidly as possible: first by projection along its mean normal, then by the local/global iteration of
/// L. Liu, L. Zhang, Y. Xu, C. Gotsman, S. Gortler, "A local/global approach to mesh parameterization", SGP 2008. Lengths
/// stay nearly true, so all charts together have one texel density.
struct ChartFlattening {
  private let corners: [SIMD3<Int32>]
  private let rest: [(SIMD2<Double>, SIMD2<Double>, SIMD2<Double>)]
  private let cotangents: [SIMD3<Double>]  // of the angle opposite edge k (corner k to k+1)
  private let system: LaplaceSystem
  private var places: [SIMD2<Double>]

  /// The flat chart, or nil where no layout without a turned-over triangle was found.
  static func flatten(_ mesh: TriangleMesh, _ chart: [Int32], iterations: Int = 12) -> FlatChart? {
    var local: [UInt32: Int32] = [:]
    var vertices: [UInt32] = []
    let corners = chart.map { t -> SIMD3<Int32> in
      var c = SIMD3<Int32>()
      for k in 0..<3 {
        let v = mesh.triangles[Int(t)][k]
        if local[v] == nil {
          local[v] = Int32(vertices.count)
          vertices.append(v)
        }
        c[k] = local[v]!
      }
      return c
    }
    let positions = vertices.map { SIMD3<Double>(mesh.positions[Int($0)]) }
    var flattening = ChartFlattening(corners, positions)
    for _ in 0..<iterations { flattening.relax() }
    // a single triangle lies flat by itself, however thin it is
    if chart.count == 1 { flattening.layDownSingle() }
    guard chart.count == 1 || flattening.untangle() else { return nil }
    let flat = FlatChart(triangles: chart, vertices: vertices, corners: corners, places: flattening.places)
    // what has lost its size is no layout: also where numbers went astray
    return chart.count == 1 || flat.flatArea < 3 * flattening.restArea ? flat : nil
  }

  private init(_ corners: [SIMD3<Int32>], _ positions: [SIMD3<Double>]) {
    self.corners = corners
    var mean = SIMD3<Double>.zero
    var rest: [(SIMD2<Double>, SIMD2<Double>, SIMD2<Double>)] = []
    var cotangents: [SIMD3<Double>] = []
    for c in corners {
      let a = positions[Int(c.x)]
      let ab = positions[Int(c.y)] - a
      let ac = positions[Int(c.z)] - a
      let n = ab.cross(ac)
      mean += n
      let x = ab.length
      let along = ab / x
      rest.append((.zero, SIMD2(x, 0), SIMD2(ac.dot(along), n.length / x)))
      let p = rest[rest.count - 1]
      cotangents.append(
        SIMD3(
          Self.cotangent(p.0 - p.2, p.1 - p.2), Self.cotangent(p.1 - p.0, p.2 - p.0),
          Self.cotangent(p.2 - p.1, p.0 - p.1)))
    }
    self.rest = rest
    self.cotangents = cotangents
    system = LaplaceSystem(count: positions.count, corners: corners, weights: cotangents)
    let axis = mean.normalized
    let side: SIMD3<Double> = axis.x.magnitude < 0.6 ? [1, 0, 0] : [0, 1, 0]
    let right = side.cross(axis).normalized
    let up = axis.cross(right)
    places = positions.map { SIMD2($0.dot(right), $0.dot(up)) }
  }

  /// The cotangent of the angle between two vectors, kept positive so that the system stays definite.
  private static func cotangent(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double {
    let sine = (a.x * b.y - a.y * b.x).magnitude
    return min(max(a.dot(b) / max(sine, 1e-12), 0.02), 50)
  }

  /// One local/global step.
  private mutating func relax() {
    var right = [SIMD2<Double>](repeating: .zero, count: places.count)
    for (i, c) in corners.enumerated() {
      let x = [rest[i].0, rest[i].1, rest[i].2]
      var cosine = 0.0
      var sine = 0.0
      for k in 0..<3 {
        let u = places[Int(c[(k + 1) % 3])] - places[Int(c[k])]
        let e = x[(k + 1) % 3] - x[k]
        cosine += cotangents[i][k] * u.dot(e)
        sine += cotangents[i][k] * (u.y * e.x - u.x * e.y)
      }
      let length = (cosine * cosine + sine * sine).squareRoot()
      guard length > 0 else { continue }
      cosine /= length
      sine /= length
      for k in 0..<3 {
        let e = (x[(k + 1) % 3] - x[k]) * cotangents[i][k]
        let turned = SIMD2(cosine * e.x - sine * e.y, sine * e.x + cosine * e.y)
        right[Int(c[(k + 1) % 3])] += turned
        right[Int(c[k])] -= turned
      }
    }
    system.solve(right, into: &places)
  }

  private var restArea: Double { rest.reduce(0) { $0 + $1.1.x * $1.2.y / 2 } }

  private mutating func layDownSingle() {
    let c = corners[0]
    places[Int(c.x)] = rest[0].0
    places[Int(c.y)] = rest[0].1
    places[Int(c.z)] = rest[0].2
  }

  private func doubleArea(_ c: SIMD3<Int32>) -> Double {
    let a = places[Int(c.x)]
    let ab = places[Int(c.y)] - a
    let ac = places[Int(c.z)] - a
    return ab.x * ac.y - ab.y * ac.x
  }

  /// Pulls vertices of turned-over triangles into the middle of their neighbours until none is left; false where that fails.
  private mutating func untangle() -> Bool {
    for _ in 0..<60 {
      var moved = [Bool](repeating: false, count: places.count)
      var bad = 0
      for (i, c) in corners.enumerated() {
        let flat = rest[i].1.x * rest[i].2.y
        if doubleArea(c) > 0.05 * flat { continue }
        bad += 1
        for k in 0..<3 { moved[Int(c[k])] = true }
      }
      if bad == 0 { return true }
      system.smooth(&places, where: moved)
    }
    return corners.allSatisfy { doubleArea($0) > 0 }
  }
}

extension FlatChart {
  /// Whether parts that are no neighbours lie on each other, judged at the middles of a fine grid of cells.
  var overlapsItself: Bool {
    if triangles.count == 1 { return false }
    var low = SIMD2(Double.infinity, Double.infinity)
    var high = -low
    for p in places {
      low = pointwiseMin(low, p)
      high = pointwiseMax(high, p)
    }
    let extent = high - low
    let cell = max(extent.x, extent.y) / 600
    guard cell > 0 else { return true }
    let width = Int(extent.x / cell) + 1
    var taken = [Bool](repeating: false, count: width * (Int(extent.y / cell) + 1))
    for c in corners {
      let p = (0..<3).map { (places[Int(c[$0])] - low) / cell }
      let box = (min: pointwiseMin(p[0], pointwiseMin(p[1], p[2])), max: pointwiseMax(p[0], pointwiseMax(p[1], p[2])))
      for y in Int(box.min.y)...Int(box.max.y) {
        for x in Int(box.min.x)...Int(box.max.x) {
          let q = SIMD2(Double(x) + 0.5, Double(y) + 0.5)
          let inside = (0..<3).allSatisfy { k in
            let e = p[(k + 1) % 3] - p[k]
            let d = q - p[k]
            return e.x * d.y - e.y * d.x > 1e-9
          }
          if !inside { continue }
          if taken[y * width + x] { return true }
          taken[y * width + x] = true
        }
      }
    }
    return false
  }
}

/// The symmetric system of edge weights of one chart, by rows.
private struct LaplaceSystem {
  private var first: [Int32]
  private var column: [Int32] = []
  private var weight: [Double] = []
  private var diagonal: [Double]
  private var onBorder: [Bool]

  init(count: Int, corners: [SIMD3<Int32>], weights: [SIMD3<Double>]) {
    var entries: [(row: Int32, column: Int32, weight: Double)] = []
    entries.reserveCapacity(corners.count * 6)
    for (i, c) in corners.enumerated() {
      for k in 0..<3 {
        entries.append((c[k], c[(k + 1) % 3], weights[i][k]))
        entries.append((c[(k + 1) % 3], c[k], weights[i][k]))
      }
    }
    entries.sort { ($0.row, $0.column, $0.weight) < ($1.row, $1.column, $1.weight) }
    first = [Int32](repeating: 0, count: count + 1)
    diagonal = [Double](repeating: 0, count: count)
    onBorder = [Bool](repeating: false, count: count)
    var i = 0
    while i < entries.count {
      let (row, to, _) = entries[i]
      var sum = 0.0
      let start = i
      while i < entries.count, entries[i].row == row, entries[i].column == to {
        sum += entries[i].weight
        i += 1
      }
      if i - start == 1 { onBorder[Int(row)] = true }
      column.append(to)
      weight.append(sum)
      diagonal[Int(row)] += sum
      first[Int(row) + 1] += 1
    }
    for r in 0..<count { first[r + 1] += first[r] }
  }

  private func apply(_ x: UnsafePointer<SIMD2<Double>>, _ out: UnsafeMutablePointer<SIMD2<Double>>) {
    column.withUnsafeBufferPointer { column in
      weight.withUnsafeBufferPointer { weight in
        for r in 0..<diagonal.count {
          var sum = x[r] * diagonal[r]
          for e in Int(first[r])..<Int(first[r + 1]) { sum -= x[Int(column[e])] * weight[e] }
          out[r] = sum
        }
      }
    }
  }

  /// Conjugate gradients with Jacobi preconditioning from where `x` is. The system leaves one translation open, which the
  /// right side (a sum of differences) never asks for.
  func solve(_ right: [SIMD2<Double>], into x: inout [SIMD2<Double>], iterations: Int = 40) {
    let n = x.count
    var r = right
    var q = [SIMD2<Double>](repeating: .zero, count: n)
    x.withUnsafeBufferPointer { apply($0.baseAddress!, &q) }
    for i in 0..<n { r[i] -= q[i] }
    var p = (0..<n).map { r[$0] / diagonal[$0] }
    var rho = dot(r, p)
    // a start that is right already must not have its rounding errors polished: they know no bounds
    let floor = (0..<n).reduce(SIMD2<Double>.zero) { $0 + right[$1] * right[$1] / diagonal[$1] } * 1e-20
    let goal = pointwiseMax(rho * 1e-10, floor)
    for _ in 0..<iterations where rho.x > goal.x || rho.y > goal.y {
      p.withUnsafeBufferPointer { apply($0.baseAddress!, &q) }
      let alpha = Self.quotient(rho, dot(p, q))
      for i in 0..<n {
        x[i] += alpha * p[i]
        r[i] -= alpha * q[i]
      }
      var next = SIMD2<Double>.zero
      for i in 0..<n { next += r[i] * r[i] / diagonal[i] }
      let beta = Self.quotient(next, rho)
      for i in 0..<n { p[i] = r[i] / diagonal[i] + beta * p[i] }
      rho = next
    }
  }

  /// The quotient by parts, 0 where a part has converged to the last bit.
  private static func quotient(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> SIMD2<Double> {
    SIMD2(b.x > 0 ? a.x / b.x : 0, b.y > 0 ? a.y / b.y : 0)
  }

  private func dot(_ a: [SIMD2<Double>], _ b: [SIMD2<Double>]) -> SIMD2<Double> {
    var sum = SIMD2<Double>.zero
    for i in a.indices { sum += a[i] * b[i] }
    return sum
  }

  /// Moves marked vertices to the plain mean of their neighbours; those on the border only a little.
  func smooth(_ x: inout [SIMD2<Double>], where marked: [Bool]) {
    for r in x.indices where marked[r] {
      var sum = SIMD2<Double>.zero
      let range = Int(first[r])..<Int(first[r + 1])
      for e in range { sum += x[Int(column[e])] }
      let share = onBorder[r] ? 0.2 : 1.0
      x[r] += share * (sum / Double(range.count) - x[r])
    }
  }
}
