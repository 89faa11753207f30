import CImaging

/// How much a picture's pixels scatter of themselves.
public enum NoiseMeasure {
  /// The standard deviation of the noise, in steps of brightness, estimated from one picture.
  ///
  /// J. Immerkær, "Fast noise variance estimation", CVIU 64(2), 1996: the mask N = (1 −2 1; −2 4 −2; 1 −2 1) is blind to
  /// planes and straight edges, and σ = √(π/2) / 6 · mean |N ∗ I| for Gaussian noise. Taken per block of 16×16 and then the
  /// lowest quintile of the blocks, so that texture does not pass for noise.
  public static func sigma(_ image: GrayImage, in rect: PixelRect? = nil) -> Double {
    let inner = PixelRect(x: 1, y: 1, width: image.width - 2, height: image.height - 2)
    let wanted = rect?.clamped(width: image.width, height: image.height) ?? inner
    let left = max(wanted.x, 1)
    let top = max(wanted.y, 1)
    let right = min(wanted.x + wanted.width, image.width - 1)
    let bottom = min(wanted.y + wanted.height, image.height - 1)
    guard right > left, bottom > top else { return 0 }
    let block = min(16, right - left, bottom - top)
    var means: [Double] = []
    image.pixels.withUnsafeBufferPointer { pixels in
      let base = pixels.baseAddress!
      for y in stride(from: top, through: bottom - block, by: block) {
        for x in stride(from: left, through: right - block, by: block) {
          var sum: UInt32 = 0
          for row in y..<y + block {
            let here = base + row * image.width + x
            sum += cimaging_noise_sum(here - image.width, here, here + image.width, Int32(block))
          }
          means.append(Double(sum) / Double(block * block))
        }
      }
    }
    means.sort()
    return means[means.count / 5] * 1.253_314_137_315_5 / 6
  }
}
