import Imaging
import TestSupport

/// Pictures to test with.
enum Samples {
  /// Every pixel another brightness.
  static func noise(_ width: Int, _ height: Int, seed: UInt64) -> GrayImage {
    var random = SplitMix(seed: seed)
    return GrayImage(
      width: width, height: height, pixels: (0..<width * height).map { _ in UInt8(truncatingIfNeeded: random.next()) })
  }

  /// Every channel of every pixel another brightness.
  static func colourNoise(_ width: Int, _ height: Int, seed: UInt64) -> RGBImage {
    RGBImage(width: width, height: height, bytes: noise(3 * width, height, seed: seed).pixels)
  }

  /// A function of the place, rounded and kept within 0…255.
  static func picture(_ width: Int, _ height: Int, _ value: (Double, Double) -> Double) -> GrayImage {
    var image = GrayImage(width: width, height: height, fill: 0)
    for y in 0..<height {
      for x in 0..<width { image[x, y] = UInt8(min(max(value(Double(x), Double(y)), 0), 255).rounded()) }
    }
    return image
  }

  /// Adds Gaussian noise.
  static func noisy(_ image: GrayImage, sigma: Double, seed: UInt64) -> GrayImage {
    var random = SplitMix(seed: seed)
    var out = image
    for i in out.pixels.indices {
      // the sum of twelve uniform numbers: near enough to normal, and the same on every machine
      var sum = -6.0
      for _ in 0..<12 { sum += Double(random.next() >> 11) * 0x1p-53 }
      out.pixels[i] = UInt8(min(max(Double(image.pixels[i]) + sigma * sum, 0), 255).rounded())
    }
    return out
  }

  /// Soft blobs with edges at every angle.
  static func scene(_ width: Int, _ height: Int, softness: Double = 1) -> GrayImage {
    picture(width, height) { x, y in
      let rings = ((x - 40) * (x - 40) + (y - 30) * (y - 30)).squareRoot()
      let phase = rings.truncatingRemainder(dividingBy: 22) - 11
      return 128 + 80 * max(-1, min(1, phase / softness)) * (phase < 5 ? 1 : max(-1, (8 - phase) / 3))
    }
  }

  static func channel(_ image: RGBImage, _ c: Int) -> GrayImage {
    let pixels = (0..<image.width * image.height).map { image.bytes[3 * $0 + c] }
    return GrayImage(width: image.width, height: image.height, pixels: pixels)
  }
}
