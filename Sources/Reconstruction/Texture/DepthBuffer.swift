import Imaging
import Media

/// What a view sees of a mesh: the depth at every pixel, and where depth jumps.
struct DepthBuffer {
  let width: Int, height: Int
  /// Depth of the nearest surface, infinite where there is none.
  private(set) var depth: [Float]

  /// Draws the mesh, both sides of its triangles, into a buffer of the view's size. `projected` are its positions as
  /// `PinholeView.project` gives them.
  init(_ triangles: [SIMD3<UInt32>], projected: [SIMD3<Float>], width: Int, height: Int) {
    self.width = width
    self.height = height
    var depth = [Float](repeating: .infinity, count: width * height)
    depth.withUnsafeMutableBufferPointer { buffer in
      for t in triangles {
        Self.draw(
          projected[Int(t.x)], projected[Int(t.y)], projected[Int(t.z)], buffer.baseAddress!, width, height)
      }
    }
    self.depth = depth
  }

  /// One triangle: 1/z is linear in the picture.
  private static func draw(
    _ a: SIMD3<Float>, _ b: SIMD3<Float>, _ c: SIMD3<Float>, _ depth: UnsafeMutablePointer<Float>, _ width: Int,
    _ height: Int
  ) {
    guard a.z > 0, b.z > 0, c.z > 0 else { return }
    let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    guard area.magnitude > 1e-6 else { return }
    let lowX = max(0, min(a.x, b.x, c.x).rounded(.up))
    let lowY = max(0, min(a.y, b.y, c.y).rounded(.up))
    let highX = min(Float(width - 1), max(a.x, b.x, c.x))
    let highY = min(Float(height - 1), max(a.y, b.y, c.y))
    guard lowX <= highX, lowY <= highY else { return }
    let ia = 1 / a.z
    let ib = 1 / b.z
    let ic = 1 / c.z
    // weights of b and c as planes over the picture
    let bx = (c.y - a.y) / area
    let by = -(c.x - a.x) / area
    let gx = -(b.y - a.y) / area
    let gy = (b.x - a.x) / area
    for y in Int(lowY)...Int(highY) {
      let row = depth + y &* width
      let dy = Float(y) - a.y
      for x in Int(lowX)...Int(highX) {
        let dx = Float(x) - a.x
        let wb = bx * dx + by * dy
        let wc = gx * dx + gy * dy
        if wb < 0 || wc < 0 || wb + wc > 1 { continue }
        let z = 1 / (ia + wb * (ib - ia) + wc * (ic - ia))
        if z < row[x] { row[x] = z }
      }
    }
  }

  /// 1 where within `radius` pixels the depth differs by more than `jump` or there is nothing at all, else 0.
  func unsafePixels(radius: Int, jump: Float) -> [UInt8] {
    let low = Self.filtered(depth, width, height, radius) { Swift.min($0, $1) }
    let high = Self.filtered(depth, width, height, radius) { Swift.max($0, $1) }
    return zip(low, high).map { $1 - $0 > jump || !$1.isFinite ? 1 : 0 }
  }

  /// A running minimum or maximum over a square window, one axis at a time.
  private static func filtered(
    _ values: [Float], _ width: Int, _ height: Int, _ radius: Int, _ pick: (Float, Float) -> Float
  ) -> [Float] {
    var rows = values
    for y in 0..<height {
      let base = y * width
      for x in 0..<width {
        var v = values[base + x]
        for other in max(0, x - radius)...min(width - 1, x + radius) { v = pick(v, values[base + other]) }
        rows[base + x] = v
      }
    }
    var out = rows
    for y in 0..<height {
      for other in max(0, y - radius)...min(height - 1, y + radius) where other != y {
        for x in 0..<width { out[y * width + x] = pick(out[y * width + x], rows[other * width + x]) }
      }
    }
    return out
  }
}
