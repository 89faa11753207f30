import CMasks
import Imaging

/// The room as one camera sees it while the table turns.
struct RoomModel: Sendable {
  private var picture: RGBImage
  /// 255 where the room is known.
  private var known: GrayImage

  /// From pictures without the object: what they agree on.
  init?(plates: [RGBImage]) {
    guard let first = plates.first else { return nil }
    picture = RoomModel.median(plates)
    known = GrayImage(width: first.width, height: first.height, fill: 255)
  }

  /// From the pictures of a pass: what most stops show. A place that never changes may be the room or the middle of an
  /// object that looks alike all around; it counts as room where it reaches the frame through places like it.
  init?(stops: [RGBImage]) {
    guard stops.count >= 6, let first = stops.first else { return nil }
    let median = RoomModel.median(stops)
    picture = median
    let (w, h) = (first.width, first.height)
    var still = GrayImage(width: w, height: h, fill: 0)
    var usual = still
    var agreement = [UInt16](repeating: 0, count: w * h)
    withBases(stops.map(\.bytes)) { bases in
      cmasks_agreement(bases, Int32(bases.count), median.bytes, w * h, 8, &agreement)
    }
    for i in 0..<w * h {
      let same = Int(agreement[i])
      if same >= stops.count - 1 {
        still.pixels[i] = 255
      } else if same * 10 >= 6 * stops.count {
        usual.pixels[i] = 255
      }
    }
    known = still.reachingTheFrame
    for i in 0..<w * h where usual.pixels[i] != 0 { known.pixels[i] = 255 }
  }

  /// From the pictures of a pass in which it is known, roughly, where the object is: 255 in `hidden`. A place is known by
  /// the stops that show it.
  init?(stops: [RGBImage], hidden: [GrayImage]) {
    guard stops.count >= 6, let first = stops.first else { return nil }
    picture = first
    known = GrayImage(width: first.width, height: first.height, fill: 0)
    let fewest = max(3, stops.count / 6)
    var values: [[UInt8]] = [[], [], []]
    for i in 0..<first.width * first.height {
      for c in 0..<3 { values[c].removeAll(keepingCapacity: true) }
      for (stop, hidden) in zip(stops, hidden) where hidden.pixels[i] == 0 {
        for c in 0..<3 { values[c].append(stop.bytes[3 * i + c]) }
      }
      guard values[0].count >= fewest else { continue }
      for c in 0..<3 {
        values[c].sort()
        picture.bytes[3 * i + c] = values[c][values[c].count / 2]
      }
      let middle = Int(picture.bytes[3 * i + 1])
      let agreeing = values[1].count { abs(Int($0) - middle) <= 8 }
      if agreeing * 10 >= 6 * values[1].count { known.pixels[i] = 255 }
    }
  }

  /// The room's colour at a pixel, or nil where it is not known.
  func colour(_ x: Int, _ y: Int) -> SIMD3<Float>? {
    known[x, y] == 0 ? nil : SIMD3<Float>(picture[x, y])
  }

  /// The median of each channel of each pixel.
  private static func median(_ pictures: [RGBImage]) -> RGBImage {
    var out = pictures[0]
    withBases(pictures.map(\.bytes)) { bases in
      cmasks_median(bases, Int32(bases.count), out.bytes.count, &out.bytes)
    }
    return out
  }
}

extension Plane<UInt8> {
  /// The parts of a mask that touch the picture's edge.
  var reachingTheFrame: GrayImage {
    var out = GrayImage(width: width, height: height, fill: 0)
    var stack: [Int] = []
    for i in 0..<width * height {
      let (x, y) = (i % width, i / width)
      guard pixels[i] != 0, x == 0 || y == 0 || x == width - 1 || y == height - 1 else { continue }
      out.pixels[i] = 255
      stack.append(i)
    }
    while let i = stack.popLast() {
      let x = i % width
      for (isInside, j) in [
        (x > 0, i - 1), (x + 1 < width, i + 1), (i >= width, i - width), (i + width < width * height, i + width)
      ]
      where isInside && pixels[j] != 0 && out.pixels[j] == 0 {
        out.pixels[j] = 255
        stack.append(j)
      }
    }
    return out
  }
}
