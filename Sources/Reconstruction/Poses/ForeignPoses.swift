import CSolver
import Imaging

/// Poses that somebody else determined. They are believed unless the pictures clearly say otherwise: refined poses are
/// taken only where tracks that had no say in the refinement fit better with them.
struct ForeignPoses {
  let set: ViewSet
  let masks: ObjectMasks
  let pictures: ViewPictures
  let threads: Int
  let progress: any StageProgress

  /// Poses that explain the pictures this well, in pixels of full size, are left alone.
  static let goodEnough = 0.5

  func run() throws(ReconstructionError) -> PoseResult {
    let level = MaskStage.level(for: set)
    let tally = Tally(progress, of: 9 * set.views.count)
    let features = try FeatureSet.detect(
      set, pictures: pictures, masks: masks.masks, level: level, threads: threads, tally: tally)
    var cameras = set.views.map { Camera(lens: features.lenses[$0.index], cameraFromWorld: $0.cameraFromWorld) }
    var tracks = try self.tracks(features, cameras, tally)
    var statistics = PoseStatistics()
    let scale = Double(1 << level)
    statistics.rmsBefore = scale * Triangulation.rms(tracks, cameras)
    statistics.rmsAfter = statistics.rmsBefore
    if statistics.rmsBefore > Self.goodEnough, tracks.count >= 50 {
      try refine(&cameras, tracks, scale: scale, &statistics, tally)
      tracks = Triangulation.settle(tracks, cameras, tolerance: 3 / scale + 1)
      statistics.rmsAfter = scale * Triangulation.rms(tracks, cameras)
    }
    statistics.tracks = tracks.count
    statistics.observations = tracks.reduce(0) { $0 + $1.sightings.count }
    var views = set
    for i in views.views.indices { views.views[i].cameraFromWorld = cameras[i].cameraFromWorld }
    return PoseResult(
      views: views, masks: masks, originals: Array(set.views.indices),
      points: try PointColours.points(tracks, pictures, level: level), registrations: [], statistics: statistics)
  }

  private func tracks(
    _ features: FeatureSet, _ cameras: [Camera], _ tally: Tally
  ) throws(ReconstructionError) -> [Track] {
    let pairs = FeatureMatcher.neighbours(
      cameras, among: Array(cameras.indices), centre: masks.box.centre, count: 8)
    let matcher = FeatureMatcher(features: features, cameras: cameras, threads: threads)
    let margin = 0.02 * masks.box.diagonal
    let box = Box3(min: masks.box.min - margin, max: masks.box.max + margin)
    let matches = try matcher.matches(pairs, in: box, progress: tally)
    let rough = Triangulation.settle(TrackBuilder.tracks(matches, features), cameras, tolerance: 4)
    let alignment = SubPixelAlignment(features: features, cameras: cameras, threads: threads)
    return Triangulation.settle(try alignment.aligned(rough, tally: tally), cameras, tolerance: 3)
  }

  private func refine(
    _ cameras: inout [Camera], _ tracks: [Track], scale: Double, _ statistics: inout PoseStatistics, _ tally: Tally
  ) throws(ReconstructionError) {
    var used: [Track] = []
    var heldOut: [Track] = []
    for (i, track) in tracks.enumerated() {
      if i % 4 == 3 { heldOut.append(track) } else { used.append(track) }
    }
    var bundle = BundleAdjustment()
    let distance = cameras.map { ($0.cameraFromWorld.centre - masks.box.centre).length }.max() ?? 1
    for camera in cameras {
      let lens = camera.lens
      bundle.lenses.append(
        csolver_lens(fx: lens.fx, fy: lens.fy, cx: lens.cx, cy: lens.cy, focal_sigma: 0, centre_sigma: 0))
      bundle.views.append(
        csolver_view(
          lens: Int32(bundle.views.count), side: -1, head: Int32(bundle.views.count), turn: -1, object: -1, angle: 0))
      bundle.poses.append(
        BundleAdjustment.pose(
          camera.cameraFromWorld, rotationSigma: 0.002, translationSigma: 0.002 * distance))
    }
    try bundle.solve(&used, tally: tally)
    var refined = cameras
    for i in refined.indices { refined[i].cameraFromWorld = RigidTransform(bundle.poses[i]) }
    statistics.heldOutBefore = scale * error(heldOut, cameras)
    statistics.heldOutAfter = scale * error(heldOut, refined)
    if statistics.heldOutAfter < 0.95 * statistics.heldOutBefore {
      cameras = refined
      statistics.isRefined = true
    }
  }

  /// The error of tracks that are triangulated anew.
  private func error(_ tracks: [Track], _ cameras: [Camera]) -> Double {
    let settled = tracks.compactMap { track -> Track? in
      guard let x = Triangulation.point(track.sightings, cameras) else { return nil }
      return Track(position: x, sightings: track.sightings)
    }
    return Triangulation.rms(settled, cameras)
  }
}
