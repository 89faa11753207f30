import Imaging
import Testing

@Suite struct ResamplingTests {
  @Test(arguments: [(8, 6), (9, 7), (2, 2), (1, 5), (37, 3)]) func halvingIsTheMeanOfFour(width: Int, height: Int) {
    let image = Samples.colourNoise(width, height, seed: 1)
    let gray = image.gray
    let half = gray.halved
    let colour = image.halved
    #expect(half.width == width / 2 && half.height == height / 2)
    for y in 0..<half.height {
      for x in 0..<half.width {
        let sum = [0, 1].flatMap { dy in [0, 1].map { dx in Int(gray[2 * x + dx, 2 * y + dy]) } }.reduce(0, +)
        #expect(half[x, y] == UInt8((sum + 2) / 4))
        for c in 0..<3 { #expect(colour[x, y][c] == Samples.channel(image, c).halved[x, y]) }
      }
    }
    let wide = Plane<UInt16>(width: width, height: height, pixels: gray.pixels.map { UInt16($0) * 257 })
    #expect(wide.halved.pixels.count == half.pixels.count)
    for (a, b) in zip(wide.halved.pixels, half.pixels) { #expect(abs(Int(a) - Int(b) * 257) <= 128) }
  }

  @Test func theHalvedLensSeesTheSamePoints() throws {
    let lens = Lens(width: 641, height: 480, fx: 500, fy: 510, cx: 320.5, cy: 238)
    let point = SIMD3(0.1, -0.2, 1.0)
    let full = try #require(lens.project(point))
    let half = try #require(lens.halved.project(point))
    #expect(abs((full.x + 0.5) / 2 - 0.5 - half.x) < 1e-12 && abs((full.y + 0.5) / 2 - 0.5 - half.y) < 1e-12)
  }

  /// The area that an output pixel covers, pixel by pixel.
  private func areaMean(_ image: GrayImage, _ newWidth: Int, _ newHeight: Int, _ x: Int, _ y: Int) -> Double {
    let sx = Double(image.width) / Double(newWidth)
    let sy = Double(image.height) / Double(newHeight)
    var sum = 0.0
    for j in 0..<image.height {
      let h = min(Double(j + 1), Double(y + 1) * sy) - max(Double(j), Double(y) * sy)
      guard h > 0 else { continue }
      for i in 0..<image.width {
        let w = min(Double(i + 1), Double(x + 1) * sx) - max(Double(i), Double(x) * sx)
        if w > 0 { sum += w * h * Double(image[i, j]) }
      }
    }
    return sum / (sx * sy)
  }

  @Test(arguments: [(20, 15), (7, 5), (1, 1), (47, 31)]) func shrinkingTakesTheMeanOverTheArea(to: (Int, Int)) {
    let image = Samples.colourNoise(47, 31, seed: 2)
    let small = image.resized(width: to.0, height: to.1)
    for c in 0..<3 {
      let channel = Samples.channel(image, c)
      let gray = channel.resized(width: to.0, height: to.1)
      for y in 0..<to.1 {
        for x in 0..<to.0 {
          #expect(abs(Double(gray[x, y]) - areaMean(channel, to.0, to.1, x, y)) <= 0.51)
          #expect(small[x, y][c] == gray[x, y])
        }
      }
    }
  }

  @Test func enlargingInterpolatesBetweenCentres() {
    let ramp = Samples.picture(11, 9) { x, y in 10 * x + 5 * y }
    let large = ramp.resized(width: 44, height: 36)
    for y in 4..<32 {
      for x in 4..<40 {
        let place = SIMD2((Double(x) + 0.5) / 4 - 0.5, (Double(y) + 0.5) / 4 - 0.5)
        #expect(abs(Double(large[x, y]) - (10 * place.x + 5 * place.y)) <= 0.51)
      }
    }
    #expect(GrayImage(width: 1, height: 1, fill: 77).resized(width: 3, height: 2).pixels == [77, 77, 77, 77, 77, 77])
  }
}
