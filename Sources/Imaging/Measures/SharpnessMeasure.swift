import CImaging

/// How sharp a picture is, with what its noise alone would give taken off.
public struct SharpnessMeasure: Sendable, Hashable {
  /// Mean squared Sobel gradient (Tenengrad: E. Krotkov, "Focusing", IJCV 1, 1987) less the noise's share of 24 σ² (each
  /// of the two masks has squared weights of 12 in sum), never below zero. The larger the sharper, among pictures of one
  /// view: what it is worth in itself depends on the view's texture.
  public var tenengrad: Double
  /// The same of the picture at half size.
  public var halfTenengrad: Double
  /// The standard deviation of the noise that was taken off.
  public var noise: Double

  /// How fine the gradients are, 0…1, whatever the contrast and nearly whatever the view: energy at full size by energy at
  /// half size is 1/4 where everything is smooth and 1/2 or more at steps one pixel wide, brought here to 0 and 1.
  public var acuity: Double { halfTenengrad > 0 ? min(max(4 * tenengrad / halfTenengrad - 1, 0), 1) : 0 }

  /// Measures within a rectangle (all of it by default). Without a known `noise` it is estimated.
  public init(_ image: GrayImage, in rect: PixelRect? = nil, noise: Double? = nil) {
    let wanted = (rect ?? PixelRect(x: 0, y: 0, width: image.width, height: image.height))
      .clamped(width: image.width, height: image.height)
    let sigma = noise ?? NoiseMeasure.sigma(image, in: wanted)
    self.noise = sigma
    tenengrad = max(0, SharpnessMeasure.gradientEnergy(image, in: wanted) - 24 * sigma * sigma)
    let half = PixelRect(x: wanted.x / 2, y: wanted.y / 2, width: wanted.width / 2, height: wanted.height / 2)
    // the mean of four pixels has half the noise
    halfTenengrad = max(0, SharpnessMeasure.gradientEnergy(image.halved, in: half) - 6 * sigma * sigma)
  }

  /// The mean squared Sobel gradient over the rectangle's pixels that have all eight neighbours in the picture.
  static func gradientEnergy(_ image: GrayImage, in rect: PixelRect) -> Double {
    let left = max(rect.x, 1)
    let top = max(rect.y, 1)
    let right = min(rect.x + rect.width, image.width - 1)
    let bottom = min(rect.y + rect.height, image.height - 1)
    guard right > left, bottom > top else { return 0 }
    var sum: UInt64 = 0
    image.pixels.withUnsafeBufferPointer { pixels in
      for y in top..<bottom {
        let here = pixels.baseAddress! + y * image.width + left
        sum += cimaging_sobel_energy(here - image.width, here, here + image.width, Int32(right - left))
      }
    }
    return Double(sum) / Double((right - left) * (bottom - top))
  }
}
