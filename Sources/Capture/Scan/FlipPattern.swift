/// The fine pattern of one view: what is left of its brightness without shading and colour.
struct FlipPattern: Sendable {
  /// Cells along each side.
  static let side = 48
  /// How far two views may be shifted against each other: an object that stands beside the axis sways, and stops seldom
  /// are whole multiples of what repeats.
  private static let reach = (x: 8, y: 3)
  private static let smoothing = 4

  private let cells: [Float]

  /// The pattern in `side` × `side` cells of brightness.
  init(_ brightness: [Float]) {
    let n = Self.side
    let r = Self.smoothing
    var cells = brightness
    for y in 0..<n {
      for x in 0..<n {
        var sum: Float = 0
        for v in y - r...y + r {
          let row = min(n - 1, max(0, v)) * n
          for u in x - r...x + r { sum += brightness[row + min(n - 1, max(0, u))] }
        }
        cells[y * n + x] -= sum / Float((2 * r + 1) * (2 * r + 1))
      }
    }
    self.cells = cells
  }

  /// How alike two patterns are where they fit best: the normalised correlation, 1 for the same.
  func likeness(to other: FlipPattern) -> Float {
    var best: Float = 0
    for dy in -Self.reach.y...Self.reach.y {
      for dx in -Self.reach.x...Self.reach.x { best = max(best, correlation(other, dx, dy)) }
    }
    return best
  }

  private func correlation(_ other: FlipPattern, _ dx: Int, _ dy: Int) -> Float {
    let n = Self.side
    var product: Float = 0
    var mine: Float = 0
    var theirs: Float = 0
    cells.withUnsafeBufferPointer { a in
      other.cells.withUnsafeBufferPointer { b in
        for y in Self.reach.y..<n - Self.reach.y {
          for x in Self.reach.x..<n - Self.reach.x {
            let p = a[y &* n &+ x]
            let q = b[(y &+ dy) &* n &+ x &+ dx]
            product += p * q
            mine += p * p
            theirs += q * q
          }
        }
      }
    }
    return product / max(1e-6, (mine * theirs).squareRoot())
  }
}
