import Imaging
import Session

/// Says whether an object is worth turning over: a turned-over pass is registered to the others by what can be told apart
/// on the object, so it needs texture, and texture that does not repeat.
package struct FlipAdvisor: Sendable {
  /// What one stop looked like: the pattern in the object's middle, and how much of that there is.
  private struct Look: Sendable {
    var turntable: Double
    var pattern: FlipPattern
    var textured: Double
  }
  private var looks: [Look] = []
  private var size: (width: Int, height: Int)?
  private static let side = 24

  /// An advisor who has seen nothing yet.
  package init() {}

  /// Forgets the pass before.
  package mutating func reset() { self = FlipAdvisor() }

  /// Takes a kept picture into account; `region` is where the object is in it.
  package mutating func add(_ image: RGBImage, in region: PixelRect, turntable: Angle) {
    let middle = region.shrunk(to: 0.5)
    // patterns are compared at one scale: a box is wider where its edge points at the camera
    let size = size ?? (middle.width, middle.height)
    self.size = size
    let window = middle.centred(width: size.width, height: size.height, in: image)
    looks.append(
      Look(
        turntable: turntable.degrees,
        pattern: FlipPattern(Self.cells(image, window, side: FlipPattern.side)),
        textured: Self.textured(Self.cells(image, middle, side: Self.side))))
  }

  /// The advice after pass `pass` of `passes`, the kinds of the passes so far being `kinds`.
  package func advice(after kinds: [PassKind]) -> PassAdvice {
    let texture = looks.map(\.textured).sorted()
    let median = texture.isEmpty ? 1 : texture[texture.count / 2]
    if median < 0.2 {
      return PassAdvice(
        choice: .height, reason: "the object has too little texture to register a turned-over pass to this one",
        isFlippable: false)
    }
    if let what = repetition() {
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

  /// How the views from different sides repeat, in words, or nil where they do not.
  private func repetition() -> String? {
    guard looks.count >= 8 else { return nil }
    var repeating: [Double] = []
    var differing: [Double] = []
    for lag in 1...looks.count / 2 {
      let degrees = Self.turned(looks[0].turntable, looks[lag].turntable)
      // views a little apart share what they see
      if degrees < 40 || degrees > 320 { continue }
      let alike = looks.indices.map { i in looks[i].pattern.likeness(to: looks[(i + lag) % looks.count].pattern) }
      if alike.sorted()[alike.count / 2] > 0.6 { repeating.append(degrees) } else { differing.append(degrees) }
    }
    if repeating.isEmpty { return nil }
    if differing.isEmpty { return "the object looks the same all around" }
    if let folds = Self.folds(repeating, differing, step: 360 / Double(looks.count)) {
      return "the object's pattern repeats every \(Int((360 / Double(folds)).rounded()))°"
    }
    return "some sides of the object look like one another"
  }

  /// How often the pattern is there around the object: what repeats after an angle repeats after each of its multiples,
  /// and after nothing else, or it is but a likeness of some sides.
  private static func folds(_ repeating: [Double], _ differing: [Double], step: Double) -> Int? {
    (2...18).first { folds in
      let period = 360 / Double(folds)
      func distance(_ angle: Double) -> Double { abs(angle - (angle / period).rounded() * period) }
      // patterns may be shifted against each other, so that what is nearly a period looks like one
      return repeating.allSatisfy { distance($0) <= max(15, step / 2) + 1 }
        && differing.allSatisfy { distance($0) > step / 2 - 1 }
    }
  }

  private static func turned(_ from: Double, _ to: Double) -> Double {
    let d = (to - from).truncatingRemainder(dividingBy: 360)
    return d < 0 ? d + 360 : d
  }

  private static func cells(_ image: RGBImage, _ region: PixelRect, side: Int) -> [Float] {
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

  /// The share of neighbouring cells that differ by more than 4 % of the mean brightness, shading being smoother than
  /// that, in the middlemost of 25 blocks: outlines, handles and spouts cross some blocks of a plain thing, but not most.
  private static func textured(_ cells: [Float]) -> Double {
    let mean = max(1, cells.reduce(0, +) / Float(cells.count))
    var edges = [Int](repeating: 0, count: 25)
    for y in 0..<20 {
      for x in 0..<20 {
        let i = (y + 2) * side + x + 2
        // second differences: a slope of shading has none
        let dx = abs(cells[i - 1] - 2 * cells[i] + cells[i + 1])
        let dy = abs(cells[i - side] - 2 * cells[i] + cells[i + side])
        if max(dx, dy) > 0.04 * mean { edges[y / 4 * 5 + x / 4] += 1 }
      }
    }
    return Double(edges.sorted()[12]) / 16
  }
}
