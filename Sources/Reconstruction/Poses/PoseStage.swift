import Codecs
import Imaging
import Session

/// Refines cameras by bundle adjustment, joins passes, and leaves out what cannot be used.
public enum PoseStage {
  /// Refines the poses of `set`, whose `masks` come from `MaskStage`. Throws `.cancelled`, and `.insufficientViews` where
  /// too little is left.
  public static func run(
    _ set: ViewSet, masks: ObjectMasks, pictures: ViewPictures, threads: Int = Parallel.processorCount,
    progress: any StageProgress
  ) throws(ReconstructionError) -> PoseResult {
    if let rig = set.rig {
      return try runSession(set, rig, masks: masks, pictures: pictures, threads: threads, progress: progress)
    }
    return try ForeignPoses(set: set, masks: masks, pictures: pictures, threads: threads, progress: progress).run()
  }

  private static func runSession(
    _ set: ViewSet, _ rig: RigContext, masks: ObjectMasks, pictures: ViewPictures, threads: Int,
    progress: any StageProgress
  ) throws(ReconstructionError) -> PoseResult {
    let level = MaskStage.level(for: set)
    let tally = Tally(progress, of: 16 * set.views.count)
    let slots = Slots<Plane<UInt16>>(count: set.views.count)
    try Parallel.forEach(set.views.count, threads: threads) { i throws(ReconstructionError) in
      slots[i] = try pictures.luminance(i, level: level)
      try tally.advance()
    }
    let planes = slots.values
    let features = try FeatureSet.detect(
      planes, lenses: set.views.map { pictures.lens($0.index, level: level) },
      masks: StillParts.moving(set, planes), level: level, threads: threads, tally: tally)
    let outcome = try SessionPoses(set: set, rig: rig, features: features, threads: threads, tally: tally).run()
    let refined = self.refined(set, outcome, level: level)
    let onObject = outcome.tracks.filter { !$0.isOnTable }
    let number = Dictionary(uniqueKeysWithValues: outcome.views.enumerated().map { ($0.element, $0.offset) })
    var points = try PointColours.points(onObject, pictures, level: level)
    for i in points.indices { points[i].views = points[i].views.compactMap { number[$0] } }
    let scale = Double(1 << level)
    var statistics = PoseStatistics()
    statistics.tracks = outcome.tracks.count
    statistics.observations = outcome.tracks.reduce(0) { $0 + $1.sightings.count }
    statistics.rmsBefore = scale * outcome.rmsBefore
    statistics.rmsAfter = scale * outcome.rmsAfter
    statistics.isRefined = true
    let final = try sessionMasks(
      refined, rig, outcome, points.map(\.position), pictures: pictures, level: level, threads: threads, tally: tally)
    return PoseResult(
      views: refined, masks: final, originals: outcome.views, points: points,
      registrations: outcome.registrations, statistics: statistics)
  }

  private static func sessionMasks(
    _ set: ViewSet, _ rig: RigContext, _ outcome: SessionPoses.Outcome, _ points: [SIMD3<Double>],
    pictures: ViewPictures, level: Int, threads: Int, tally: Tally
  ) throws(ReconstructionError) -> ObjectMasks {
    let slots = Slots<RGBImage>(count: outcome.views.count)
    try Parallel.forEach(outcome.views.count, threads: threads) { i throws(ReconstructionError) in
      slots[i] = try pictures.rgb(outcome.views[i], level: level)
      try tally.advance()
    }
    return try SessionMasks(
      set: set, rig: rig, pictures: slots.values, plates: plates(rig, level: level), model: outcome.model,
      originals: outcome.views, points: points, level: level, threads: threads, tally: tally
    ).run()
  }

  /// The plates of the empty table, undistorted and halved. They are screened by now; one that is gone since then is left
  /// out.
  private static func plates(_ rig: RigContext, level: Int) -> [(axes: AxisAngles, left: RGBImage, right: RGBImage)] {
    let maps = [rig.geometry.stereo.left, rig.geometry.stereo.right].map { PixelMap(from: $0, to: $0.pinhole) }
    return rig.plates.compactMap { plate in
      func picture(_ path: String, _ map: PixelMap) -> RGBImage? {
        guard let picture = try? Picture.read(path), picture.width == map.sourceWidth,
          picture.height == map.sourceHeight
        else {
          return nil
        }
        return (0..<level).reduce(map.apply(picture)) { p, _ in p.halved }
      }
      guard let left = picture(plate.left, maps[0]),
        let right = picture(plate.right, maps[1])
      else { return nil }
      return (plate.axes, left, right)
    }
  }

  /// The views that could be joined, with the model's lenses (brought back to full size) and poses.
  private static func refined(_ set: ViewSet, _ outcome: SessionPoses.Outcome, level: Int) -> ViewSet {
    var views = set
    let scale = Double(1 << level)
    for i in outcome.views {
      let camera = outcome.model.camera(i)
      views.views[i].cameraFromWorld = camera.cameraFromWorld
      views.views[i].lens.fx = scale * camera.lens.fx
      views.views[i].lens.fy = scale * camera.lens.fy
      views.views[i].lens.cx = scale * (camera.lens.cx + 0.5) - 0.5
      views.views[i].lens.cy = scale * (camera.lens.cy + 0.5) - 0.5
    }
    let kept = Set(outcome.views)
    for registration in outcome.registrations where registration.passFromFirst == nil {
      for view in set.views where view.pass == registration.pass && !kept.contains(view.index) {
        views.issues.append(
          SampleIssue(
            kind: .skipped, name: view.name,
            reason: "its pass could not be joined: \(registration.refusal ?? "unknown")"))
      }
    }
    return views.keeping(outcome.views)
  }
}

/// Colours of points, from the pictures that show them.
enum PointColours {
  /// The points of tracks with the colour in the middle view of each.
  static func points(
    _ tracks: [Track], _ pictures: ViewPictures, level: Int
  ) throws(ReconstructionError) -> [SparsePoint] {
    var byView: [Int: [Int]] = [:]
    for (i, track) in tracks.enumerated() {
      byView[track.sightings[track.sightings.count / 2].view, default: []].append(i)
    }
    var points = tracks.map {
      SparsePoint(position: $0.position, colour: .zero, views: $0.sightings.map(\.view))
    }
    for (view, indices) in byView.sorted(by: { $0.key < $1.key }) {
      let picture = try pictures.rgb(view, level: level)
      for i in indices {
        let p = tracks[i].sightings[tracks[i].sightings.count / 2].pixel
        let x = min(picture.width - 1, max(0, Int(p.x.rounded())))
        let y = min(picture.height - 1, max(0, Int(p.y.rounded())))
        points[i].colour = picture[x, y]
      }
    }
    return points
  }
}
