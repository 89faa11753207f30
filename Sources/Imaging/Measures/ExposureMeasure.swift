import CImaging

/// How a picture's brightness is spread.
public struct ExposureMeasure: Sendable, Hashable {
  /// How many pixels have each brightness.
  public let counts: [UInt32]
  /// How many pixels were measured.
  public let total: Int

  /// From this brightness on, a pixel counts as burnt out.
  public static let highClip = 250
  /// Up to this brightness, a pixel counts as black.
  public static let lowClip = 5

  /// Measures within a rectangle (all by default) and, with a mask of the picture's size, only where it is not zero.
  public init(_ image: GrayImage, in rect: PixelRect? = nil, mask: GrayImage? = nil) {
    precondition(mask.map { $0.width == image.width && $0.height == image.height } ?? true, "a mask of another size")
    let area = (rect ?? PixelRect(x: 0, y: 0, width: image.width, height: image.height))
      .clamped(width: image.width, height: image.height)
    var counts = [UInt32](repeating: 0, count: 256)
    image.pixels.withUnsafeBufferPointer { pixels in
      (mask?.pixels ?? []).withUnsafeBufferPointer { maskPixels in
        for y in area.y..<area.y + area.height {
          let start = y * image.width + area.x
          cimaging_histogram(
            pixels.baseAddress! + start, mask == nil ? nil : maskPixels.baseAddress! + start, area.width, &counts)
        }
      }
    }
    self.counts = counts
    total = counts.reduce(0) { $0 + Int($1) }
  }

  /// The mean brightness, 0…255; 0 where nothing was measured.
  public var mean: Double {
    guard total > 0 else { return 0 }
    return counts.enumerated().reduce(0.0) { $0 + Double($1.offset) * Double($1.element) } / Double(total)
  }

  /// The share of burnt-out pixels, 0…1.
  public var clippedHigh: Double { share(ExposureMeasure.highClip...255) }
  /// The share of black pixels, 0…1.
  public var clippedLow: Double { share(0...ExposureMeasure.lowClip) }

  /// The brightness that the share `q` (0…1) of the pixels does not exceed.
  public func percentile(_ q: Double) -> Int {
    let wanted = Int((min(max(q, 0), 1) * Double(total)).rounded(.up))
    var sum = 0
    for (value, count) in counts.enumerated() {
      sum += Int(count)
      if sum >= wanted, sum > 0 { return value }
    }
    return 0
  }

  private func share(_ range: ClosedRange<Int>) -> Double {
    total == 0 ? 0 : Double(counts[range].reduce(0) { $0 + Int($1) }) / Double(total)
  }
}
