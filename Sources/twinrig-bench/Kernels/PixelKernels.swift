import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// The kernels of Imaging, on 1.9 megapixels.
enum PixelKernels {
  static func all() -> [Kernel] {
    let colour = TestPicture.colour
    let gray = TestPicture.gray
    let later = TestPicture.later
    let lens = TestPicture.lens
    let pixels = colour.width * colour.height
    let map = PixelMap(from: lens, to: lens.pinhole)
    return [
      Kernel("rgb to gray", pixels, "MP", run: { checksum(colour.gray.pixels) }),
      Kernel(
        "halve gray", pixels, "MP", run: { checksum(gray.halved.pixels) },
        plain: { checksum(PlainTwins.halved(gray).pixels) }),
      Kernel(
        "halve rgb", pixels, "MP", run: { checksum(colour.halved.bytes) },
        plain: { checksum(PlainTwins.halved(colour).bytes) }),
      Kernel("shrink rgb to 5/8", pixels, "MP", run: { checksum(colour.resized(width: 1000, height: 750).bytes) }),
      Kernel("enlarge gray by 5/4", pixels, "MP", run: { checksum(gray.resized(width: 2000, height: 1500).pixels) }),
      Kernel(
        "undistortion map", pixels, "MP", run: { checksum(PixelMap(from: lens, to: lens.pinhole).validity.pixels) }),
      Kernel("remap gray", pixels, "MP", run: { checksum(map.apply(gray).pixels) }),
      Kernel(
        "remap rgb", pixels, "MP", run: { checksum(map.apply(colour).bytes) },
        plain: { checksum(PlainTwins.undistorted(colour, lens).bytes) }),
      Kernel(
        "blur gray sigma 1.5", pixels, "MP", run: { checksum(gray.blurred(sigma: 1.5).pixels) },
        plain: { checksum(PlainTwins.blurred(gray, kernel: gaussian(1.5)).pixels) }),
      Kernel("blur rgb sigma 3", pixels, "MP", run: { checksum(colour.blurred(sigma: 3).bytes) }),
      Kernel(
        "integral image", pixels, "MP",
        run: { UInt64(IntegralImage(gray).sum(PixelRect(x: 7, y: 9, width: 1500, height: 1100))) },
        plain: { UInt64(PlainTwins.integral(gray)[1601 * 1100 + 1500]) }),
      Kernel(
        "sharpness", pixels, "MP", run: { SharpnessMeasure(gray, noise: 1).tenengrad.bitPattern },
        plain: { UInt64(PlainTwins.sobelEnergy(gray) + PlainTwins.sobelEnergy(PlainTwins.halved(gray))) }),
      Kernel("noise", pixels, "MP", run: { NoiseMeasure.sigma(gray).bitPattern }),
      Kernel(
        "exposure", pixels, "MP", run: { checksum(ExposureMeasure(gray).counts) },
        plain: { checksum(PlainTwins.histogram(gray)) }),
      Kernel("frame difference", pixels, "MP", run: { FrameDifference(gray, later, noise: 1).normalised.bitPattern })
    ]
  }

  private static func gaussian(_ sigma: Double) -> [Float] {
    let weights = (0...Int((3 * sigma).rounded(.up))).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let sum = 2 * weights.reduce(0, +) - weights[0]
    return weights.map { Float($0 / sum) }
  }
}
