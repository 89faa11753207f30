import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// Makes views agree about brightness and tint, and finds the views of each triangle that show something else there: a
/// highlight, a shadow, a hand.
enum ExposureBalance {
  /// Gains a channel for each view, near 1: least squares of log colours over all triangles, alternately for the gains and
  /// for the triangles' own colours, with a pull towards no change.
  static func gains(_ observations: FaceObservations, viewCount: Int) -> [SIMD3<Float>] {
    var logGain = [SIMD3<Float>](repeating: .zero, count: viewCount)
    let logs = observations.all.map { log($0.colour) }
    for _ in 0..<8 {
      var sum = [SIMD3<Float>](repeating: .zero, count: viewCount)
      var weight = [Float](repeating: 0, count: viewCount)
      for t in 0..<observations.first.count - 1 {
        let range = Int(observations.first[t])..<Int(observations.first[t + 1])
        guard range.count >= 2 else { continue }
        var mean = SIMD3<Float>.zero
        var total: Float = 0
        for i in range {
          let o = observations.all[i]
          mean += (logs[i] + logGain[Int(o.view)]) * o.quality
          total += o.quality
        }
        guard total > 0 else { continue }
        mean /= total
        for i in range {
          let o = observations.all[i]
          let view = Int(o.view)
          let off = mean - logs[i]
          // far-off colours are highlights and the like: they say nothing about exposure
          let miss = (off - logGain[view]).length
          let w = o.quality / (1 + (miss / 0.1) * (miss / 0.1))
          sum[view] += off * w
          weight[view] += w
        }
      }
      let typical = weight.reduce(0, +) / Float(max(1, viewCount))
      for v in 0..<viewCount where weight[v] > 0 { logGain[v] = sum[v] / (weight[v] + 0.02 * typical) }
      let mean = logGain.reduce(.zero, +) / Float(max(1, viewCount))
      for v in 0..<viewCount { logGain[v] -= mean }
    }
    return logGain.map { g in
      SIMD3(exp(g.x), exp(g.y), exp(g.z)).clamped(lowerBound: .init(repeating: 0.5), upperBound: .init(repeating: 2))
    }
  }

  private static func log(_ c: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3(Glibc.log(max(c.x, 4)), Glibc.log(max(c.y, 4)), Glibc.log(max(c.z, 4)))
  }

  /// The typical colour of each triangle (a median over its views, weighted by quality), and the observations without
  /// those far from it. Colours must be compensated already. A triangle nobody sees has the colour nil.
  static func consensus(
    _ observations: FaceObservations
  ) -> (colours: [SIMD3<Float>?], kept: FaceObservations) {
    let count = observations.first.count - 1
    var colours = [SIMD3<Float>?](repeating: nil, count: count)
    var kept = observations
    kept.all.removeAll(keepingCapacity: true)
    for t in 0..<count {
      let seen = observations[t]
      kept.first[t] = Int32(kept.all.count)
      guard !seen.isEmpty else { continue }
      var middle = SIMD3<Float>.zero
      var spread = SIMD3<Float>.zero
      for k in 0..<3 {
        middle[k] = weightedMedian(seen.map { ($0.colour[k], $0.quality) })
        spread[k] = weightedMedian(seen.map { (($0.colour[k] - middle[k]).magnitude, $0.quality) })
      }
      // 1.48 spreads are one standard deviation of a bell curve
      let limit = (spread * 1.4826 * 2.5).clamped(lowerBound: .init(repeating: 10), upperBound: .init(repeating: 45))
      let good = seen.filter { o in
        seen.count < 4 || (0..<3).allSatisfy { (o.colour[$0] - middle[$0]).magnitude <= limit[$0] }
      }
      kept.all += good.isEmpty ? Array(seen) : good
      var sum = SIMD3<Float>.zero
      var total: Float = 0
      for o in good {
        sum += o.colour * o.quality
        total += o.quality
      }
      colours[t] = total > 0 ? sum / total : middle
    }
    kept.first[count] = Int32(kept.all.count)
    return (colours, kept)
  }

  private static func weightedMedian(_ values: [(value: Float, weight: Float)]) -> Float {
    let sorted = values.sorted { $0.value < $1.value }
    let half = sorted.reduce(0) { $0 + $1.weight } / 2
    var sum: Float = 0
    for item in sorted {
      sum += item.weight
      if sum >= half { return item.value }
    }
    return sorted.last?.value ?? 0
  }
}
