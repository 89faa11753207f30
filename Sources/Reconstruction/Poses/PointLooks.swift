import CFeatures
import Imaging

/// Points with what they look like, for finding the same points again from elsewhere.
struct PointLooks {
  /// Where each point is.
  var positions: [SIMD3<Double>] = []
  /// Descriptors one after the other, and whose they are.
  private var descriptors: [UInt8] = []
  private var owners: [Int] = []

  /// Adds a point as its sightings show it: the first, the middle and the last of them.
  mutating func append(_ position: SIMD3<Double>, _ sightings: [Sighting], _ features: FeatureSet) {
    let number = positions.count
    positions.append(position)
    for i in Set([0, sightings.count / 2, sightings.count - 1]).sorted() {
      let s = sightings[i]
      withUnsafeBytes(of: features.features[s.view][s.feature].descriptor) { descriptors += $0 }
      owners.append(number)
    }
  }

  /// Pairs of points that look alike: for each look here the two nearest there, as close as `limit`.
  func pairs(with other: PointLooks, limit: Int) -> [RigidRegistration.Pair] {
    let k = 3
    guard !owners.isEmpty, !other.owners.isEmpty else { return [] }
    let threads = 16
    let size = Int(CFEATURES_DESCRIPTOR)
    let step = (owners.count + threads - 1) / threads
    let results = Slots<[(Int32, Int32)]>(count: threads)
    Parallel.forEach(threads) { t in
      let range = min(owners.count, t * step)..<min(owners.count, (t + 1) * step)
      var best = [Int32](repeating: -1, count: range.count * k)
      var distance = best
      descriptors.withUnsafeBufferPointer { mine in
        cfeatures_match_all(
          mine.baseAddress! + range.lowerBound * size, Int32(range.count), other.descriptors, Int32(other.owners.count),
          Int32(k), &best, &distance)
      }
      results[t] = Array(zip(best, distance))
    }
    var closest: [[Int]: Int] = [:]
    for (i, (there, distance)) in results.values.joined().enumerated() where there >= 0 && distance <= limit {
      let key = [owners[i / k], other.owners[Int(there)]]
      closest[key] = min(closest[key] ?? .max, Int(distance))
    }
    return closest.sorted { ($0.value, $0.key[0], $0.key[1]) < ($1.value, $1.key[0], $1.key[1]) }.map { key, distance in
      RigidRegistration.Pair(
        a: positions[key[0]], b: other.positions[key[1]], indexA: key[0], indexB: key[1], distance: distance)
    }
  }
}
