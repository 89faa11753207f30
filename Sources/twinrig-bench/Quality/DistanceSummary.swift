/// What many distances come to.
struct DistanceSummary {
  var mean: Double
  var rms: Double
  var median: Double
  var ninety: Double
  /// The share of the distances below the first and the second threshold.
  var within: (fine: Double, coarse: Double)

  init(_ distances: [Float], fine: Double, coarse: Double) {
    let sorted = distances.map(Double.init).sorted()
    let count = Double(max(sorted.count, 1))
    mean = sorted.reduce(0, +) / count
    rms = (sorted.reduce(0) { $0 + $1 * $1 } / count).squareRoot()
    median = DistanceSummary.quantile(sorted, 0.5)
    ninety = DistanceSummary.quantile(sorted, 0.9)
    within = (Double(sorted.count { $0 < fine }) / count, Double(sorted.count { $0 < coarse }) / count)
  }

  /// The quantile of sorted numbers, between two of them by linear interpolation.
  private static func quantile(_ sorted: [Double], _ q: Double) -> Double {
    guard let last = sorted.last else { return 0 }
    let place = q * Double(sorted.count - 1)
    let below = Int(place)
    guard below + 1 < sorted.count else { return last }
    return sorted[below] + (place - Double(below)) * (sorted[below + 1] - sorted[below])
  }
}
