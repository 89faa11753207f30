import Codecs
import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// The coverage as a picture: a dial a side, seen from above, the lowest ring outside, 0° at the bottom where the cameras
/// stand at turntable angle 0.
struct CoverageDial: Sendable {
  let coverage: Coverage

  private static let size = 320.0
  private static let outer = 140.0
  private static let hub = 34.0
  private static let background = SIMD3<Double>(18, 22, 28)
  private static let grey = SIMD3<Double>(46, 53, 63)
  private static let dim = SIMD3<Double>(64, 176, 120)
  private static let bright = SIMD3<Double>(88, 212, 140)
  private static let amber = SIMD3<Double>(236, 178, 76)

  private var dials: [(title: String, dial: Coverage.Dial)] {
    var dials = [(coverage.flipped == nil ? "coverage" : "upright", coverage.upright)]
    if let flipped = coverage.flipped { dials.append(("turned over", flipped)) }
    return dials
  }

  /// Inner and outer radius of a ring.
  private static func radii(_ ring: Int) -> (Double, Double) {
    let step = (outer - hub) / Double(Coverage.rings.count)
    let top = outer - Double(ring) * step
    return (top - step + 2, top)
  }

  /// Grey without pictures, green with some, amber with far more than needed.
  private static func colour(_ dial: Coverage.Dial, _ ring: Int, _ sector: Int) -> SIMD3<Double> {
    switch dial[ring, sector] {
    case 0: dial.isCovered(ring, sector) ? dim : grey
    case 1: dim
    case 2...6: bright
    default: amber
    }
  }

  // MARK: SVG

  /// The dial as SVG text.
  func svg() -> String {
    let width = Self.size * Double(dials.count)
    var out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(number(width)) \(number(Self.size + 40))\""
      + " font-family=\"system-ui, sans-serif\" text-anchor=\"middle\">\n"
      + "<rect width=\"100%\" height=\"100%\" fill=\"\(hex(Self.background))\"/>\n"
    for (index, dial) in dials.enumerated() {
      let cx = Self.size * (Double(index) + 0.5)
      let cy = Self.size / 2
      for ring in Coverage.rings.indices {
        for sector in 0..<Coverage.sectors { out += cell(cx, cy, ring, sector, dial.dial) }
      }
      let share = Self.share(dial.dial)
      out +=
        "<text x=\"\(number(cx))\" y=\"\(number(cy + 8))\" font-size=\"22\" fill=\"#e8edf2\">\(share) %</text>\n"
        + "<text x=\"\(number(cx))\" y=\"\(number(Self.size + 20))\" font-size=\"16\" fill=\"#9aa7b5\">\(dial.title)</text>\n"
    }
    return out + "</svg>\n"
  }

  private func cell(_ cx: Double, _ cy: Double, _ ring: Int, _ sector: Int, _ dial: Coverage.Dial) -> String {
    let (inner, outer) = Self.radii(ring)
    let step = 2 * Double.pi / Double(Coverage.sectors)
    let a0 = Double(sector) * step + 0.012
    let a1 = Double(sector + 1) * step - 0.012
    let at = { (r: Double, a: Double) in "\(number(cx + r * sin(a))) \(number(cy + r * cos(a)))" }
    return
      "<path d=\"M\(at(inner, a0)) L\(at(outer, a0)) A\(number(outer)) \(number(outer)) 0 0 0 \(at(outer, a1))"
      + " L\(at(inner, a1)) A\(number(inner)) \(number(inner)) 0 0 1 \(at(inner, a0))Z\""
      + " fill=\"\(hex(Self.colour(dial, ring, sector)))\"><title>\(dial[ring, sector])</title></path>\n"
  }

  private static func share(_ dial: Coverage.Dial) -> Int { 100 * dial.covered / dial.wanted }

  // MARK: PNG

  /// The dial as a PNG picture, without words.
  func png(scale: Double = 2) throws(CodecError) -> [UInt8] {
    let faces = dials.map { Face($0.dial) }
    let side = Int(Self.size * scale)
    var image = RGBImage(width: side * faces.count, height: side)
    for (index, face) in faces.enumerated() {
      for y in 0..<side {
        for x in 0..<side {
          var sum = SIMD3<Double>(repeating: 0)
          // 3 × 3 samples a pixel smooth the edges
          for v in 0..<3 {
            for u in 0..<3 {
              let px = (Double(x) + (Double(u) + 0.5) / 3) / scale
              let py = (Double(y) + (Double(v) + 0.5) / 3) / scale
              sum += face.colour(px - Self.size / 2, py - Self.size / 2)
            }
          }
          image[index * side + x, y] = SIMD3<UInt8>((sum / 9).rounded(.toNearestOrAwayFromZero))
        }
      }
    }
    return try PNG.encode(image)
  }

  /// One dial with everything worked out that is the same for millions of samples.
  private struct Face {
    private let cells: [[SIMD3<Double>]]
    private let radii: [(inner: Double, outer: Double)]
    /// Below this the hub is filled: it fills like a gauge, from the bottom, with the covered share.
    private let level: Double
    private let step = 2 * Double.pi / Double(Coverage.sectors)

    init(_ dial: Coverage.Dial) {
      cells = Coverage.rings.indices.map { ring in
        (0..<Coverage.sectors).map { CoverageDial.colour(dial, ring, $0) }
      }
      radii = Coverage.rings.indices.map { CoverageDial.radii($0) }
      level = (CoverageDial.hub - 6) * (1 - 2 * Double(CoverageDial.share(dial)) / 100)
    }

    /// The colour at a place relative to the dial's middle, y down.
    func colour(_ dx: Double, _ dy: Double) -> SIMD3<Double> {
      let radius = (dx * dx + dy * dy).squareRoot()
      if radius < CoverageDial.hub - 6 { return dy > level ? CoverageDial.bright * 0.8 : CoverageDial.grey * 0.7 }
      for (ring, place) in radii.enumerated() where radius >= place.inner && radius < place.outer {
        var angle = atan2(dx, dy)
        if angle < 0 { angle += 2 * .pi }
        let sector = min(Coverage.sectors - 1, Int(angle / step))
        let toEdge = min(angle - Double(sector) * step, Double(sector + 1) * step - angle) * radius
        return toEdge < 1 ? CoverageDial.background : cells[ring][sector]
      }
      return CoverageDial.background
    }
  }
}

/// At most two decimals.
private func number(_ value: Double) -> String {
  let hundredths = Int((value * 100).rounded())
  if hundredths % 100 == 0 { return "\(hundredths / 100)" }
  let rest = abs(hundredths % 100)
  return "\(hundredths < 0 ? "-" : "")\(abs(hundredths) / 100).\(rest < 10 ? "0" : "")\(rest)"
}

private func hex(_ colour: SIMD3<Double>) -> String {
  let digits = [colour.x, colour.y, colour.z].map { value in
    let text = String(Int(value), radix: 16)
    return text.count < 2 ? "0" + text : text
  }
  return "#" + digits.joined()
}
