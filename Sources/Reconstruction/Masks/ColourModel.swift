import CMasks
import Imaging

/// What colours the background has and what colours the object has, learned from the pictures themselves: whatever is
/// along the frame is background, whatever is not in its colours is object.
struct ColourModel {
  /// log p(colour | object) - log p(colour | background) for all colours, see `cmasks_odds_table`.
  private(set) var table: [Float]
  /// The share of pixels inside the frame that the background does not explain.
  let foregroundShare: Double

  private static let tableSize = 1 << (3 * Int(CMASKS_TABLE_BITS))

  /// Learns from pictures. Nil where background and object cannot be told apart by colour.
  init?(_ pictures: [RGBImage]) {
    var back = cmasks_mixture()
    let border = Self.samples(pictures) { _, x, y, w, h in
      let ring = max(2, min(w, h) / 50)
      return x < ring || y < ring || x >= w - ring || y >= h - ring
    }
    Self.fit(border, components: 5, &back)
    guard back.count > 0 else { return nil }
    let inside = Self.samples(pictures) { _, x, y, w, h in
      x > w / 10 && x < w - w / 10 && y > h / 10 && y < h - h / 10
    }
    Self.dropObjectColours(&back, border: border, inside: inside)
    self.init(back: &back, inside: inside, strange: -14)
    guard foregroundShare < 0.9 else { return nil }
  }

  /// Learns more than a `first` model from pictures of which `hulls` (one each, of its size) say where the object may be
  /// at all: 0 is surely background. Nil where background and object cannot be told apart by colour.
  init?(_ pictures: [RGBImage], off hulls: [GrayImage], first: ColourModel) {
    var back = cmasks_mixture()
    // what is next to the object matters most, and is seldom seen elsewhere: it shares the object's light
    let near = Self.samples(pictures) { i, x, y, w, h in
      hulls[i][x, y] == 0 && hulls[i].isSet(at: max(w, h) / 16, from: x, y)
    }
    let outside = near + Self.samples(pictures) { i, x, y, _, _ in hulls[i][x, y] == 0 }
    Self.fit(outside, components: CMASKS_COMPONENTS, &back)
    guard back.count > 0 else { return nil }
    let inside = Self.samples(pictures) { i, x, y, _, _ in hulls[i][x, y] != 0 }
    self.init(back: &back, inside: inside, strange: -18)
    // the frame knows less of the background, but the hull holds some of it too: neither is right alone
    for i in table.indices { table[i] = (table[i] + first.table[i]) / 2 }
  }

  /// Learns from pictures of which some pixels (the picture's index, column, row) are known to be the object's, and some to
  /// be background; of those the ones next to `hulls` (one each, of its size) count. Nil where either is too little.
  init?(
    _ pictures: [RGBImage], hulls: [GrayImage], object: (Int, Int, Int) -> Bool, background: (Int, Int, Int) -> Bool
  ) {
    var (front, back) = (cmasks_mixture(), cmasks_mixture())
    let own = Self.samples(pictures) { i, x, y, _, _ in object(i, x, y) }
    let others = Self.samples(pictures) { i, x, y, w, h in
      hulls[i][x, y] == 0 && hulls[i].isSet(at: max(w, h) / 16, from: x, y) && background(i, x, y)
    }
    guard own.count >= 300, others.count >= 300 else { return nil }
    Self.fit(own, components: 6, &front)
    Self.fit(others, components: CMASKS_COMPONENTS, &back)
    self.init(front: &front, back: &back, foregroundShare: Double(own.count) / Double(own.count + others.count))
  }

  private init(front: inout cmasks_mixture, back: inout cmasks_mixture, foregroundShare: Double) {
    table = [Float](unsafeUninitializedCapacity: Self.tableSize) { buffer, count in
      cmasks_odds_table(&front, &back, 0.02, 5, buffer.baseAddress)
      count = Self.tableSize
    }
    self.foregroundShare = foregroundShare
  }

  /// Learns the object's colours as what is `inside` and less likely than `strange` to be background (a log density: -14
  /// is four to five standard deviations off every background colour).
  private init?(back: inout cmasks_mixture, inside: [Float], strange limit: Float) {
    let strange = stride(from: 0, to: inside.count, by: 3).filter { i in
      let x = [inside[i], inside[i + 1], inside[i + 2]]
      return cmasks_log_density(&back, x) < limit
    }
    let share = Double(strange.count) / Double(max(1, inside.count / 3))
    guard strange.count >= 100, share > 0.003 else { return nil }
    var front = cmasks_mixture()
    Self.fit(strange.flatMap { inside[$0..<$0 + 3] }, components: 6, &front)
    self.init(front: &front, back: &back, foregroundShare: share)
  }

  /// The object may reach the frame in a few pictures: colours rare along the frame and common inside are its own.
  private static func dropObjectColours(_ back: inout cmasks_mixture, border: [Float], inside: [Float]) {
    let count = Int(back.count)
    func shares(_ samples: [Float]) -> [Double] {
      var shares = [Double](repeating: 0, count: count)
      for i in stride(from: 0, to: samples.count, by: 3) {
        let x = [samples[i], samples[i + 1], samples[i + 2]]
        let component = Int(cmasks_component(&back, x))
        if component >= 0 { shares[component] += 3 / Double(samples.count) }
      }
      return shares
    }
    let (along, within) = (shares(border), shares(inside))
    var kept: UInt32 = 0
    for c in 0..<count where along[c] > 0.1 || within[c] < 2 * along[c] { kept |= 1 << UInt32(c) }
    if kept != 0 { cmasks_keep(&back, kept) }
  }

  /// About 60 000 colours in root steps from the places where `isWanted(picture, x, y, width, height)`.
  private static func samples(_ pictures: [RGBImage], _ isWanted: (Int, Int, Int, Int, Int) -> Bool) -> [Float] {
    var samples: [Float] = []
    let each = max(200, 60_000 / max(1, pictures.count))
    for (i, picture) in pictures.enumerated() {
      var places: [Int] = []
      let step = max(1, Int(Double(picture.width * picture.height / 40_000).squareRoot()))
      for y in stride(from: 0, to: picture.height, by: step) {
        for x in stride(from: 0, to: picture.width, by: step) where isWanted(i, x, y, picture.width, picture.height) {
          places.append(y * picture.width + x)
        }
      }
      let skip = max(1, places.count / each)
      for i in stride(from: 0, to: places.count, by: skip) {
        for channel in 0..<3 { samples.append(cmasks_root(picture.bytes[3 * places[i] + channel])) }
      }
    }
    return samples
  }

  private static func fit(_ samples: [Float], components: Int32, _ mixture: inout cmasks_mixture) {
    var labels = [UInt8](repeating: 0, count: samples.count / 3)
    cmasks_fit(samples, samples.count / 3, components, 12, 1, &labels, &mixture)
  }
}

extension Plane<UInt8> {
  /// Whether the mask is set somewhere about `distance` from a pixel, looked up along eight directions.
  fileprivate func isSet(at distance: Int, from x: Int, _ y: Int) -> Bool {
    for (a, b) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)] {
      let (u, v) = (x + a * distance, y + b * distance)
      if u >= 0, v >= 0, u < width, v < height, self[u, v] != 0 { return true }
    }
    return false
  }
}
