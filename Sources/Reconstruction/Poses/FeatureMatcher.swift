import CFeatures
import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// Matches features of views whose poses are roughly known: candidates lie along the epipolar segment between the depths
/// that the object's box allows.
struct FeatureMatcher {
  let features: FeatureSet
  let cameras: [Camera]
  let threads: Int
  /// Half the width of the epipolar band, in pixels of the feature level.
  var band = 3.0
  /// The largest squared distance of descriptors; 512² · 2 is as far as they get.
  var limit = 60_000
  /// The largest ratio to the second best candidate's distance.
  var ratio: Float = 0.85

  /// For each view the `count` others that look from nearly the same side, at least `least` apart, as ordered pairs
  /// (a < b) each once.
  static func neighbours(
    _ cameras: [Camera], among views: [Int], centre: SIMD3<Double>, count: Int, most: Double = 0.8, least: Double = 0.05
  ) -> [(Int, Int)] {
    let directions = views.map { (cameras[$0].cameraFromWorld.centre - centre).normalized }
    var pairs: Set<[Int]> = []
    for i in views.indices {
      let angles = views.indices.filter { $0 != i }.map { j in
        (angle: acosClamped(directions[i].dot(directions[j])), view: j)
      }.filter { $0.angle >= least && $0.angle <= most }.sorted { ($0.angle, $0.view) < ($1.angle, $1.view) }
      for near in angles.prefix(count) {
        let pair = [views[i], views[near.view]].sorted()
        pairs.insert(pair)
      }
    }
    return pairs.map { ($0[0], $0[1]) }.sorted { $0 < $1 }
  }

  /// Matches in all pairs, mutually best, in the order of the pairs.
  func matches(
    _ pairs: [(Int, Int)], in box: Box3, progress: Tally?
  ) throws(ReconstructionError) -> [Match] {
    let views = Set(pairs.flatMap { [$0.0, $0.1] })
    var ranges: [Int: DepthRange] = [:]
    for view in views { ranges[view] = DepthRange(features.features[view], cameras[view], box) }
    let depths = ranges
    let found = Slots<[Match]>(count: pairs.count)
    try Parallel.forEach(pairs.count, threads: threads) { i throws(ReconstructionError) in
      let (a, b) = pairs[i]
      guard let there = match(a, b, depths[a]!), let back = match(b, a, depths[b]!) else {
        throw ReconstructionError.outOfMemory("to match features")
      }
      found[i] = there.best.indices.compactMap { f in
        let other = there.best[f]
        guard other >= 0, back.best[Int(other)] == Int32(f) else { return nil }
        return Match(a: (a, f), b: (b, Int(other)), distance: Int(there.distance[f]))
      }
      try progress?.advance()
    }
    return found.values.flatMap { $0 }
  }

  private func match(_ a: Int, _ b: Int, _ range: DepthRange) -> (best: [Int32], distance: [Int32])? {
    let bFromA = cameras[b].cameraFromWorld * cameras[a].cameraFromWorld.inverse
    let r = bFromA.rotation
    let t = bFromA.translation
    let (here, there) = (cameras[a].lens, cameras[b].lens)
    var guide = cfeatures_guide(
      here: (here.fx, here.fy, here.cx, here.cy), there: (there.fx, there.fy, there.cx, there.cy),
      rotation: (r.row0.x, r.row0.y, r.row0.z, r.row1.x, r.row1.y, r.row1.z, r.row2.x, r.row2.y, r.row2.z),
      translation: (t.x, t.y, t.z), band: band)
    let (mine, theirs) = (features.features[a], features.features[b])
    var best = [Int32](repeating: -1, count: mine.count)
    var distance = best
    let status = cfeatures_match_guided(
      mine, range.nearest, range.farthest, Int32(mine.count), theirs, Int32(theirs.count), Int32(there.width),
      Int32(there.height), &guide, Int32(limit), ratio, &best, &distance)
    return status == 0 ? (best, distance) : nil
  }
}

/// How near and far each feature of a view can be if it lies in a box.
struct DepthRange: Sendable {
  var nearest: [Float] = []
  /// 0 where the feature's ray misses the box.
  var farthest: [Float] = []

  init(_ features: [cfeatures_feature], _ camera: Camera, _ box: Box3) {
    let origin = camera.cameraFromWorld.centre
    let turn = camera.cameraFromWorld.rotation.transpose
    for f in features {
      // the ray with z = 1 in the camera's frame, so that its parameter is the depth
      let ray = SIMD3(
        (Double(f.x) - camera.lens.cx) / camera.lens.fx, (Double(f.y) - camera.lens.cy) / camera.lens.fy, 1)
      let d = turn * ray
      var low = 1e-6
      var high = Double.infinity
      for axis in 0..<3 {
        let a = (box.min[axis] - origin[axis]) / d[axis]
        let b = (box.max[axis] - origin[axis]) / d[axis]
        low = max(low, min(a, b))
        high = min(high, max(a, b))
      }
      nearest.append(Float(low))
      farthest.append(high > low && high.isFinite ? Float(high) : 0)
    }
  }
}

/// The arc cosine of a number that rounding may have taken out of its range.
func acosClamped(_ x: Double) -> Double { acos(min(1, max(-1, x))) }
