import Foundation
import Imaging
import Testing

@Suite struct BlurTests {
  @Test(arguments: [0.6, 1.4, 3.0]) func blurIsTheTwoDimensionalConvolution(sigma: Double) {
    let image = Samples.colourNoise(23, 17, seed: 5)
    let radius = Int((3 * sigma).rounded(.up))
    var kernel: [Double] = []
    for j in -radius...radius {
      for i in -radius...radius { kernel.append(exp(-Double(i * i + j * j) / (2 * sigma * sigma))) }
    }
    let sum = kernel.reduce(0, +)
    let blurred = image.blurred(sigma: sigma)
    for c in 0..<3 {
      let channel = Samples.channel(image, c)
      let gray = channel.blurred(sigma: sigma)
      let float = FloatPlane(width: 23, height: 17, pixels: channel.pixels.map(Float.init)).blurred(sigma: sigma)
      for y in 0..<17 {
        for x in 0..<23 {
          var wanted = 0.0
          var k = 0
          for j in -radius...radius {
            for i in -radius...radius {
              wanted += kernel[k] / sum * Double(channel[min(max(x + i, 0), 22), min(max(y + j, 0), 16)])
              k += 1
            }
          }
          #expect(abs(Double(gray[x, y]) - wanted) <= 0.51)
          #expect(abs(Double(float[x, y]) - wanted) < 1e-3)
          #expect(blurred[x, y][c] == gray[x, y])
        }
      }
    }
  }

  @Test func smallerPicturesThanTheKernelAreBlurredToo() {
    #expect(GrayImage(width: 1, height: 1, fill: 90).blurred(sigma: 4).pixels == [90])
    #expect(GrayImage(width: 0, height: 0, fill: 0).blurred(sigma: 4).pixels.isEmpty)
    #expect(Samples.noise(3, 2, seed: 1).blurred(sigma: 0).pixels == Samples.noise(3, 2, seed: 1).pixels)
  }
}

@Suite struct IntegralImageTests {
  @Test func everyRectangleHasItsSum() {
    let image = Samples.noise(9, 7, seed: 6)
    let sums = IntegralImage(image)
    for y in 0...7 {
      for x in 0...9 {
        for height in 0...7 - y {
          for width in 0...9 - x {
            var wanted: UInt32 = 0
            for j in y..<y + height { for i in x..<x + width { wanted += UInt32(image[i, j]) } }
            #expect(sums.sum(PixelRect(x: x, y: y, width: width, height: height)) == wanted)
          }
        }
      }
    }
  }
}
