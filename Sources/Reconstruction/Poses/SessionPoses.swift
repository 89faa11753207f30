import CFeatures
import Imaging
import Session

/// Poses of a session: the rig's model adjusted to what the pictures show, pass by pass, and all passes in the frame of the
/// object as it lay in the first.
struct SessionPoses {
  let set: ViewSet
  let rig: RigContext
  let features: FeatureSet
  let threads: Int
  let tally: Tally

  /// What came out.
  struct Outcome {
    var model: RigModel
    /// Views of passes that could be joined.
    var views: [Int]
    var tracks: [Track]
    var registrations: [PassRegistration]
    /// In pixels of the feature level.
    var rmsBefore: Double
    var rmsAfter: Double
  }

  /// Joins all passes it can. Throws `.cancelled`, and `.insufficientViews` where not even the first pass holds together.
  func run() throws(ReconstructionError) -> Outcome {
    var model = RigModel(set, rig, lenses: features.lenses)
    let passes = rig.passes.filter { pass in set.views.contains { $0.pass == pass.index } }
    guard let first = passes.first else {
      throw ReconstructionError(.insufficientViews, "the session has no pass with pictures")
    }
    var active = views(of: first.index)
    let (map, before) = try settlePass(&model, active, isFirst: true)
    var tracks = map
    var registrations: [PassRegistration] = []
    for pass in passes.dropFirst() {
      let own = views(of: pass.index)
      if let refusal = dependence(of: pass, on: active, model) {
        registrations.append(
          PassRegistration(pass: pass.index, passFromFirst: nil, inliers: 0, rms: 0, refusal: refusal))
        continue
      }
      let result = try join(pass, own, to: active, tracks, &model)
      registrations.append(result.registration)
      guard result.registration.passFromFirst != nil else { continue }
      active = (active + own).sorted()
      tracks += result.tracks
    }
    if active.count > views(of: first.index).count {
      tracks = try round(&model, active, band: 4, tolerance: 4, aligns: true)
    }
    for i in registrations.indices where registrations[i].passFromFirst != nil {
      registrations[i].passFromFirst = model.objects[objectIndex(registrations[i].pass, model)]
    }
    return Outcome(
      model: model, views: active, tracks: tracks, registrations: registrations, rmsBefore: before,
      rmsAfter: Triangulation.rms(tracks, cameras(model)))
  }

  private func views(of pass: Int) -> [Int] { set.views.indices.filter { set.views[$0].pass == pass } }
  private func cameras(_ model: RigModel) -> [Camera] { set.views.indices.map { model.camera($0) } }
  private func objectIndex(_ pass: Int, _ model: RigModel) -> Int { model.places[views(of: pass)[0]].object }

  // MARK: one pass

  /// Brings one pass to agree with itself: a wide band first, then a narrow one.
  private func settlePass(
    _ model: inout RigModel, _ active: [Int], isFirst: Bool
  ) throws(ReconstructionError) -> (tracks: [Track], before: Double) {
    let cameras = cameras(model)
    let rough = try match(model, active, band: isFirst ? 10 : 5, count: 6)
    let wide = Triangulation.settle(rough, cameras, tolerance: isFirst ? 10 : 5)
    guard wide.count >= 30 else {
      throw ReconstructionError(
        .insufficientViews,
        "only \(wide.count) points of the object could be followed; it may have too little texture, or the table did not turn"
      )
    }
    let before = Triangulation.rms(wide, cameras)
    try RigAdjustment().adjust(&model, classified(wide, model), tally: tally)
    return (try round(&model, active, band: 2.5, tolerance: 3, aligns: false), before)
  }

  /// Matches, triangulates and adjusts over `active` views, whose poses are nearly right.
  private func round(
    _ model: inout RigModel, _ active: [Int], band: Double, tolerance: Double, aligns: Bool
  ) throws(ReconstructionError) -> [Track] {
    var tracks = try match(model, active, band: band, count: aligns ? 10 : 6)
    tracks = Triangulation.settle(tracks, cameras(model), tolerance: tolerance)
    if aligns {
      let alignment = SubPixelAlignment(features: features, cameras: cameras(model), threads: threads)
      tracks = Triangulation.settle(
        try alignment.aligned(tracks, tally: tally), cameras(model), tolerance: tolerance)
    }
    for limit in aligns ? [2, 1.2] : [2.0] {
      try RigAdjustment().adjust(&model, classified(tracks, model), tally: tally)
      tracks = Triangulation.settle(tracks, cameras(model), tolerance: limit)
    }
    return classified(tracks, model)
  }

  private func match(
    _ model: RigModel, _ active: [Int], band: Double, count: Int
  ) throws(ReconstructionError) -> [Track] {
    let cameras = cameras(model)
    let pairs = FeatureMatcher.neighbours(
      cameras, among: active, centre: SIMD3(0, 30, 0), count: count, most: 0.7, least: 0.08)
    var matcher = FeatureMatcher(features: features, cameras: cameras, threads: threads)
    matcher.band = band
    return TrackBuilder.tracks(try matcher.matches(pairs, in: matchingBox, progress: tally), features)
  }

  /// Where anything that turns with the table can be, also after flips.
  private var matchingBox: Box3 {
    let r = rig.geometry.tableRadius * 1.02
    return Box3(min: [-r, -r, -r], max: [r, 2 * r, r])
  }

  /// Marks the points on the disc: all sights from one placing of the object, and on the table's plane.
  private func classified(_ tracks: [Track], _ model: RigModel) -> [Track] {
    tracks.map { track in
      var track = track
      let object = model.places[track.sightings[0].view].object
      let isOfOne = track.sightings.allSatisfy { model.places[$0.view].object == object }
      let p = model.objects[object] * track.position
      track.isOnTable = isOfOne && abs(p.y) < 0.8 && (p.x * p.x + p.z * p.z).squareRoot() < rig.geometry.tableRadius
      return track
    }
  }

  // MARK: joining passes

  private struct Joined {
    var registration: PassRegistration
    var tracks: [Track]
  }

  private func join(
    _ pass: PassRecord, _ own: [Int], to active: [Int], _ map: [Track], _ model: inout RigModel
  ) throws(ReconstructionError) -> Joined {
    var trial = model
    do throws(ReconstructionError) {
      let joined =
        pass.kind == .height
        ? try joinHeight(pass.index, own, map, &trial) : try joinFlip(pass.index, own, map, &trial)
      if joined.registration.passFromFirst != nil { model = trial }
      return joined
    } catch {
      guard error.kind == .insufficientViews else { throw error }
      return Joined(
        registration: PassRegistration(
          pass: pass.index, passFromFirst: nil, inliers: 0, rms: 0, refusal: error.message), tracks: [])
    }
  }

  /// Why a pass cannot be joined because one before it was not: after another height the object must lie as in a joined
  /// pass, after a flip the head must stand as in one (or as it was calibrated).
  private func dependence(of pass: PassRecord, on active: [Int], _ model: RigModel) -> String? {
    let place = model.places[views(of: pass.index)[0]]
    let known = active.map { model.places[$0] }
    if pass.kind == .height, !known.contains(where: { $0.object == place.object }) {
      return "the pass in which the object was laid this way could not be joined"
    }
    if pass.kind == .flip, !model.heads[place.head].isCalibrated, !known.contains(where: { $0.head == place.head }) {
      return "the pass in which the head was set this way could not be joined"
    }
    return nil
  }

  /// The object lies differently: find how, from points on it.
  private func joinFlip(
    _ pass: Int, _ own: [Int], _ map: [Track], _ model: inout RigModel
  ) throws(ReconstructionError) -> Joined {
    let object = model.places[own[0]].object
    let tracks = try settlePass(&model, own, isFirst: false).tracks
    var here = PointLooks()
    var there = PointLooks()
    for track in longest(tracks.filter { !$0.isOnTable && isObject($0.position) }) {
      there.append(track.position, track.sightings, features)
    }
    for track in longest(map.filter { !$0.isOnTable && isObject(model.objects[0] * $0.position) }) {
      here.append(track.position, track.sightings, features)
    }
    let size = extent(here.positions)
    let judged = judge(here, there, size: size, pass: pass)
    if let motion = judged.passFromFirst {
      model.objects[object] = motion
      // later height passes have the same object frame: tracks in world coordinates from here on
      let back = motion.inverse
      return Joined(
        registration: judged,
        tracks: tracks.map { track in
          var track = track
          track.position = back * track.position
          return track
        })
    }
    return Joined(registration: judged, tracks: [])
  }

  private func judge(_ here: PointLooks, _ there: PointLooks, size: Double, pass: Int) -> PassRegistration {
    var result = PassRegistration(pass: pass, passFromFirst: nil, inliers: 0, rms: 0, refusal: nil)
    guard here.positions.count >= 15, there.positions.count >= 15 else {
      result.refusal = "the object has too little texture to recognise it after it was turned over"
      return result
    }
    let tolerance = max(0.6, 0.008 * size)
    let pairs = here.pairs(with: there, limit: 90_000).filter { !isTable($0, tolerance) }
    let registration = RigidRegistration(tolerance: tolerance, size: size)
    guard let found = registration.hypotheses(pairs) else {
      result.refusal = "no part of the object was recognised after it was turned over"
      return result
    }
    result.inliers = found.best.inliers.count
    result.rms = found.best.rms
    guard found.best.inliers.count >= 12 else {
      result.refusal = "only \(found.best.inliers.count) points of the object were recognised after it was turned over"
      return result
    }
    guard Double(found.second) < 0.6 * Double(found.best.inliers.count) else {
      result.refusal =
        "the object looks alike from several sides (\(found.best.inliers.count) against \(found.second) points), so how it was turned cannot be told"
      return result
    }
    result.passFromFirst = found.best.bFromA
    return result
  }

  /// Whether a pair of points that look alike is one place of the disc, measured too high: it is low, and it is where it
  /// was before the object was turned over. The disc is there in every pass and stays, so that the worse the object
  /// can be recognised, the more such points would say that it was not moved at all.
  private func isTable(_ pair: RigidRegistration.Pair, _ tolerance: Double) -> Bool {
    max(pair.a.y, pair.b.y) < 8 && (pair.a - pair.b).length < 3 * tolerance
  }

  /// The head stands elsewhere: find where, from points of the pair that are known from before. The pair's own depth makes
  /// them points in the camera's frame.
  private func joinHeight(
    _ pass: Int, _ own: [Int], _ map: [Track], _ model: inout RigModel
  ) throws(ReconstructionError) -> Joined {
    let place = model.places[own[0]]
    var here = PointLooks()
    for track in longest(map.filter { isKnown($0, for: place, model) }, most: 3000) {
      here.append(track.position, track.sightings, features)
    }
    var pairs: [RigidRegistration.Pair] = []
    let stops = Array(Swift.Set(own.map { model.places[$0].stop })).sorted()
    for stop in stops.enumerated().filter({ $0.offset % max(1, stops.count / 6) == 0 }).map(\.element) {
      let views = own.filter { model.places[$0].stop == stop }
      guard views.count == 2 else { continue }
      let there = try pairPoints(views[0], views[1], model)
      let turn = RigidTransform(
        rotation: .rotation(Angle(radians: model.stops[stop].angle), about: [0, 1, 0]), translation: .zero)
      for pair in here.pairs(with: there, limit: 90_000).prefix(3000) {
        var pair = pair
        // in the table's frame all stops have the same head
        pair.a = turn * (model.objects[place.object] * pair.a)
        pair.indexA += stop * 1_000_000
        pair.indexB += stop * 1_000_000
        pairs.append(pair)
      }
    }
    let size = rig.geometry.tableRadius
    let registration = RigidRegistration(tolerance: max(1, 0.01 * size), size: size)
    guard let found = registration.hypotheses(pairs), found.best.inliers.count >= 30 else {
      return Joined(
        registration: PassRegistration(
          pass: pass, passFromFirst: nil, inliers: 0, rms: 0,
          refusal: "what the head sees from its new height was not recognised"), tracks: [])
    }
    guard Double(found.second) < 0.6 * Double(found.best.inliers.count) else {
      return Joined(
        registration: PassRegistration(
          pass: pass, passFromFirst: nil, inliers: found.best.inliers.count, rms: found.best.rms,
          refusal: "the object and the table look alike from several sides, so where the head stands cannot be told"),
        tracks: [])
    }
    model.heads[place.head].leftFromTable = found.best.bFromA
    let tracks = try settlePass(&model, own, isFirst: true).tracks
    return Joined(
      registration: PassRegistration(
        pass: pass, passFromFirst: model.objects[place.object], inliers: found.best.inliers.count, rms: found.best.rms,
        refusal: nil), tracks: tracks)
  }

  /// Whether a point is where it was for a later pass: on the object always, on the disc only while the object was not moved.
  private func isKnown(_ track: Track, for place: RigModel.Place, _ model: RigModel) -> Bool {
    !track.isOnTable || model.places[track.sightings[0].view].object == place.object
  }

  /// Points of one stereo pair in the left camera's frame.
  private func pairPoints(_ left: Int, _ right: Int, _ model: RigModel) throws(ReconstructionError) -> PointLooks {
    var cameras = cameras(model)
    cameras[left].cameraFromWorld = .identity
    cameras[right].cameraFromWorld = model.rightFromLeft
    var matcher = FeatureMatcher(features: features, cameras: cameras, threads: threads)
    matcher.band = 2
    let reach = 12 * model.rightFromLeft.translation.length
    let box = Box3(min: [-reach, -reach, reach / 6], max: [reach, reach, reach])
    let matches = try matcher.matches([(left, right)], in: box, progress: nil)
    let tracks = Triangulation.settle(
      TrackBuilder.tracks(matches, features), cameras, tolerance: 1.5, parallax: 0.02)
    var looks = PointLooks()
    for track in tracks { looks.append(track.position, track.sightings, features) }
    return looks
  }

  /// Whether a point in a pass's own object frame is above the disc.
  private func isObject(_ p: SIMD3<Double>) -> Bool {
    p.y > 1 && (p.x * p.x + p.z * p.z).squareRoot() < rig.geometry.tableRadius
  }

  /// The tracks with the most sightings.
  private func longest(_ tracks: [Track], most: Int = 2500) -> [Track] {
    let order = tracks.indices.sorted {
      (-tracks[$0].sightings.count, $0) < (-tracks[$1].sightings.count, $1)
    }
    return order.prefix(most).map { tracks[$0] }
  }

  /// The diagonal of the box around all but the outermost points.
  private func extent(_ points: [SIMD3<Double>]) -> Double {
    guard points.count >= 10 else { return rig.geometry.tableRadius }
    var size = SIMD3<Double>.zero
    for axis in 0..<3 {
      let sorted = points.map { $0[axis] }.sorted()
      size[axis] = sorted[sorted.count * 97 / 100] - sorted[sorted.count * 3 / 100]
    }
    return max(10, size.length)
  }
}
