import CMasks
import Testing

/// Statistics over the pictures of a pass, of however many stops.
@Suite struct SeriesTests {
  /// So many pictures of 40 RGB pixels, most of them nearly alike.
  private func series(_ count: Int) -> [[UInt8]] {
    var seed: UInt64 = 5
    func random(_ below: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % below
    }
    return (0..<count).map { _ in
      (0..<120).map { i in random(4) == 0 ? UInt8(random(256)) : UInt8(min(255, 2 * i + random(8))) }
    }
  }

  private func withBases<Result>(
    _ pictures: [[UInt8]], _ body: ([UnsafePointer<UInt8>?]) -> Result
  ) -> Result {
    let whole = pictures.flatMap { $0 }
    return whole.withUnsafeBufferPointer { buffer in
      body(pictures.indices.map { buffer.baseAddress! + $0 * pictures[0].count })
    }
  }

  @Test(arguments: [1, 2, 20, 48, 49, 255, 256, 400]) func theMedianAndWhoAgreesWithItCountEveryPicture(count: Int) {
    let pictures = series(count)
    var median = [UInt8](repeating: 0, count: 120)
    var agreement = [UInt16](repeating: 0, count: 40)
    withBases(pictures) { bases in
      cmasks_median(bases, Int32(count), 120, &median)
      cmasks_agreement(bases, Int32(count), median, 40, 8, &agreement)
    }
    for i in 0..<120 {
      let sorted = pictures.map { $0[i] }.sorted()
      #expect(median[i] == sorted[count / 2])
    }
    for i in 0..<40 {
      let green = Int(median[3 * i + 1])
      let near = pictures.filter { abs(Int($0[3 * i + 1]) - green) <= 8 }
      #expect(Int(agreement[i]) == near.count)
    }
  }
}
