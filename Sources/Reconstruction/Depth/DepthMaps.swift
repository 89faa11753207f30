import Imaging
import Media

/// What one camera measured of the surface: a depth and a normal at each pixel that found a match.
public struct DepthMap: Sendable {
  /// The view it belongs to, by `PosedView.index`.
  public var view: Int
  /// The pinhole at the map's size.
  public var lens: Lens
  /// Takes world coordinates to the camera's frame.
  public var cameraFromWorld: RigidTransform
  /// The z of the surface in the camera's frame, in the world's unit; 0 where nothing was found.
  public var depth: FloatPlane
  /// The outward unit normal in the camera's frame, 127 times each component; meaningless where `depth` is 0.
  public var normal: Plane<SIMD3<Int8>>
  /// How far to trust the pixel: 0 not at all … 255.
  public var confidence: GrayImage

  /// A depth map from its parts; all planes have the lens's size.
  public init(
    view: Int, lens: Lens, cameraFromWorld: RigidTransform, depth: FloatPlane, normal: Plane<SIMD3<Int8>>,
    confidence: GrayImage
  ) {
    self.view = view
    self.lens = lens
    self.cameraFromWorld = cameraFromWorld
    self.depth = depth
    self.normal = normal
    self.confidence = confidence
  }
}

/// The depth maps of a view set, and what is known about all of them together.
public struct DepthMaps: Sendable {
  /// One map for each view that could be matched, in the order of the views.
  public var maps: [DepthMap]

  /// Depth maps from their parts.
  public init(maps: [DepthMap]) { self.maps = maps }
}
