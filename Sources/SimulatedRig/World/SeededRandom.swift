#if canImport(Glibc)
  import Glibc
#endif

/// The world's chance: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014), one
/// stream for each purpose, so that adding a use in one place changes nothing in another.
struct SeededRandom: RandomNumberGenerator, Sendable, Codable {
  private var state: UInt64

  init(seed: UInt64, stream: String) {
    var h: UInt64 = 0xcbf2_9ce4_8422_2325  // FNV-1a
    for byte in stream.utf8 { h = (h ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    state = seed &* 0x9e37_79b9_7f4a_7c15 ^ h
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// Evenly in a range.
  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * Double(next() >> 11) / 9_007_199_254_740_992
  }

  /// Normally distributed about zero; never beyond 2.5 deviations: a rig that far off is repaired, not used.
  mutating func normal(_ deviation: Double) -> Double {
    while true {
      let u = uniform(1e-12...1)
      let v = uniform(0...1)
      let x = (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
      if x.magnitude <= 2.5 { return x * deviation }
    }
  }

  /// Three independent normal numbers.
  mutating func normal3(_ deviation: Double) -> SIMD3<Double> {
    SIMD3(normal(deviation), normal(deviation), normal(deviation))
  }
}
