/// When frames came while somebody waited for a pair, to say what was missing.
struct FrameTally {
  private var latest: [Int64?] = [nil, nil]
  private var arrivals: [Int64?] = [nil, nil]
  private var counts = [0, 0]
  private var damaged = [0, 0]
  private var nearest: UInt64?

  /// Notes when a frame was exposed, and when it came (nanoseconds, CLOCK_MONOTONIC).
  mutating func note(_ side: Side, _ time: Int64, arrived: Int64) {
    latest[side.rawValue] = time
    arrivals[side.rawValue] = arrived
    counts[side.rawValue] += 1
    guard let other = latest[side.other.rawValue] else { return }
    let distance = (time - other).magnitude
    nearest = min(nearest ?? distance, distance)
  }

  /// Notes a frame that is of no use.
  mutating func noteDamaged(_ side: Side) { damaged[side.rawValue] += 1 }

  /// Somebody begins to wait.
  mutating func begin() {
    nearest = nil
    counts = [0, 0]
    damaged = [0, 0]
  }

  /// How much later the right camera should have started to run in step with the left one, less than `period`; nil as long as
  /// fewer than `frames` frames of each say so, or where some were in step.
  func lagToStep(frames: Int, period: Int64, tolerance: Int64) -> Int64? {
    guard counts.allSatisfy({ $0 >= frames }), let nearest, nearest > UInt64(tolerance), period > 0,
      let left = latest[Side.left.rawValue], let right = latest[Side.right.rawValue]
    else { return nil }
    let ahead = (left - right) % period
    return ahead < 0 ? ahead + period : ahead
  }

  /// Why there was no pair since a moment.
  func verdict(since: Int64, names: [String], tolerance: Int64) -> String {
    var silent: [String] = []
    for (side, name) in zip(Side.allCases, names) where (arrivals[side.rawValue] ?? .min) < since {
      let count = damaged[side.rawValue]
      silent.append("\"\(name)\"" + (count > 0 ? " (\(count) were damaged)" : ""))
    }
    if !silent.isEmpty { return "no frame came from \(silent.joined(separator: " and ")): restart the cameras" }
    let milliseconds = { (nanoseconds: Double) in (nanoseconds / 1e4).rounded() / 100 }
    let distance = milliseconds(Double(nearest ?? 0))
    let limit = milliseconds(Double(tolerance))
    if latest.contains(where: { ($0 ?? .min) < since }) || nearest.map({ $0 <= UInt64(tolerance) }) ?? false {
      return "no pair of those that came was exposed after it was asked for: the computer may be too slow for such "
        + "pictures, or so many"
    }
    return "frames came from both cameras, \(distance) ms apart at best, where a pair's are within \(limit) ms: "
      + "they do not run at one pace"
  }
}
