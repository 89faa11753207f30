import Imaging

/// Refines cameras by bundle adjustment, joins passes, and leaves out what cannot be used.
public enum PoseStage {
  /// Refines the poses of `set`, whose `masks` come from `MaskStage`. Throws `.cancelled`, and `.insufficientViews` where
  /// too little is left.
  public static func run(
    _ set: ViewSet, masks: ObjectMasks, pictures: ViewPictures, threads: Int = Parallel.processorCount,
    progress: any StageProgress
  ) throws(ReconstructionError) -> PoseResult {
    try ForeignPoses(set: set, masks: masks, pictures: pictures, threads: threads, progress: progress).run()
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
