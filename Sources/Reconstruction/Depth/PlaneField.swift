import CDepth
import Imaging

/// A window of a view's picture at some level, with a surface hypothesis for each of its pixels.
struct PlaneField: Sendable {
  /// How often the picture is halved.
  var level: Int
  /// The pinhole of the whole picture at that level.
  var lens: Lens
  /// The window's first column and row in the whole picture.
  var x0: Int, y0: Int
  /// The window's size.
  var columns: Int, rows: Int
  /// 255 where a depth is wanted.
  var mask: [UInt8]
  /// The largest inverse depth that is possible at each pixel; 0 where none is.
  var nearest: [Float]
  /// The smallest inverse depth that is possible at each pixel.
  var farthest: [Float]
  /// The hypotheses; an inverse depth of 0 means none.
  var planes: [cdepth_plane]
  /// The matching cost of each hypothesis.
  var cost: [Float]
  /// Which of the sources are worth evaluating at each pixel, a bit each.
  var chosen: [UInt8]

  /// The number of pixels.
  var count: Int { columns * rows }

  /// Takes the kernel's view of the field, over the whole picture's `pixels`, for the time of the call.
  mutating func withKernelView<Value>(
    _ pixels: UnsafePointer<UInt16>?, _ body: (inout cdepth_view) -> Value
  ) -> Value {
    let (lens, x0, y0, columns, rows) = (lens, x0, y0, columns, rows)
    return mask.withUnsafeBufferPointer { mask in
      nearest.withUnsafeBufferPointer { nearest in
        farthest.withUnsafeBufferPointer { farthest in
          planes.withUnsafeMutableBufferPointer { planes in
            cost.withUnsafeMutableBufferPointer { cost in
              chosen.withUnsafeMutableBufferPointer { chosen in
                var view = cdepth_view(
                  pixels: pixels, width: Int32(lens.width), height: Int32(lens.height), x0: Int32(x0), y0: Int32(y0),
                  columns: Int32(columns), rows: Int32(rows), mask: mask.baseAddress, nearest: nearest.baseAddress,
                  farthest: farthest.baseAddress, planes: planes.baseAddress, cost: cost.baseAddress,
                  chosen: chosen.baseAddress, fx: Float(lens.fx), fy: Float(lens.fy), cx: Float(lens.cx),
                  cy: Float(lens.cy))
                return body(&view)
              }
            }
          }
        }
      }
    }
  }
}

extension PlaneField {
  /// A field whose hypotheses are still to be found: the window is where `mask` and `range` leave something.
  init?(level: Int, lens: Lens, mask: GrayImage, range: HullRange) {
    guard let window = range.window else { return nil }
    let shift = range.level - level
    (self.level, self.lens) = (level, lens)
    (x0, y0) = (window.columns.lowerBound << shift, window.rows.lowerBound << shift)
    // odd sizes lose a row or column at each halving: the last coarse pixel stands for it too
    let right = window.columns.upperBound + 1 < range.columns ? (window.columns.upperBound + 1) << shift : lens.width
    let bottom = window.rows.upperBound + 1 < range.rows ? (window.rows.upperBound + 1) << shift : lens.height
    (columns, rows) = (min(right, lens.width) - x0, min(bottom, lens.height) - y0)
    let count = columns * rows
    self.mask = [UInt8](repeating: 0, count: count)
    nearest = [Float](repeating: 0, count: count)
    farthest = nearest
    for row in 0..<rows {
      for column in 0..<columns {
        let limits = range.at(x0 + column, y0 + row, level: level)
        let i = row * columns + column
        nearest[i] = limits.nearest
        farthest[i] = limits.farthest
        if limits.nearest > 0 { self.mask[i] = mask.pixels[(y0 + row) * mask.width + x0 + column] }
      }
    }
    planes = [cdepth_plane](repeating: cdepth_plane(), count: count)
    cost = [Float](repeating: 2, count: count)
    chosen = [UInt8](repeating: 0xff, count: count)
  }

  /// Starts every pixel with a plane at a random depth of its range, facing a random way.
  mutating func initialise(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let unit = 1 / Float(lens.fx)
    for i in 0..<count where mask[i] != 0 {
      // the surface is more often near the front of the hull than deep inside
      let depth = random.unit() * random.unit()
      let w = nearest[i] + (farthest[i] - nearest[i]) * depth
      planes[i] = cdepth_plane(w: w, wx: w * unit * (2 * random.unit() - 1), wy: w * unit * (2 * random.unit() - 1))
    }
  }

  /// Starts every pixel with the plane of the coarser level's pixel that covers it, or of the nearest that has one.
  mutating func initialise(from coarse: PlaneField, seed: UInt64) {
    initialise(seed: seed)
    for row in 0..<rows {
      for column in 0..<columns {
        let i = row * columns + column
        guard mask[i] != 0 else { continue }
        let cx = (x0 + column) / 2 - coarse.x0
        let cy = (y0 + row) / 2 - coarse.y0
        guard let (x, y) = coarse.known(near: cx, cy) else { continue }
        let plane = coarse.planes[y * coarse.columns + x]
        let dx = (Float(x0 + column) + 0.5) / 2 - 0.5 - Float(coarse.x0 + x)
        let dy = (Float(y0 + row) + 0.5) / 2 - 0.5 - Float(coarse.y0 + y)
        let w = plane.w + plane.wx * dx + plane.wy * dy
        planes[i] = cdepth_plane(
          w: Swift.min(Swift.max(w, farthest[i]), nearest[i]), wx: plane.wx / 2, wy: plane.wy / 2)
      }
    }
  }

  /// Gives up what only matching needs, to hold the planes of many views at once.
  mutating func forgetLimits() {
    nearest = []
    farthest = []
    chosen = []
  }

  private func known(near x: Int, _ y: Int) -> (Int, Int)? {
    for (dx, dy) in [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)] {
      let (a, b) = (x + dx, y + dy)
      if a >= 0, b >= 0, a < columns, b < rows, planes[b * columns + a].w > 0, mask[b * columns + a] != 0 {
        return (a, b)
      }
    }
    return nil
  }
}

/// A small, fast, seedable generator (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Uniform in 0 ..< 1.
  mutating func unit() -> Float {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Float((z ^ (z >> 31)) >> 40) / Float(1 << 24)
  }
}
