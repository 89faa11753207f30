import Imaging
import Media

/// Which triangle each texel of an atlas shows, and where on it. Rows run from the top, as in a picture.
struct AtlasTexels: Sendable {
  /// The edge length of the map.
  let size: Int
  /// The triangle at each texel, -1 in the space between charts. A rim of `gutter` texels around each chart belongs to
  /// it, so that filtering across its edge finds the right colour.
  private(set) var owner: [Int32]
  /// Texels around each triangle that may belong to it.
  static let gutter = 3

  private let triangles: [SIMD3<UInt32>]
  private let positions: [SIMD3<Float>]
  /// For each triangle the weights of corners 1 and 2 as planes over the map.
  private let weights: [(b: SIMD3<Float>, c: SIMD3<Float>)]
  private let boxes: [SIMD4<Int32>]

  /// Texels of `atlas` in a map of `size`² (by default the size it was packed for).
  init(_ atlas: Atlas, size: Int? = nil) {
    let size = size ?? atlas.size
    self.size = size
    triangles = atlas.mesh.triangles
    positions = atlas.mesh.positions
    var owner = [Int32](repeating: -1, count: size * size)
    var weights: [(b: SIMD3<Float>, c: SIMD3<Float>)] = []
    var boxes: [SIMD4<Int32>] = []
    weights.reserveCapacity(triangles.count)
    boxes.reserveCapacity(triangles.count)
    let places = atlas.mesh.uvs.map { SIMD2($0.x, 1 - $0.y) * Float(size) - 0.5 }
    for (i, t) in triangles.enumerated() {
      let a = places[Int(t.x)]
      let ab = places[Int(t.y)] - a
      let ac = places[Int(t.z)] - a
      let area = ab.x * ac.y - ab.y * ac.x
      let scale = area.magnitude > 1e-9 ? 1 / area : 0
      let b = SIMD3(ac.y, -ac.x, ac.x * a.y - ac.y * a.x) * scale
      let c = SIMD3(-ab.y, ab.x, ab.y * a.x - ab.x * a.y) * scale
      weights.append((b, c))
      let low = pointwiseMin(a, pointwiseMin(a + ab, a + ac)).rounded(.down)
      let high = pointwiseMax(a, pointwiseMax(a + ab, a + ac)).rounded(.up)
      boxes.append(
        SIMD4(Int32(low.x), Int32(low.y), Int32(high.x), Int32(high.y)).clamped(
          lowerBound: .zero, upperBound: SIMD4(repeating: Int32(size - 1))))
      Self.fill(&owner, size, Int32(i), boxes[i], b, c)
    }
    self.weights = weights
    self.boxes = boxes
    for _ in 0..<Self.gutter { Self.grow(&owner, size) }
    self.owner = owner
  }

  private static func fill(
    _ owner: inout [Int32], _ size: Int, _ triangle: Int32, _ box: SIMD4<Int32>, _ b: SIMD3<Float>, _ c: SIMD3<Float>
  ) {
    guard box.x <= box.z, box.y <= box.w else { return }
    for y in Int(box.y)...Int(box.w) {
      for x in Int(box.x)...Int(box.z) {
        let p = SIMD3(Float(x), Float(y), 1)
        let wb = b.dot(p)
        let wc = c.dot(p)
        // the first triangle keeps a texel on a shared edge
        if wb >= 0, wc >= 0, wb + wc <= 1, owner[y &* size &+ x] < 0 { owner[y &* size &+ x] = triangle }
      }
    }
  }

  /// Gives each free texel next to a chart to that chart.
  private static func grow(_ owner: inout [Int32], _ size: Int) {
    let before = owner
    before.withUnsafeBufferPointer { from in
      owner.withUnsafeMutableBufferPointer { to in
        for y in 0..<size {
          for x in 0..<size where from[y &* size &+ x] < 0 {
            var found: Int32 = -1
            if x > 0 { found = from[y &* size &+ x &- 1] }
            if found < 0, x + 1 < size { found = from[y &* size &+ x &+ 1] }
            if found < 0, y > 0 { found = from[(y &- 1) &* size &+ x] }
            if found < 0, y + 1 < size { found = from[(y &+ 1) &* size &+ x] }
            to[y &* size &+ x] = found
          }
        }
      }
    }
  }

  /// Weights of the three corners of `triangle` at a texel; outside the triangle they leave 0…1.
  @inline(__always) func weights(_ triangle: Int, _ x: Int, _ y: Int) -> SIMD3<Float> {
    let p = SIMD3(Float(x), Float(y), 1)
    let b = weights[triangle].b.dot(p)
    let c = weights[triangle].c.dot(p)
    return SIMD3(1 - b - c, b, c)
  }

  /// The place in space of a texel of `triangle`.
  @inline(__always) func position(_ triangle: Int, _ w: SIMD3<Float>) -> SIMD3<Float> {
    let t = triangles[triangle]
    return positions[Int(t.x)] * w.x + positions[Int(t.y)] * w.y + positions[Int(t.z)] * w.z
  }

  /// Texels inside `triangle`, as a plain area.
  func area(of triangle: Int) -> Float {
    let b = weights[triangle].b
    let c = weights[triangle].c
    // the planes' slopes span the inverse of the triangle's edges
    let inverse = (b.x * c.y - b.y * c.x).magnitude
    return inverse > 0 ? 0.5 / inverse : 0
  }

  /// Calls `body` for each texel that belongs to `triangle`: column, row, index.
  @inline(__always) func forEachTexel(of triangle: Int, _ body: (Int, Int, Int) -> Void) {
    let box = boxes[triangle]
    let low = SIMD2(max(0, Int(box.x) - Self.gutter), max(0, Int(box.y) - Self.gutter))
    let high = SIMD2(min(size - 1, Int(box.z) + Self.gutter), min(size - 1, Int(box.w) + Self.gutter))
    owner.withUnsafeBufferPointer { owner in
      for y in low.y...high.y {
        for x in low.x...high.x where owner[y &* size &+ x] == Int32(truncatingIfNeeded: triangle) {
          body(x, y, y &* size &+ x)
        }
      }
    }
  }
}
