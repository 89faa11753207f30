import Imaging

/// Where the object is: in each picture and in space.
public struct ObjectMasks: Sendable {
  /// One mask a view (by `PosedView.index`): 255 on the object, 0 off it. A mask belongs to the *undistorted* picture
  /// (`lens.pinhole`), halved `level` times: its size is `max(1, width >> level)` × `max(1, height >> level)` and its
  /// lens `lens.pinhole.scaled(width:height:)` of that size. When in doubt a pixel is on the object.
  public var masks: [GrayImage]
  /// How often the masks are halved: 1 = half resolution.
  public var level: Int
  /// What no silhouette rules out, coarsely, in world coordinates. It holds the whole object with a margin of about
  /// a cell.
  public var hull: VoxelHull?
  /// The box around the object in world coordinates.
  public var box: Box3

  /// Masks from their parts.
  public init(masks: [GrayImage], level: Int, hull: VoxelHull?, box: Box3) {
    self.masks = masks
    self.level = level
    self.hull = hull
    self.box = box
  }

  /// The masks of only the views at `kept` (ascending indices).
  public func keeping(_ kept: [Int]) -> ObjectMasks {
    var copy = self
    copy.masks = kept.map { masks[$0] }
    return copy
  }
}
