import CMasks
import Imaging

/// What colours the background has and what colours the object has, learned from the pictures themselves: whatever is
/// along the frame is background, whatever is not in its colours is object.
struct ColourModel {
  /// log p(colour | object) - log p(colour | background) for all colours, see `cmasks_odds_table`.
  let table: [Float]
  /// The share of pixels inside the frame that the background does not explain.
  let foregroundShare: Double

  private static let tableSize = 1 << (3 * Int(CMASKS_TABLE_BITS))

  /// Learns from pictures. Nil where background and object cannot be told apart by colour.
  init?(_ pictures: [RGBImage]) {
    var back = cmasks_mixture()
    let border = Self.samples(pictures) { x, y, w, h in
      let ring = max(2, min(w, h) / 50)
      return x < ring || y < ring || x >= w - ring || y >= h - ring
    }
    Self.fit(border, components: 5, &back)
    guard back.count > 0 else { return nil }
    let inside = Self.samples(pictures) { x, y, w, h in x > w / 10 && x < w - w / 10 && y > h / 10 && y < h - h / 10 }
    Self.dropObjectColours(&back, border: border, inside: inside)
    // a colour four to five standard deviations off every background colour
    let strange = stride(from: 0, to: inside.count, by: 3).filter { i in
      let x = [inside[i], inside[i + 1], inside[i + 2]]
      return cmasks_log_density(&back, x) < -14
    }
    foregroundShare = Double(strange.count) / Double(max(1, inside.count / 3))
    guard strange.count >= 100, (0.003...0.9).contains(foregroundShare) else { return nil }
    var front = cmasks_mixture()
    Self.fit(strange.flatMap { inside[$0..<$0 + 3] }, components: 6, &front)
    table = [Float](unsafeUninitializedCapacity: Self.tableSize) { buffer, count in
      cmasks_odds_table(&front, &back, 0.02, 5, buffer.baseAddress)
      count = Self.tableSize
    }
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

  /// About 60 000 colours in root steps from the places where `isWanted(x, y, width, height)`.
  private static func samples(_ pictures: [RGBImage], _ isWanted: (Int, Int, Int, Int) -> Bool) -> [Float] {
    var samples: [Float] = []
    let each = max(200, 60_000 / max(1, pictures.count))
    for picture in pictures {
      var places: [Int] = []
      let step = max(1, Int(Double(picture.width * picture.height / 40_000).squareRoot()))
      for y in stride(from: 0, to: picture.height, by: step) {
        for x in stride(from: 0, to: picture.width, by: step) where isWanted(x, y, picture.width, picture.height) {
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
