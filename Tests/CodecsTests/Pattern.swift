import Foundation
import Imaging
import TestSupport

/// Pictures to test with, and how far two are apart.
enum Pattern {
  /// Soft colour ramps and waves: what a lossy codec keeps well.
  static func smooth(width: Int, height: Int) -> RGBImage {
    var image = RGBImage(width: width, height: height)
    for y in 0..<height {
      for x in 0..<width {
        let wave = (x * x + 3 * y * y) / 96 % 64
        image[x, y] = [
          UInt8(40 + 160 * x / max(width, 1)), UInt8(30 + 150 * y / max(height, 1)),
          UInt8(90 + (wave < 32 ? wave : 64 - wave))
        ]
      }
    }
    return image
  }

  /// What a camera sees: shades, edges, texture at several scales, and its own noise.
  static func photo(width: Int, height: Int) -> RGBImage {
    var random = SplitMix(seed: 21)
    var image = smooth(width: width, height: height)
    for y in 0..<height {
      for x in 0..<width {
        let isEdge = (x / 23 + y / 31) % 3 == 0
        let weave = ((x ^ y) & 7) * 3 + (x * y / 40) % 17
        let noise = Int(random.next() % 5) - 2
        var pixel = SIMD3<Int>(truncatingIfNeeded: image[x, y])
        pixel = isEdge ? pixel / 2 &+ SIMD3(repeating: weave) : pixel &+ SIMD3(repeating: weave / 2)
        pixel &+= SIMD3(repeating: noise)
        pixel.clamp(lowerBound: .zero, upperBound: SIMD3(repeating: 255))
        image[x, y] = SIMD3<UInt8>(truncatingIfNeeded: pixel)
      }
    }
    return image
  }

  /// The peak signal-to-noise ratio in decibels.
  static func signalToNoise(_ a: [UInt8], _ b: [UInt8]) -> Double {
    let sum = zip(a, b).reduce(0) { $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)) }
    return 10 * log10(255 * 255 * Double(max(a.count, 1)) / Double(max(sum, 1)))
  }

  /// Every pixel another colour.
  static func noise(width: Int, height: Int, seed: UInt64) -> RGBImage {
    var random = SplitMix(seed: seed)
    let bytes = (0..<3 * width * height).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    return RGBImage(width: width, height: height, bytes: bytes)
  }

  static func meanDifference(_ a: [UInt8], _ b: [UInt8]) -> Double {
    zip(a, b).reduce(0.0) { $0 + Double(abs(Int($1.0) - Int($1.1))) } / Double(max(a.count, 1))
  }

  static func blockMeans(_ image: RGBImage, _ n: Int) -> RGBImage {
    var out = RGBImage(width: image.width / n, height: image.height / n)
    for y in 0..<out.height {
      for x in 0..<out.width {
        var sum = SIMD3<Int>(repeating: 0)
        for dy in 0..<n { for dx in 0..<n { sum &+= SIMD3<Int>(truncatingIfNeeded: image[x * n + dx, y * n + dy]) } }
        out[x, y] = SIMD3<UInt8>(truncatingIfNeeded: sum / SIMD3(repeating: n * n))
      }
    }
    return out
  }
}
