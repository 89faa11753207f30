import CMesh
import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// Puts flat charts side by side into a square: each is laid into its tightest rectangle, then, largest first, into the
/// lowest place where its own outline (not just its rectangle) fits, in one of four turns. The scale is the largest of a
/// falling series at which everything fits.
struct AtlasPacking {
  /// Cells along an edge of the square. Two charts are kept at least one cell apart: 4 pixels of a 2048² map.
  static let cells = 512

  /// How charts are moved: p → scale * turn(p) + offset, in texels, y up.
  struct Placement: Sendable {
    /// The turn's cosine and sine.
    var cosine: Double, sine: Double
    /// Where the chart's origin goes.
    var offset: SIMD2<Double>

    /// The place of a point of the chart.
    func callAsFunction(_ p: SIMD2<Double>, scale: Double) -> SIMD2<Double> {
      SIMD2(cosine * p.x - sine * p.y, sine * p.x + cosine * p.y) * scale + offset
    }
  }

  /// One placement a chart and the common scale in texels per unit of the charts, for a map of `size`² texels.
  /// Throws `.cancelled`.
  static func pack(
    _ charts: [FlatChart], size: Int, progress: any StageProgress
  ) throws(ReconstructionError) -> (placements: [Placement], scale: Double) {
    let angles = charts.map { tightestAngle($0.places) }
    let area = charts.reduce(0) { $0 + $1.flatArea }
    guard area > 0 else { return (charts.map { _ in Placement(cosine: 1, sine: 0, offset: .zero) }, 1) }
    let cell = Double(size) / Double(cells)
    var scale = (0.9 * Double(size * size) / area).squareRoot()
    while true {
      try progress.step(done: 2, of: 4)
      if let placements = attempt(charts, angles, scale / cell) {
        let inTexels = placements.map { p in
          Placement(cosine: p.cosine, sine: p.sine, offset: p.offset * cell)
        }
        return (inTexels, scale)
      }
      scale *= 0.975
    }
  }

  /// Places everything at a scale in cells per unit, or nil where something does not fit.
  private static func attempt(_ charts: [FlatChart], _ angles: [Double], _ scale: Double)
    -> [Placement]?
  {
    let outlines = charts.indices.map { i in
      (0..<4).map { Outline(charts[i], angle: angles[i] + Double($0) * .pi / 2, scale: scale) }
    }
    let order = charts.indices.sorted { a, b in
      (outlines[a][0].longest, b) > (outlines[b][0].longest, a)
    }
    var square = Outline.Square()
    var placements = [Placement?](repeating: nil, count: charts.count)
    for i in order {
      var best: (top: Int, x: Int, turn: Int)?
      for turn in 0..<4 {
        let outline = outlines[i][turn]
        guard let spot = square.lowestSpot(for: outline, upTo: best.map { $0.top - outline.height } ?? .max) else {
          continue
        }
        let top = spot.y + outline.height
        if best == nil || (top, spot.x) < (best!.top, best!.x) { best = (top, spot.x, turn) }
      }
      guard let best else { return nil }
      let outline = outlines[i][best.turn]
      let y = best.top - outline.height
      square.insert(outline, x: best.x, y: y)
      let turn = angles[i] + Double(best.turn) * .pi / 2
      placements[i] = Placement(
        cosine: cos(turn), sine: sin(turn), offset: SIMD2(Double(best.x), Double(y)) - outline.origin)
    }
    return placements.map { $0! }
  }

  /// The turn that gives the smallest rectangle, among 45 of 2° each; a quarter turn changes nothing.
  private static func tightestAngle(_ places: [SIMD2<Double>]) -> Double {
    var best = (area: Double.infinity, angle: 0.0)
    for step in 0..<45 {
      let angle = Double(step) * .pi / 90
      let c = cos(angle)
      let s = sin(angle)
      var low = SIMD2(Double.infinity, Double.infinity)
      var high = -low
      for p in places {
        let q = SIMD2(c * p.x - s * p.y, s * p.x + c * p.y)
        low = pointwiseMin(low, q)
        high = pointwiseMax(high, q)
      }
      let area = (high.x - low.x) * (high.y - low.y)
      if area < best.area { best = (area, angle) }
    }
    return best.angle
  }
}

extension FlatChart {
  /// The area it takes, in the mesh's unit squared.
  var flatArea: Double {
    corners.reduce(0) { sum, c in
      let a = places[Int(c.x)]
      let ab = places[Int(c.y)] - a
      let ac = places[Int(c.z)] - a
      return sum + (ab.x * ac.y - ab.y * ac.x) / 2
    }
  }
}

/// The cells a chart touches, as rows of bits, in a frame that leaves one more cell free all around.
private struct Outline {
  static let words = AtlasPacking.cells / 64

  let height: Int, width: Int
  /// The chart's own cells, and those with the margin; empty where the chart is larger than the square.
  private(set) var bits: [UInt64] = []
  private(set) var padded: [UInt64] = []
  /// Where the lowest corner of the frame lies in the turned chart, in cells.
  let origin: SIMD2<Double>

  var longest: Int { max(width, height) }

  init(_ chart: FlatChart, angle: Double, scale: Double) {
    let c = cos(angle) * scale
    let s = sin(angle) * scale
    let turned = chart.places.map { SIMD2(c * $0.x - s * $0.y, s * $0.x + c * $0.y) }
    var low = SIMD2(Double.infinity, Double.infinity)
    var high = -low
    for p in turned {
      low = pointwiseMin(low, p)
      high = pointwiseMax(high, p)
    }
    origin = low - SIMD2(1, 1)
    let extent = high - origin
    width = Int(min(extent.x, 1e6)) + 2
    height = Int(min(extent.y, 1e6)) + 2
    guard width <= AtlasPacking.cells, height <= AtlasPacking.cells else { return }
    bits = [UInt64](repeating: 0, count: height * Self.words)
    padded = bits
    for corner in chart.corners {
      mark(turned[Int(corner.x)] - origin, turned[Int(corner.y)] - origin, turned[Int(corner.z)] - origin)
    }
    padded.withUnsafeMutableBufferPointer { cmesh_pack_dilate(bits, height, Self.words, $0.baseAddress) }
  }

  /// Marks every cell a triangle touches: its extent within each row of cells.
  private mutating func mark(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>) {
    let bottom = Int(min(a.y, b.y, c.y))
    let top = min(Int(max(a.y, b.y, c.y)), height - 1)
    for y in bottom...max(bottom, top) {
      var left = Double.infinity
      var right = -Double.infinity
      for (p, q) in [(a, b), (b, c), (c, a)] {
        let low = p.y < q.y ? p : q
        let high = p.y < q.y ? q : p
        let from = max(low.y, Double(y))
        let to = min(high.y, Double(y + 1))
        if from > to { continue }
        let slope = high.y > low.y ? (high.x - low.x) / (high.y - low.y) : 0
        let x0 = low.x + slope * (from - low.y)
        let x1 = high.y > low.y ? low.x + slope * (to - low.y) : high.x
        left = min(left, x0, x1)
        right = max(right, x0, x1)
      }
      if left > right { continue }
      for x in Int(left)...Int(right) { bits[y * Self.words + (x >> 6)] |= 1 << UInt64(x & 63) }
    }
  }

  /// The square being filled.
  struct Square {
    private var taken = [UInt64](repeating: 0, count: AtlasPacking.cells * Outline.words)

    /// The lowest, then leftmost place where the padded outline meets nothing, at most at height `limit`.
    func lowestSpot(for outline: Outline, upTo limit: Int) -> (x: Int, y: Int)? {
      let highest = min(AtlasPacking.cells - outline.height, limit)
      let rightmost = AtlasPacking.cells - outline.width
      guard highest >= 0, rightmost >= 0 else { return nil }
      var x = 0
      var y = 0
      let found = cmesh_pack_spot(
        taken, Outline.words, outline.padded, outline.height, rightmost, highest, &x, &y)
      return found ? (x, y) : nil
    }

    mutating func insert(_ outline: Outline, x: Int, y: Int) {
      taken.withUnsafeMutableBufferPointer {
        cmesh_pack_insert($0.baseAddress, Outline.words, outline.bits, outline.height, x, y)
      }
    }
  }
}
