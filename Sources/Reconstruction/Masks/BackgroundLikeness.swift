import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// Whether what looks like the background is the background: has its structure, in the light that its surroundings are
/// in. A grey lid before a grey disc has the disc's colour, but not its grain; a shadow on the disc is darker, but evenly so.
///
/// Normalised cross-correlation of brightness over small windows (J. P. Lewis, "Fast Normalized Cross-Correlation", 1995),
/// over the pixels that may be background; then each pixel is held against the light of the windows it lies in.
struct BackgroundLikeness {
  /// Windows reach so many pixels to every side.
  static let reach = 6
  private let width: Int
  private let height: Int
  private let seen: [SIMD3<Float>]
  /// What is expected of each pixel, and within which limits where it may be off by a fraction of a pixel.
  private let expected, least, most: [SIMD3<Float>]

  /// A window as it is matched: how well its structure is the background's, and how bright it is in proportion.
  private struct Window {
    var correlation: Float
    var gain: Float
  }

  /// Compares what is seen with what is expected, in row-major order; NaN where nothing is known.
  init(width: Int, height: Int, seen: [SIMD3<Float>], expected: [SIMD3<Float>]) {
    self.width = width
    self.height = height
    self.seen = seen
    self.expected = expected
    (least, most) = Self.limits(expected, width, height)
  }

  /// The log-odds of each pixel for the object; NaN where nothing is expected. Colours tell; one like the background's
  /// counts in full only where the background's structure is there as well. How like the background itself is, with this
  /// light and this sensor, is what most of the pixels show; where it has no structure at all, colour has to do.
  func odds() -> [Float] {
    var odds = expected.indices.map { expected[$0].x.isNaN ? Float.nan : byColour($0, gains: 0.88...1.12) }
    // only what has the background's colour, if it may be shadowed, is compared
    let isAlike = expected.indices.map { !expected[$0].x.isNaN && byColour($0, gains: 0.35...1.12) < 0 }
    let windows = matchedWindows(over: isAlike)
    let sorted = isAlike.indices.filter { isAlike[$0] }.map { windows[$0].correlation }.sorted()
    guard let usual = sorted.isEmpty ? nil : sorted[sorted.count / 2], usual > 0.3 else { return odds }
    for y in 0..<height {
      for x in 0..<width where isAlike[y * width + x] {
        let i = y * width + x
        odds[i] = settled(x, y, byColour: odds[i], windows, usual: usual)
      }
    }
    return odds
  }

  /// How much a pixel's colour alone speaks against what is expected; the light may differ a little.
  private func byColour(_ i: Int, gains: ClosedRange<Float>) -> Float {
    let nearest = seen[i].clamped(lowerBound: least[i], upperBound: most[i])
    let gain = min(
      gains.upperBound, max(gains.lowerBound, (seen[i].dot(nearest) + 20) / (nearest.dot(nearest) + 20)))
    return against(i, gain: gain, noise: 5 + 0.05 * expected[i].max())
  }

  /// How much a pixel speaks against what is expected in a light of `gain`. To be within wide limits says little.
  private func against(_ i: Int, gain: Float, noise: Float) -> Float {
    let difference = seen[i] - seen[i].clamped(lowerBound: gain * least[i], upperBound: gain * most[i])
    let width = gain * (most[i] - least[i]).max()
    return min(4, 1.2 * difference.dot(difference) / (noise * noise) - max(0, 3 - log(1 + width / noise)))
  }

  /// The odds of a pixel: background where it fits one of the windows that cover it, both in structure and in light.
  private func settled(_ x: Int, _ y: Int, byColour: Float, _ windows: [Window], usual: Float) -> Float {
    let r = Self.reach
    let i = y * width + x
    let noise = 3 + 0.02 * expected[i].max()
    var trust: Float = 0.1
    var best: Float = 0
    for v in [max(y - r, 0), y, min(y + r, height - 1)] {
      for u in [max(x - r, 0), x, min(x + r, width - 1)] {
        let window = windows[v * width + u]
        let likeness = min(1, max(0, (window.correlation / usual - 0.7) / 0.2))
        guard likeness > 0 else { continue }
        trust = max(trust, likeness)
        best = min(best, likeness * against(i, gain: window.gain, noise: noise))
      }
    }
    if best < 0 { return best }
    // its surroundings are background, and it is not
    return byColour < 0 ? 0.1 * byColour + trust : byColour
  }

  /// What is expected within about half a pixel of each pixel, per channel.
  private static func limits(
    _ expected: [SIMD3<Float>], _ width: Int, _ height: Int
  ) -> (least: [SIMD3<Float>], most: [SIMD3<Float>]) {
    var (least, most) = (expected, expected)
    for y in 0..<height {
      for x in 0..<width where !expected[y * width + x].x.isNaN {
        let i = y * width + x
        for v in max(0, y - 1)...min(height - 1, y + 1) {
          for u in max(0, x - 1)...min(width - 1, x + 1) where !expected[v * width + u].x.isNaN {
            least[i] = pointwiseMin(least[i], expected[v * width + u])
            most[i] = pointwiseMax(most[i], expected[v * width + u])
          }
        }
        least[i] = expected[i] + 0.6 * (least[i] - expected[i])
        most[i] = expected[i] + 0.6 * (most[i] - expected[i])
      }
    }
    return (least, most)
  }

  // MARK: windows

  /// The window around each pixel; no correlation where too little is known.
  private func matchedWindows(over isAlike: [Bool]) -> [Window] {
    let sums = sumsOverCorners(of: isAlike)
    var windows = [Window](repeating: Window(correlation: 0, gain: 1), count: width * height)
    for y in 0..<height {
      for x in 0..<width {
        if let window = window(x, y, sums) { windows[y * width + x] = window }
      }
    }
    return windows
  }

  /// Sums of count, seen, expected and their products over the chosen pixels above and to the left.
  private func sumsOverCorners(of isAlike: [Bool]) -> [SIMD8<Double>] {
    let stride = width + 1
    var sums = [SIMD8<Double>](repeating: .zero, count: stride * (height + 1))
    sums.withUnsafeMutableBufferPointer { sums in
      for y in 0..<height {
        var row = SIMD8<Double>.zero
        for x in 0..<width {
          if isAlike[y * width + x] {
            let e = Double(Self.brightness(expected[y * width + x]))
            let s = Double(Self.brightness(seen[y * width + x]))
            row += SIMD8(1, s, e, s * s, e * e, s * e, 0, 0)
          }
          sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1] + row
        }
      }
    }
    return sums
  }

  private func window(_ x: Int, _ y: Int, _ sums: [SIMD8<Double>]) -> Window? {
    let r = Self.reach
    let (x0, x1) = (max(x - r, 0), min(x + r + 1, width))
    let (y0, y1) = (max(y - r, 0), min(y + r + 1, height))
    let stride = width + 1
    let s = sums[y1 * stride + x1] - sums[y1 * stride + x0] - sums[y0 * stride + x1] + sums[y0 * stride + x0]
    let n = s[0]
    guard n >= 0.3 * Double((2 * r + 1) * (2 * r + 1)), s[2] > 0 else { return nil }
    let seen = s[3] - s[1] * s[1] / n
    let expected = s[4] - s[2] * s[2] / n
    let both = s[5] - s[1] * s[2] / n
    guard seen > 0.1 * n, expected > 0.1 * n else { return nil }
    return Window(correlation: Float(both / (seen * expected).squareRoot()), gain: Float(s[1] / s[2]))
  }

  private static func brightness(_ colour: SIMD3<Float>) -> Float { colour.dot([0.3, 0.59, 0.11]) }
}
