import Foundation
import Imaging
import Testing

@Suite struct PixelMapTests {
  /// Bilinear by the book, in double precision.
  private func bilinear(_ image: GrayImage, _ place: SIMD2<Double>) -> Double {
    let x = min(max(place.x, 0), Double(image.width - 1))
    let y = min(max(place.y, 0), Double(image.height - 1))
    let x0 = Int(x)
    let y0 = Int(y)
    let x1 = min(x0 + 1, image.width - 1)
    let y1 = min(y0 + 1, image.height - 1)
    let a = x - Double(x0)
    let b = y - Double(y0)
    let top = Double(image[x0, y0]) * (1 - a) + Double(image[x1, y0]) * a
    let bottom = Double(image[x0, y1]) * (1 - a) + Double(image[x1, y1]) * a
    return top * (1 - b) + bottom * b
  }

  @Test func placesAreLookedUpBilinearly() {
    let image = Samples.colourNoise(33, 21, seed: 3)
    let place = { (x: Int, y: Int) in SIMD2(Double(x) * 0.97 - 2.3, Double(y) * 1.13 - 1.7) }
    let map = PixelMap(width: 40, height: 25, sourceWidth: 33, sourceHeight: 21) { place($0, $1) }
    let out = map.apply(image, fill: 9)
    for c in 0..<3 {
      let channel = Samples.channel(image, c)
      let gray = map.apply(channel, fill: 9)
      for y in 0..<25 {
        for x in 0..<40 {
          let p = place(x, y)
          let inside = p.x >= -0.5 && p.y >= -0.5 && p.x <= 32.5 && p.y <= 20.5
          #expect(map.sees(x: x, y: y) == inside)
          #expect(out[x, y][c] == gray[x, y])
          // a 1/256 pixel between two pixels 255 apart is one step
          if inside { #expect(abs(Double(gray[x, y]) - bilinear(channel, p)) <= 1.6) } else { #expect(gray[x, y] == 9) }
        }
      }
    }
    #expect(map.validity.pixels.allSatisfy { $0 == 0 || $0 == 255 })
  }

  @Test func wholePlacesAreExactToTheLastRowAndColumn() {
    let image = Samples.noise(12, 7, seed: 4)
    let map = PixelMap(width: 12, height: 7, sourceWidth: 12, sourceHeight: 7) { SIMD2(Double($0), Double($1)) }
    #expect(map.apply(image).pixels == image.pixels)
    let dot = PixelMap(width: 2, height: 1, sourceWidth: 1, sourceHeight: 1) { x, _ in SIMD2(Double(x) * 0.4, 0.3) }
    #expect(dot.apply(GrayImage(width: 1, height: 1, fill: 200)).pixels == [200, 200])
  }

  @Test func nonsensePlacesSeeNothing() {
    let map = PixelMap(width: 4, height: 1, sourceWidth: 8, sourceHeight: 8) { x, _ in
      [nil, SIMD2(.nan, 1), SIMD2(.infinity, 0), SIMD2(1e300, -1e300)][x]
    }
    #expect(map.validity.pixels == [0, 0, 0, 0])
  }

  @Test func undistortionMakesStraightWhatTheLensBent() throws {
    var lens = Lens(width: 240, height: 180, fx: 200, fy: 200, cx: 121, cy: 88)
    lens.k1 = -0.25
    lens.k2 = 0.06
    lens.p1 = 0.002
    // the plane z = 1 with a soft pattern, as the bent lens sees it and as a pinhole would
    let pattern = { (p: SIMD3<Double>) in
      128 + 60 * sin(p.x / p.z * 40) + 40 * cos(p.y / p.z * 25)
    }
    let bent = Samples.picture(240, 180) { x, y in pattern(lens.ray(SIMD2(x, y))) }
    let straight = Samples.picture(240, 180) { x, y in pattern(lens.pinhole.ray(SIMD2(x, y))) }
    let map = PixelMap(from: lens, to: lens.pinhole)
    let out = map.apply(bent)
    var sum = 0.0
    var seen = 0
    for y in 0..<180 {
      for x in 0..<240 where map.sees(x: x, y: y) {
        sum += abs(Double(out[x, y]) - Double(straight[x, y]))
        seen += 1
      }
    }
    #expect(seen > 40_000)
    #expect(sum / Double(seen) < 0.8)
    #expect(Double(zip(bent.pixels, straight.pixels).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / 43_200 > 5)
  }

  @Test func aTurnedCameraSeesThePointWhereItsOwnLensProjectsIt() throws {
    let lens = Lens(width: 100, height: 80, fx: 120, fy: 120, cx: 50, cy: 40)
    let turn = Matrix3.rotation(.degrees(7), about: SIMD3(0.3, 1, 0.1).normalized)
    let point = SIMD3(0.05, -0.03, 1.0)
    let before = try #require(lens.project(point))
    let after = try #require(lens.project(turn * point))
    let spot = Samples.picture(100, 80) { x, y in
      255 * max(0, 1 - ((x - before.x) * (x - before.x) + (y - before.y) * (y - before.y)) / 40)
    }
    let turned = PixelMap(from: lens, to: lens, targetFromSource: turn).apply(spot)
    var centre = SIMD2<Double>.zero
    var weight = 0.0
    for y in 0..<80 {
      for x in 0..<100 {
        centre += SIMD2(Double(x), Double(y)) * Double(turned[x, y])
        weight += Double(turned[x, y])
      }
    }
    centre /= weight
    #expect((centre - after).length < 0.2)
  }

  /// A point beside the camera is nowhere in a picture; its pixel is further off than whole numbers go.
  @Test func whatLiesBesideTheCameraIsInNoPicture() {
    var lens = Lens(width: 240, height: 320, fx: 300, fy: 300, cx: 119.5, cy: 159.5)
    (lens.k1, lens.k2, lens.k3) = (-0.1, 0.05, 0.01)
    for z in [1e-300, 1e-12, 1e-3, 1] {
      #expect(lens.project([100, 50, z])?.nearestPixel(width: 240, height: 320) == nil)
    }
    let places = [SIMD2(-0.49, 0), SIMD2(239.49, 319.49), SIMD2(7.6, 3.4)]
    let pixels = places.compactMap { $0.nearestPixel(width: 240, height: 320) }
    #expect(pixels.map(\.x) == [0, 239, 8] && pixels.map(\.y) == [0, 319, 3])
    for place in [SIMD2(-0.5, 0), SIMD2(0, -0.5), SIMD2(239.5, 0), SIMD2(0, 319.5), SIMD2(.nan, 0), SIMD2(0, .infinity)]
    {
      #expect(place.nearestPixel(width: 240, height: 320) == nil)
    }
  }
}
