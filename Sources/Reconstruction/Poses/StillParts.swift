import CMasks
import Imaging

/// Tells what turns with the table from the room, which stands still: a place whose brightness stays the same at all stops
/// of a pass shows the room, or something as plain as it.
struct StillParts {
  /// The pictures are compared at this many halvings more than the feature level.
  static let extraLevels = 2

  /// For each view a mask of what changes within its pass as its camera sees it, 255 where it does.
  static func moving(_ set: ViewSet, _ planes: [Plane<UInt16>]) -> [GrayImage] {
    var groups: [[Int]: [Int]] = [:]
    for view in set.views { groups[[view.pass, view.side], default: []].append(view.index) }
    var masks = [GrayImage](repeating: GrayImage(width: 0, height: 0, fill: 0), count: planes.count)
    for (_, views) in groups.sorted(by: { ($0.key[0], $0.key[1]) < ($1.key[0], $1.key[1]) }) {
      let small = views.map { view in (0..<extraLevels).reduce(planes[view]) { plane, _ in plane.halved } }
      let mask = moving(small)
      for view in views { masks[view] = mask }
    }
    return masks
  }

  private static func moving(_ pictures: [Plane<UInt16>]) -> GrayImage {
    let (w, h) = (pictures[0].width, pictures[0].height)
    var mask = GrayImage(width: w, height: h, fill: 255)
    // with few stops nothing can be said
    guard pictures.count >= 5 else { return mask }
    var range = [UInt16](repeating: 0, count: w * h)
    withBases(pictures.map(\.pixels)) { bases in
      // the outermost values may be a speck of noise: the kernel leaves them out
      cmasks_range(bases, Int32(bases.count), w * h, &range)
    }
    for i in 0..<w * h { mask.pixels[i] = range[i] > 10 * 256 ? 255 : 0 }
    return mask.grown(by: 2)
  }
}

extension Plane<UInt8> {
  /// 255 wherever a pixel that is not 0 is within `radius` columns and rows.
  func grown(by radius: Int) -> GrayImage {
    var across = self
    for y in 0..<height {
      for x in 0..<width {
        let (l, r) = (Swift.max(0, x - radius), Swift.min(width - 1, x + radius))
        across.pixels[y * width + x] = pixels[y * width + l...y * width + r].contains { $0 != 0 } ? 255 : 0
      }
    }
    var out = across
    for y in 0..<height {
      for x in 0..<width {
        let (t, b) = (Swift.max(0, y - radius), Swift.min(height - 1, y + radius))
        out.pixels[y * width + x] = (t...b).contains { across.pixels[$0 * width + x] != 0 } ? 255 : 0
      }
    }
    return out
  }
}
