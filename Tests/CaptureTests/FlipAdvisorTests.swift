import Capture
import Imaging
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// What turns on the table is a painted drum, drawn here with nothing but its paint.
@Suite struct FlipAdvisorTests {
  /// A drum of 80 pixels' radius that stands `aside` pixels beside the axis. `source` says for each angle of the drum, in
  /// degrees from 0 to 360, which angle's paint it has.
  private func drum(
    contrast: Double, aside: Double, turned angle: Angle, _ source: (Double) -> Double
  ) -> RGBImage {
    let (width, height) = (240, 240)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(3 * width * height)
    let middle = 120 + aside * cos(angle.radians)
    for y in 0..<height {
      for x in 0..<width {
        let s = (Double(x) - middle) / 80
        var value = 40.0
        if abs(s) < 1 {
          let around = Angle(radians: asin(s)).degrees + angle.degrees
          let cell = Int((source(around - (around / 360).rounded(.down) * 360) / 5).rounded(.down))
          // shading, and paint in cells of five degrees
          value = 150 * (0.6 + 0.4 * (1 - s * s).squareRoot()) * (1 + contrast * paint(cell, y / 8))
        }
        bytes += [UInt8](repeating: UInt8(max(0, min(255, value + noise(x, y, Int(angle.degrees))))), count: 3)
      }
    }
    return RGBImage(width: width, height: height, bytes: bytes)
  }

  /// -1…1.
  private func paint(_ a: Int, _ b: Int) -> Double {
    var random = SplitMix(seed: UInt64(a) &* 1_000_003 &+ UInt64(b))
    return Double(random.next() % 2001) / 1000 - 1
  }

  private func noise(_ x: Int, _ y: Int, _ z: Int) -> Double { 2 * paint(x &+ 7919 &* z, y &+ 104_729) }

  private func advice(folds: Int, stops: Int, contrast: Double = 0.4, aside: Double = 4) -> PassAdvice {
    advice(stops: stops, contrast: contrast, aside: aside) { $0.truncatingRemainder(dividingBy: 360 / Double(folds)) }
  }

  private func advice(
    stops: Int, contrast: Double = 0.4, aside: Double = 4, _ source: (Double) -> Double
  ) -> PassAdvice {
    var advisor = FlipAdvisor()
    for stop in 0..<stops {
      let angle = Angle.degrees(360 * Double(stop) / Double(stops))
      advisor.add(
        drum(contrast: contrast, aside: aside, turned: angle, source),
        in: PixelRect(x: 36, y: 20, width: 168, height: 200), turntable: angle)
    }
    return advisor.advice(after: [.first])
  }

  @Test(arguments: [14, 20, 36]) func whatIsPaintedAllDifferentIsWorthTurningOver(stops: Int) {
    let advice = advice(folds: 1, stops: stops)
    #expect(advice.isFlippable && advice.choice == .flipped, "\(advice.reason)")
  }

  @Test(arguments: [(12, 14), (12, 20), (12, 36), (8, 20), (2, 14), (2, 20), (4, 36)])
  func whatRepeatsIsNot(folds: Int, stops: Int) {
    let advice = advice(folds: folds, stops: stops)
    #expect(!advice.isFlippable && advice.choice == .height, "\(advice.reason)")
    #expect(advice.reason.contains("repeats") || advice.reason.contains("the same all around"), "\(advice.reason)")
  }

  @Test(arguments: [20, 36]) func sidesThatAreAlikeAreNotCalledARepetition(stops: Int) {
    // five sides of 72°, three of them the same: they come again after 72° and 144° from each other, the others do not
    let advice = advice(stops: stops) { angle in angle < 216 ? angle.truncatingRemainder(dividingBy: 72) : angle }
    #expect(!advice.reason.contains("repeats"), "\(advice.reason)")
  }

  @Test(arguments: [0.0, 24]) func whatIsNotPaintedIsNot(aside: Double) {
    // far beside the axis its outline crosses the window
    let advice = advice(folds: 1, stops: 20, contrast: 0, aside: aside)
    #expect(!advice.isFlippable && advice.reason.contains("texture"), "\(advice.reason)")
  }
}
