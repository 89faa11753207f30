import Imaging
import Session

/// Views from a session: lens and pose of both cameras of every shot from the rig's geometry and axis angles.
public enum SessionViews {
  /// The views of `contents`, whose files lie in `folder`. The world is the object frame of the first pass, so the
  /// table is at y = 0; poses of later passes are those the rig would have had without the person's hand (see
  /// `ViewSet.rig`). Pictures that are missing or odd become issues, and with a picture its twin stays usable.
  public static func viewSet(_ contents: SessionContents, folder: String) throws(ReconstructionError) -> ViewSet {
    let root = folder.hasSuffix("/") ? folder : folder + "/"
    let geometry = contents.manifest.geometry
    var context = RigContext(geometry: geometry, passes: contents.passes, plates: [])
    context.plates = contents.plates.map {
      PlateRecord(axes: $0.axes, left: root + $0.left, right: root + $0.right)
    }
    var set = ViewSet(views: [], box: nil, tableHeight: 0, isMetric: true, rig: context)
    if let first = contents.passes.first, let box = contents.boxes[first.index] {
      set.box = Box3(min: box.min, max: box.max)
    }
    for shot in contents.shots { append(shot, of: contents, root: root, to: &set) }
    guard set.views.count >= 4 else {
      let first = set.issues.first.map { ", e.g. \($0.name): \($0.reason)" } ?? ""
      throw ReconstructionError(
        .insufficientViews, place: folder,
        "the session has \(set.views.count) usable pictures of \(2 * contents.shots.count); four are needed\(first)")
    }
    return set
  }

  private static func append(_ shot: ShotRecord, of contents: SessionContents, root: String, to set: inout ViewSet) {
    let geometry = contents.manifest.geometry
    let left = geometry.leftFromObject(turntable: shot.axes.turntable, pan: shot.axes.pan, tilt: shot.axes.tilt)
    let pair = [
      (shot.left.file, geometry.stereo.left, left),
      (shot.right.file, geometry.stereo.right, geometry.stereo.rightFromLeft * left)
    ]
    for (side, (file, lens, pose)) in pair.enumerated() {
      switch pictureSize(root + file) {
      case .failure(let issue): set.issues.append(SampleIssue(kind: .invalid, name: file, reason: issue.reason))
      case .success(let size) where size.width != lens.width || size.height != lens.height:
        let fault = UnusablePicture(size.width, size.height, besides: lens)
        set.issues.append(SampleIssue(kind: .invalid, name: file, reason: fault.reason))
      case .success:
        set.views.append(
          PosedView(
            index: set.views.count, name: file, path: root + file, lens: lens, cameraFromWorld: pose, pass: shot.pass,
            stop: shot.sequence, side: side, axes: shot.axes))
      }
    }
  }
}
