import CDepth
import Imaging

/// Measures depth in every view by multi-view PatchMatch on slanted planes, coarse to fine, inside the object's masks
/// and hull, and keeps what several views agree on.
public enum DepthStage {
  /// What may be chosen.
  public struct Options: Sendable, Hashable, Codable {
    /// The depth maps' size: so many pixels of the object at most, on average over the views. The pictures are halved
    /// until that holds.
    public var pixelsPerView: Int
    /// How many views get a depth map at most: those that see the object from the most different directions. The others
    /// serve to match against.
    public var maps: Int
    /// How many views a view is matched against.
    public var sources: Int
    /// The standard deviation of a pixel's noise in the full picture, in grey levels.
    public var noise: Double
    /// Threads to use; results do not depend on it.
    public var threads: Int

    /// Options for a level of detail.
    public init(detail: DetailLevel = .reduced, threads: Int = Parallel.processorCount) {
      switch detail {
      case .preview: pixelsPerView = 50_000
      case .reduced: pixelsPerView = 200_000
      case .medium: pixelsPerView = 800_000
      }
      maps = detail == .medium ? 80 : 40
      sources = 6
      noise = 1.5
      self.threads = threads
    }
  }

  /// Depth maps of all views that have at least one other view to be matched against. Throws `.insufficientViews` when
  /// there are none, what `pictures` throws, and `.cancelled`.
  public static func run(
    _ views: ViewSet, masks: ObjectMasks, pictures: ViewPictures, progress: any StageProgress = NoProgress(),
    options: Options = Options()
  ) throws(ReconstructionError) -> DepthMaps {
    let estimator = DepthEstimator(views: views, masks: masks, pictures: pictures, options: options)
    let maps = try estimator.run(progress)
    guard !maps.isEmpty else {
      throw ReconstructionError(
        .insufficientViews, "no two pictures see the object from directions near enough to measure depth; take more")
    }
    return DepthMaps(maps: maps)
  }
}
