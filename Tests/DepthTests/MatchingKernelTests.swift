import CDepth
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// The matching kernel against its definition written down naively.
@Suite struct MatchingKernelTests {
  private let width = 64
  private let height = 48

  private func wave(_ x: Double, _ y: Double) -> Double {
    20_000 + 6000 * sin(0.41 * x + 0.13 * y) + 4000 * sin(0.57 * y - 0.22 * x) + 2000 * cos(0.9 * x)
  }

  private func picture(_ value: (Double, Double) -> Double) -> [UInt16] {
    (0..<height).flatMap { y in (0..<width).map { x in UInt16(value(Double(x), Double(y)).rounded()) } }
  }

  /// 1 - NCC over the hexagonal window with bilateral weights, by exact projection of each sample.
  private func naive(
    _ reference: [UInt16], _ source: [UInt16], x: Int, y: Int, plane: cdepth_plane, m: [Double], b: [Double],
    sigma: Double, noise: Double
  ) -> Double {
    var offsets: [(Int, Int)] = []
    for dx in stride(from: -5, through: 5, by: 2) { offsets.append((dx, 0)) }
    for dy in [-2, 2] { for dx in stride(from: -4, through: 4, by: 2) { offsets.append((dx, dy)) } }
    for dy in [-4, 4] { for dx in stride(from: -3, through: 3, by: 2) { offsets.append((dx, dy)) } }
    let centre = Double(reference[y * width + x])
    var samples: [(w: Double, r: Double, s: Double)] = []
    for (dx, dy) in offsets {
      let r = Double(reference[(y + dy) * width + x + dx])
      let exponent =
        (r - centre) * (r - centre) / (2 * sigma * sigma) + Double(dx * dx + dy * dy) / 40
      let (px, py) = (Double(x + dx), Double(y + dy))
      let w = Double(plane.w) + Double(plane.wx) * Double(dx) + Double(plane.wy) * Double(dy)
      let q = (0..<3).map { (row: Int) -> Double in
        let turned = m[3 * row] * px + m[3 * row + 1] * py + m[3 * row + 2]
        return turned + b[row] * w
      }
      let (u, v) = (q[0] / q[2], q[1] / q[2])
      let (i, j) = (Int(u), Int(v))
      let (f, g) = (u - Double(i), v - Double(j))
      func at(_ a: Int, _ b: Int) -> Double { Double(source[(j + b) * width + i + a]) }
      let s = (1 - g) * ((1 - f) * at(0, 0) + f * at(1, 0)) + g * ((1 - f) * at(0, 1) + f * at(1, 1))
      samples.append((pow(1 + exponent / 4, -4), r, s))
    }
    let total = samples.reduce(0) { $0 + $1.w }
    let meanR = samples.reduce(0) { $0 + $1.w * $1.r } / total
    let meanS = samples.reduce(0) { $0 + $1.w * $1.s } / total
    func moment(_ f: ((w: Double, r: Double, s: Double)) -> Double) -> Double {
      samples.reduce(0) { $0 + $1.w * f($1) } / total
    }
    let cross = moment { ($0.r - meanR) * ($0.s - meanS) }
    let rr = moment { ($0.r - meanR) * ($0.r - meanR) }
    let ss = moment { ($0.s - meanS) * ($0.s - meanS) }
    return 1 - cross / ((rr + noise) * (ss + noise)).squareRoot()
  }

  private func kernel(
    _ reference: [UInt16], _ source: [UInt16], x: Int, y: Int, plane: cdepth_plane, m: [Float], b: [Float],
    sigma: Float, noise: Float
  ) -> Float {
    reference.withUnsafeBufferPointer { reference in
      source.withUnsafeBufferPointer { source in
        var view = cdepth_view()
        view.pixels = reference.baseAddress
        (view.width, view.height) = (Int32(width), Int32(height))
        (view.columns, view.rows) = (Int32(width), Int32(height))
        var from = cdepth_source()
        from.pixels = source.baseAddress
        (from.width, from.height) = (Int32(width), Int32(height))
        from.m = (m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8])
        from.b = (b[0], b[1], b[2])
        var parameters = cdepth_parameters()
        parameters.color_sigma = sigma
        parameters.noise_variance = noise
        parameters.best = 1
        return cdepth_match(&view, &from, &parameters, Int32(x), Int32(y), plane)
      }
    }
  }

  @Test func theKernelAgreesWithItsDefinition() {
    let reference = picture { wave($0, $1) }
    let source = picture { wave($0 * 0.97 + 2.3, $1 + 0.8) + 1500 * sin($0) }
    var state: UInt64 = 7
    func random() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 40) / Double(1 << 24) * 2 - 1
    }
    for _ in 0..<200 {
      let m = [
        1 + 0.05 * random(), 0.05 * random(), 2 * random(), 0.05 * random(), 1 + 0.05 * random(), 2 * random(),
        1e-5 * random(), 1e-5 * random(), 1
      ]
      let b = [30 * random(), 10 * random(), 0.1 * random()]
      let plane = cdepth_plane(
        w: Float(0.05 + 0.02 * random()), wx: Float(0.002 * random()), wy: Float(0.002 * random()))
      let (x, y) = (28 + Int(6 * random()), 22 + Int(4 * random()))
      let exact = naive(
        reference, source, x: x, y: y, plane: plane, m: m, b: b, sigma: 5000, noise: 20_000)
      let fast = kernel(
        reference, source, x: x, y: y, plane: plane, m: m.map { Float($0) }, b: b.map { Float($0) }, sigma: 5000,
        noise: 20_000)
      // the kernel takes the homography's derivative at the centre for the whole window
      #expect(abs(Double(fast) - exact) < 0.02, "at \(x), \(y): \(fast) is not \(exact)")
    }
  }

  @Test func aPerfectMatchCostsNextToNothing() {
    let reference = picture { wave($0, $1) }
    let source = picture { wave($0 - 3, $1) }
    let plane = cdepth_plane(w: 0.1, wx: 0, wy: 0)
    let cost = kernel(
      reference, source, x: 30, y: 24, plane: plane, m: [1, 0, 0, 0, 1, 0, 0, 0, 1], b: [30, 0, 0], sigma: 5000,
      noise: 100)
    #expect(cost < 1e-3)
  }

  @Test func whatTheSourceDoesNotSeeIsUnseen() {
    let reference = picture { wave($0, $1) }
    for shift: Float in [-400, 400, .nan, .infinity] {
      let cost = kernel(
        reference, reference, x: 30, y: 24, plane: cdepth_plane(w: 0.1, wx: 0, wy: 0),
        m: [1, 0, 0, 0, 1, 0, 0, 0, 1], b: [shift, 0, 0], sigma: 5000, noise: 100)
      #expect(cost == 2)
    }
    // behind the source
    let cost = kernel(
      reference, reference, x: 30, y: 24, plane: cdepth_plane(w: 0.1, wx: 0, wy: 0),
      m: [1, 0, 0, 0, 1, 0, 0, 0, 1], b: [0, 0, -20], sigma: 5000, noise: 100)
    #expect(cost == 2)
  }
}
