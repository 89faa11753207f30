import Imaging
import Testing

@Suite struct NoiseTests {
  @Test(arguments: [1.0, 3, 8]) func noiseIsFoundUnderTexture(sigma: Double) {
    let scene = Samples.scene(240, 200, softness: 3)
    #expect(abs(NoiseMeasure.sigma(Samples.noisy(scene, sigma: sigma, seed: 7)) - sigma) < 0.25 * sigma)
  }

  @Test func tinyAreasGiveNoNoiseAndDoNotTrap() {
    for size in 0..<4 { #expect(NoiseMeasure.sigma(GrayImage(width: size, height: size, fill: 9)) == 0) }
    let image = Samples.noise(20, 20, seed: 1)
    #expect(NoiseMeasure.sigma(image, in: PixelRect(x: 100, y: 0, width: 5, height: 5)) == 0)
    #expect(NoiseMeasure.sigma(image, in: PixelRect(x: -5, y: -5, width: 8, height: 8)) > 0)
  }
}

@Suite struct SharpnessTests {
  @Test func gradientEnergyIsSobels() {
    let image = Samples.noise(14, 11, seed: 8)
    var sum = 0
    for y in 1..<10 {
      for x in 1..<13 {
        var gx = 0
        var gy = 0
        for k in -1...1 {
          let weight = k == 0 ? 2 : 1
          gx += weight * (Int(image[x + 1, y + k]) - Int(image[x - 1, y + k]))
          gy += weight * (Int(image[x + k, y + 1]) - Int(image[x + k, y - 1]))
        }
        sum += gx * gx + gy * gy
      }
    }
    #expect(SharpnessMeasure(image, noise: 0).tenengrad == Double(sum) / Double(12 * 9))
  }

  @Test func blurLowersBothMeasuresStepByStep() {
    let scene = Samples.scene(200, 160)
    let measures = [0, 0.7, 1.2, 2, 3].map { SharpnessMeasure(scene.blurred(sigma: $0)) }
    for (sharper, softer) in zip(measures, measures.dropFirst()) {
      #expect(sharper.tenengrad > 1.1 * softer.tenengrad)
      #expect(sharper.acuity > softer.acuity)
    }
  }

  @Test func noiseDoesNotPassForSharpness() {
    let blurred = Samples.scene(200, 160).blurred(sigma: 2.5)
    let clean = SharpnessMeasure(blurred, noise: 0)
    let noisy = Samples.noisy(blurred, sigma: 5, seed: 9)
    #expect(SharpnessMeasure(noisy, noise: 0).tenengrad > clean.tenengrad + 500)
    #expect(abs(SharpnessMeasure(noisy, noise: 5).tenengrad - clean.tenengrad) < 0.15 * clean.tenengrad)
    let sharp = SharpnessMeasure(Samples.scene(200, 160)).acuity
    #expect(SharpnessMeasure(noisy, noise: 5).acuity < 0.5 * sharp)
    #expect(SharpnessMeasure(noisy).acuity < 0.8 * sharp)
  }

  @Test func acuityDoesNotDependOnContrast() {
    let scene = Samples.scene(200, 160)
    let pale = GrayImage(width: 200, height: 160, pixels: scene.pixels.map { 90 + $0 / 4 })
    #expect(abs(SharpnessMeasure(scene, noise: 0).acuity - SharpnessMeasure(pale, noise: 0).acuity) < 0.1)
  }

  @Test func onlyTheRectangleCounts() {
    var image = Samples.scene(200, 160)
    for y in 0..<160 { for x in 100..<200 { image[x, y] = 128 } }
    let left = SharpnessMeasure(image, in: PixelRect(x: 0, y: 0, width: 100, height: 160), noise: 0)
    let right = SharpnessMeasure(image, in: PixelRect(x: 104, y: 0, width: 90, height: 160), noise: 0)
    #expect(left.tenengrad > 0 && right.tenengrad == 0 && right.acuity == 0)
  }
}

@Suite struct ExposureTests {
  @Test func sharesMeanAndPercentilesAreCounted() {
    let image = Samples.picture(100, 10) { x, _ in x < 10 ? 255 : x < 30 ? 0 : 100 }
    let all = ExposureMeasure(image)
    #expect(all.total == 1000 && all.clippedHigh == 0.1 && all.clippedLow == 0.2)
    #expect(all.mean == 0.1 * 255 + 0.7 * 100)
    #expect(all.percentile(0.2) == 0 && all.percentile(0.21) == 100 && all.percentile(0.9) == 100)
    #expect(all.percentile(0) == 0 && all.percentile(1) == 255)
    let part = ExposureMeasure(image, in: PixelRect(x: 30, y: 2, width: 500, height: 3))
    #expect(part.total == 210 && part.mean == 100 && part.clippedHigh == 0)
  }

  @Test func aMaskChoosesThePixels() {
    let image = Samples.noise(31, 19, seed: 10)
    let mask = GrayImage(width: 31, height: 19, pixels: image.pixels.map { $0 > 99 ? 1 : 0 })
    let chosen = image.pixels.filter { $0 > 99 }
    let measure = ExposureMeasure(image, mask: mask)
    #expect(measure.total == chosen.count)
    #expect(abs(measure.mean - Double(chosen.reduce(0) { $0 + Int($1) }) / Double(chosen.count)) < 1e-9)
    #expect(ExposureMeasure(image, mask: GrayImage(width: 31, height: 19, fill: 0)).mean == 0)
  }
}

@Suite struct FrameDifferenceTests {
  @Test(arguments: [1.0, 4]) func aStillViewGivesOne(sigma: Double) {
    let scene = Samples.scene(200, 160, softness: 3)
    let a = Samples.noisy(scene, sigma: sigma, seed: 11)
    let b = Samples.noisy(scene, sigma: sigma, seed: 12)
    #expect(abs(FrameDifference(a, b, noise: sigma).normalised - 1) < 0.1)
    #expect(abs(FrameDifference(a, b).normalised - 1) < 0.3)
  }

  @Test func halfAPixelOfMotionIsSeenAndFlickerIsNot() {
    let still = Samples.noisy(Samples.scene(200, 160, softness: 3), sigma: 2, seed: 13)
    let moved = Samples.noisy(
      Samples.picture(200, 160) { x, y in
        let rings = ((x - 40.5) * (x - 40.5) + (y - 30) * (y - 30)).squareRoot()
        let phase = rings.truncatingRemainder(dividingBy: 22) - 11
        return 128 + 80 * max(-1, min(1, phase / 3)) * (phase < 5 ? 1 : max(-1, (8 - phase) / 3))
      }, sigma: 2, seed: 14)
    #expect(FrameDifference(still, moved, noise: 2).normalised > 1.5)
    let brighter = GrayImage(width: 200, height: 160, pixels: still.pixels.map { UInt8(min(255, Int($0) + 6)) })
    let flicker = FrameDifference(still, brighter, noise: 2)
    #expect(flicker.brightnessChange == 6 && flicker.normalised < 0.1)
  }

  @Test func nothingComparedIsNoDifference() {
    let image = GrayImage(width: 4, height: 4, fill: 3)
    #expect(FrameDifference(image, image, in: PixelRect(x: 9, y: 9, width: 1, height: 1)).normalised == 0)
  }
}
