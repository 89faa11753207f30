import Imaging
import Session

/// One picture and the camera that took it. The unit every stage after the input works on.
public struct PosedView: Sendable, Codable {
  /// Position in the view set.
  public var index: Int
  /// The picture's name for people and reports (its path inside the input folder).
  public var name: String
  /// The picture's absolute path.
  public var path: String
  /// The lens the picture was taken with (with its distortion; stages see undistorted pictures, see `ViewPictures`).
  public var lens: Lens
  /// Takes world coordinates to the camera's frame. For sessions the world is the object frame of the first pass.
  public var cameraFromWorld: RigidTransform
  /// The pass it belongs to, 1 for foreign sets. Within a pass relative poses are known from the rig.
  public var pass: Int
  /// The stop within the pass: the two pictures of a stereo pair share it.
  public var stop: Int
  /// 0 left or only, 1 right.
  public var side: Int
  /// Where the rig's axes stood; nil for foreign sets.
  public var axes: AxisAngles?

  /// A posed view.
  public init(
    index: Int, name: String, path: String, lens: Lens, cameraFromWorld: RigidTransform, pass: Int, stop: Int,
    side: Int, axes: AxisAngles? = nil
  ) {
    self.index = index
    self.name = name
    self.path = path
    self.lens = lens
    self.cameraFromWorld = cameraFromWorld
    self.pass = pass
    self.stop = stop
    self.side = side
    self.axes = axes
  }
}

/// A picture left out or doubted, as PhotogrammetrySession's skippedSample and invalidSample.
public struct SampleIssue: Sendable, Codable, Hashable {
  /// Skipped (usable but not used) or invalid (unusable).
  public enum Kind: String, Sendable, Codable { case skipped, invalid }
  /// Which of the two.
  public var kind: Kind
  /// The picture's name.
  public var name: String
  /// Why, for a person.
  public var reason: String

  /// An issue.
  public init(kind: Kind, name: String, reason: String) {
    self.kind = kind
    self.name = name
    self.reason = reason
  }
}

/// What a session knows beyond its views: the rig, how each pass came about, and pictures of the empty table.
public struct RigContext: Sendable, Codable {
  /// The rig as it was believed to be.
  public var geometry: RigGeometry
  /// The passes in order.
  public var passes: [PassRecord]
  /// Pairs of the empty table, with absolute paths.
  public var plates: [PlateRecord]

  /// A context from its parts.
  public init(geometry: RigGeometry, passes: [PassRecord], plates: [PlateRecord]) {
    self.geometry = geometry
    self.passes = passes
    self.plates = plates
  }
}

/// All pictures of one reconstruction with what the input says about the scene.
public struct ViewSet: Sendable, Codable {
  /// The views, indexed by `PosedView.index`.
  public var views: [PosedView]
  /// The volume the object is in, where the input knows it.
  public var box: Box3?
  /// The turntable's surface where the input knows it: the world's y = `tableHeight` plane is the table in pass 1.
  public var tableHeight: Double?
  /// Whether lengths are true millimetres.
  public var isMetric: Bool
  /// Pictures found unusable so far.
  public var issues: [SampleIssue]
  /// The rig behind a session; nil for foreign sets. Until `PoseStage` has run, poses of later passes are guesses:
  /// right relative to each other within a pass, but in that pass's own object frame (flip) or for the head pose of the
  /// first pass (height).
  public var rig: RigContext?

  /// A view set.
  public init(
    views: [PosedView], box: Box3?, tableHeight: Double?, isMetric: Bool, issues: [SampleIssue] = [],
    rig: RigContext? = nil
  ) {
    self.views = views
    self.box = box
    self.tableHeight = tableHeight
    self.isMetric = isMetric
    self.issues = issues
    self.rig = rig
  }

  /// The set with only the views at `kept` (ascending indices), numbered anew.
  public func keeping(_ kept: [Int]) -> ViewSet {
    var set = self
    set.views = kept.enumerated().map { position, index in
      var view = views[index]
      view.index = position
      return view
    }
    return set
  }
}
