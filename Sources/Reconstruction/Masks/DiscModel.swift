import Imaging

/// The turntable's disc as a picture from above, a texel a millimetre, put together from pictures of it whose poses are
/// known: what is usually seen at a place of the disc is the disc, as long as nothing stands before it too often.
struct DiscModel: Sendable {
  private let radius: Int
  private var colours: [SIMD3<Float>]
  private var isKnown: [Bool]

  /// One picture of the disc: its camera takes the disc's frame (the table's frame turned along) to pixels.
  struct Source: Sendable {
    var picture: RGBImage
    var camera: Camera
  }

  /// Builds the model. A place is known where at least `least` pictures show it and most of them agree.
  init(_ sources: [Source], radius: Double, least: Int, threads: Int) {
    let reach = Int(radius)
    self.radius = reach
    let side = 2 * reach + 1
    let rows = Slots<[SIMD4<Float>]>(count: side)
    Parallel.forEach(side, threads: threads) { row in
      var line = [SIMD4<Float>](repeating: .zero, count: side)
      var channels: [[Float]] = [[], [], []]
      for column in 0..<side {
        let place = SIMD3(Double(column - reach), 0, Double(row - reach))
        guard place.length < radius - 1 else { continue }
        for c in 0..<3 { channels[c].removeAll(keepingCapacity: true) }
        for source in sources {
          guard let p = source.camera.pixel(place), let colour = source.picture.near(p) else { continue }
          for c in 0..<3 { channels[c].append(colour[c]) }
        }
        guard channels[0].count >= least else { continue }
        for c in 0..<3 { channels[c].sort() }
        let middle = channels[0].count / 2
        let median = SIMD3(channels[0][middle], channels[1][middle], channels[2][middle])
        // the middle half must agree, or something stands here too often
        let spread = channels[1][channels[1].count * 3 / 4] - channels[1][channels[1].count / 4]
        let isAgreed = spread < 16 + 0.2 * median.y
        line[column] = SIMD4(median, isAgreed ? 1 : 0)
      }
      rows[row] = line
    }
    let all = rows.values.joined()
    colours = all.map { SIMD3($0.x, $0.y, $0.z) }
    isKnown = all.map { $0.w > 0 }
  }

  /// The disc's colour at a place (x, z) in its frame, or nil where it is not known.
  func colour(_ x: Double, _ z: Double) -> SIMD3<Float>? {
    let side = 2 * radius + 1
    let place = SIMD2(x + Double(radius), z + Double(radius))
    guard let (column, row) = place.nearestPixel(width: side, height: side), isKnown[row * side + column] else {
      return nil
    }
    return colours[row * side + column]
  }
}

extension RGBImage {
  /// The colour of the pixel nearest to a place, or nil outside.
  func near(_ p: SIMD2<Double>) -> SIMD3<Float>? {
    p.nearestPixel(width: width, height: height).map { SIMD3<Float>(self[$0.x, $0.y]) }
  }
}
