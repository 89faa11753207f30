import CImaging

/// How far two pictures of one view differ, in units of what noise alone would make: 1 for a view that stands still.
public struct FrameDifference: Sendable, Hashable {
  /// Mean absolute difference over the area, in steps of brightness, each pixel's part capped and a common change of
  /// brightness (flickering light) taken off.
  public var meanAbsolute: Double
  /// The common change of brightness: the median difference.
  public var brightnessChange: Double
  /// `meanAbsolute` by what noise alone makes of it. Two pictures' noise of σ each differs by 2σ/√π in the mean.
  public var normalised: Double

  /// A pixel's part is capped here, so that a highlight or an insect does not pass for motion of the whole.
  public static let cap = 48

  /// Compares two pictures of one size within a rectangle (all by default). `noise` is a picture's standard deviation in
  /// steps of brightness, estimated from the first where not given; at least 0.5, since whole numbers scatter too.
  public init(_ a: GrayImage, _ b: GrayImage, in rect: PixelRect? = nil, noise: Double? = nil) {
    precondition(a.width == b.width && a.height == b.height, "two pictures of different sizes")
    let area = (rect ?? PixelRect(x: 0, y: 0, width: a.width, height: a.height)).clamped(
      width: a.width, height: a.height)
    var counts = [UInt32](repeating: 0, count: 511)
    a.pixels.withUnsafeBufferPointer { first in
      b.pixels.withUnsafeBufferPointer { second in
        for y in area.y..<area.y + area.height {
          let start = y * a.width + area.x
          cimaging_difference_histogram(first.baseAddress! + start, second.baseAddress! + start, area.width, &counts)
        }
      }
    }
    let median = FrameDifference.median(counts)
    var sum = 0
    for (index, count) in counts.enumerated() {
      sum += Int(count) * min(abs(index - 255 - median), FrameDifference.cap)
    }
    let sigma = max(noise ?? NoiseMeasure.sigma(a, in: area), 0.5)
    brightnessChange = Double(-median)
    meanAbsolute = area.area == 0 ? 0 : Double(sum) / Double(area.area)
    normalised = meanAbsolute / (1.128_379_167_095_5 * sigma)
  }

  private static func median(_ counts: [UInt32]) -> Int {
    let total = counts.reduce(0) { $0 + Int($1) }
    var sum = 0
    for (index, count) in counts.enumerated() {
      sum += Int(count)
      if 2 * sum >= total, sum > 0 { return index - 255 }
    }
    return 0
  }
}
