import Imaging

/// One sight of a point.
struct Sighting: Sendable, Hashable {
  var view: Int
  var feature: Int
  /// In pixels of the feature level.
  var pixel: SIMD2<Double>
}

/// A point and who saw it.
struct Track: Sendable {
  var position: SIMD3<Double>
  /// Ascending by view, one a view.
  var sightings: [Sighting]
  /// Whether the point lies on the turntable's disc.
  var isOnTable = false
}

/// A pair of features that look alike.
struct Match: Sendable {
  var a: (view: Int, feature: Int)
  var b: (view: Int, feature: Int)
  var distance: Int
}

/// Joins matches to tracks.
enum TrackBuilder {
  /// Joins the best matches first, and never so that a track would hold two features of one view.
  static func tracks(_ matches: [Match], _ features: FeatureSet) -> [Track] {
    var offsets = [0]
    for list in features.features { offsets.append(offsets.last! + list.count) }
    var parent = Array(0..<offsets.last!)
    var members: [Int: [Sighting]] = [:]
    func root(_ i: Int) -> Int {
      var i = i
      while parent[i] != i {
        parent[i] = parent[parent[i]]
        i = parent[i]
      }
      return i
    }
    func sightings(_ root: Int, _ view: Int, _ feature: Int) -> [Sighting] {
      members[root] ?? [Sighting(view: view, feature: feature, pixel: features.place(view, feature))]
    }
    let order = matches.indices.sorted { (matches[$0].distance, $0) < (matches[$1].distance, $1) }
    for m in order {
      let (a, b) = (matches[m].a, matches[m].b)
      let ra = root(offsets[a.view] + a.feature)
      let rb = root(offsets[b.view] + b.feature)
      if ra == rb { continue }
      let sa = sightings(ra, a.view, a.feature)
      let sb = sightings(rb, b.view, b.feature)
      guard let joined = merge(sa, sb) else { continue }
      parent[rb] = ra
      members[rb] = nil
      members[ra] = joined
    }
    return members.sorted { $0.key < $1.key }.map { Track(position: .zero, sightings: $0.value) }
  }

  /// Two lists ascending by view as one, or nil where they share a view.
  private static func merge(_ a: [Sighting], _ b: [Sighting]) -> [Sighting]? {
    var out: [Sighting] = []
    out.reserveCapacity(a.count + b.count)
    var (i, j) = (0, 0)
    while i < a.count || j < b.count {
      if i < a.count && j < b.count && a[i].view == b[j].view { return nil }
      if j == b.count || (i < a.count && a[i].view < b[j].view) {
        out.append(a[i])
        i += 1
      } else {
        out.append(b[j])
        j += 1
      }
    }
    return out
  }
}
