import Imaging

/// Whether what looks like the background has its structure too: a grey lid before a grey disc has the disc's colour, but
/// not its grain. Normalised cross-correlation of brightness over small windows (J. P. Lewis, "Fast Normalized
/// Cross-Correlation", 1995), over the pixels that may be background.
struct BackgroundLikeness {
  /// Windows reach so many pixels to every side.
  static let reach = 6
  private let width: Int
  private let height: Int
  /// Sums of count, seen, expected and their products over all pixels above and to the left.
  private var sums: [SIMD8<Double>]

  /// Compares what is seen with what is expected, brightness in row-major order; where nothing is expected, or the
  /// picture shows something else anyway, `expected` is NaN.
  init(width: Int, height: Int, seen: [Float], expected: [Float]) {
    self.width = width
    self.height = height
    let stride = width + 1
    sums = [SIMD8<Double>](repeating: .zero, count: stride * (height + 1))
    sums.withUnsafeMutableBufferPointer { sums in
      for y in 0..<height {
        var row = SIMD8<Double>.zero
        for x in 0..<width {
          let e = Double(expected[y * width + x])
          if !e.isNaN {
            let s = Double(seen[y * width + x])
            row += SIMD8(1, s, e, s * s, e * e, s * e, 0, 0)
          }
          sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1] + row
        }
      }
    }
  }

  /// For each pixel the best correlation of a window that covers it, -1…1; 0 where too little is known.
  func correlations() -> [Float] {
    var own = [Float](repeating: 0, count: width * height)
    for y in 0..<height {
      for x in 0..<width { own[y * width + x] = correlation(x, y) }
    }
    return Self.maxima(of: Self.maxima(of: own, width, height, step: 1), width, height, step: width)
  }

  private func correlation(_ x: Int, _ y: Int) -> Float {
    let r = Self.reach
    let (x0, x1) = (max(x - r, 0), min(x + r + 1, width))
    let (y0, y1) = (max(y - r, 0), min(y + r + 1, height))
    let stride = width + 1
    let s = sums[y1 * stride + x1] - sums[y1 * stride + x0] - sums[y0 * stride + x1] + sums[y0 * stride + x0]
    let n = s[0]
    guard n >= 0.3 * Double((2 * r + 1) * (2 * r + 1)) else { return 0 }
    let seen = s[3] - s[1] * s[1] / n
    let expected = s[4] - s[2] * s[2] / n
    let both = s[5] - s[1] * s[2] / n
    guard seen > 0.1 * n, expected > 0.1 * n else { return 0 }
    return Float(both / (seen * expected).squareRoot())
  }

  /// The largest value within reach along one axis.
  private static func maxima(of plane: [Float], _ width: Int, _ height: Int, step: Int) -> [Float] {
    var out = plane
    for y in 0..<height {
      for x in 0..<width {
        let i = y * width + x
        let (place, length) = step == 1 ? (x, width) : (y, height)
        for d in max(-reach, -place)...min(reach, length - 1 - place) { out[i] = max(out[i], plane[i + d * step]) }
      }
    }
    return out
  }
}
