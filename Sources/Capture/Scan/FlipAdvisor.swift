import Imaging
import Session

#if canImport(Glibc)
  import Glibc
#endif

/// Says whether an object is worth turning over: a turned-over pass is registered to the others by what can be told apart
/// on the object, so it needs texture, and texture that does not repeat.
struct FlipAdvisor: Sendable {
  /// What one stop looked like: brightness of the object's middle on a small grid.
  private struct Look: Sendable {
    var turntable: Double
    var cells: [Float]
    var textured: Double
  }
  private var looks: [Look] = []
  private static let side = 24

  /// Forgets the pass before.
  mutating func reset() { looks = [] }

  /// Takes a kept picture into account; `region` is where the object is in it.
  mutating func add(_ image: RGBImage, in region: PixelRect, turntable: Angle) {
    let middle = region.shrunk(to: 0.5)
    let cells = Self.cells(image, middle)
    looks.append(Look(turntable: turntable.degrees, cells: cells, textured: Self.textured(cells)))
  }

  /// The advice after pass `pass` of `passes`, the kinds of the passes so far being `kinds`.
  func advice(after kinds: [PassKind]) -> PassAdvice {
    let texture = looks.map(\.textured).sorted()
    let median = texture.isEmpty ? 1 : texture[texture.count / 2]
    if median < 0.10 {
      return PassAdvice(
        choice: .height, reason: "the object has too little texture to register a turned-over pass to this one",
        isFlippable: false)
    }
    if let period = repetition() {
      let what = period == 0 ? "the object looks the same all around" : "the object's pattern repeats every \(period)°"
      return PassAdvice(
        choice: .height, reason: "\(what): a turned-over pass could not be registered to this one", isFlippable: false)
    }
    if kinds.contains(.flip) {
      return PassAdvice(
        choice: .height, reason: "both sides have been seen; a steeper view fills hollows and the top",
        isFlippable: true)
    }
    return PassAdvice(
      choice: .flipped, reason: "well textured: turn it over so that its underside is seen", isFlippable: true)
  }

  /// The angle in whole degrees after which the views repeat, 0 where they hardly differ at all, or nil.
  private func repetition() -> Int? {
    guard looks.count >= 8, let count = looks.first?.cells.count else { return nil }
    var mean = [Float](repeating: 0, count: count)
    for look in looks { for i in 0..<count { mean[i] += look.cells[i] / Float(looks.count) } }
    let deviations = looks.map { look in (0..<count).map { look.cells[$0] - mean[$0] } }
    let energies = deviations.map { d in d.reduce(0) { $0 + $1 * $1 } }
    let average = mean.reduce(0, +) / Float(count)
    let contrast = mean.reduce(0) { $0 + ($1 - average) * ($1 - average) }
    let variation = energies.reduce(0, +) / Float(looks.count)
    // noise of a cell's mean is far below one grey level
    if variation < Float(count) * 4 || variation < 0.02 * contrast { return 0 }
    for lag in 1..<looks.count {
      let degrees = Self.turned(looks[0].turntable, looks[lag].turntable)
      if degrees < 30 || degrees > 330 { continue }
      var sum: Float = 0
      var norm: Float = 0
      for i in looks.indices {
        let j = (i + lag) % looks.count
        for k in 0..<count { sum += deviations[i][k] * deviations[j][k] }
        norm += (energies[i] * energies[j]).squareRoot()
      }
      if norm > 0, sum / norm > 0.8 { return Int(degrees.rounded()) }
    }
    return nil
  }

  private static func turned(_ from: Double, _ to: Double) -> Double {
    let d = (to - from).truncatingRemainder(dividingBy: 360)
    return d < 0 ? d + 360 : d
  }

  private static func cells(_ image: RGBImage, _ region: PixelRect) -> [Float] {
    var cells = [Float](repeating: 0, count: side * side)
    image.bytes.withUnsafeBufferPointer { bytes in
      for row in 0..<side {
        let y0 = region.y + region.height * row / side
        let y1 = max(y0 + 1, region.y + region.height * (row + 1) / side)
        for column in 0..<side {
          let x0 = region.x + region.width * column / side
          let x1 = max(x0 + 1, region.x + region.width * (column + 1) / side)
          var sum = 0
          for y in y0..<min(y1, image.height) {
            for x in x0..<min(x1, image.width) { sum &+= Int(bytes[3 &* (y &* image.width &+ x) &+ 1]) }
          }
          cells[row * side + column] = Float(sum) / Float((y1 - y0) * (x1 - x0))
        }
      }
    }
    return cells
  }

  /// The share of neighbouring cells that differ by more than 4 % of the mean brightness: shading is smoother than that.
  private static func textured(_ cells: [Float]) -> Double {
    let mean = max(1, cells.reduce(0, +) / Float(cells.count))
    var edges = 0
    for y in 1..<side - 1 {
      for x in 1..<side - 1 {
        let i = y * side + x
        // second differences: a slope of shading has none
        let dx = abs(cells[i - 1] - 2 * cells[i] + cells[i + 1])
        let dy = abs(cells[i - side] - 2 * cells[i] + cells[i + side])
        if max(dx, dy) > 0.04 * mean { edges += 1 }
      }
    }
    return Double(edges) / Double((side - 2) * (side - 2))
  }
}
