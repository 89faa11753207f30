import Imaging
import Media

/// Fuses depth maps and silhouettes into one closed surface.
///
/// First coarsely: the surface of least area that agrees with what was seen and stays inside the visual hull; it closes
/// what nobody saw (Zach, "Fast and high quality fusion of depth maps", 2008). Then finely, in a band around it: the
/// mean distance to the measured tangent planes, cut by the silhouettes, smoothed only where little was measured.
public enum SurfaceStage {
  /// What may be chosen.
  public struct Options: Sendable, Hashable, Codable {
    /// Voxels of the fine grid at most: eight bytes and a bit each. They set how fine the surface is.
    public var voxels: Int
    /// Voxels of the coarse grid at most.
    public var coarseVoxels: Int
    /// How many silhouettes cut the surface at most: those from the most different directions.
    public var silhouettes: Int
    /// Pieces with less than this share of the largest piece's area are dropped.
    public var smallestPiece: Float
    /// Threads to use; results do not depend on it.
    public var threads: Int

    /// Options for a level of detail.
    public init(detail: DetailLevel = .reduced, threads: Int = Parallel.processorCount) {
      switch detail {
      case .preview: voxels = 2_000_000
      case .reduced: voxels = 12_000_000
      case .medium: voxels = 32_000_000
      }
      coarseVoxels = detail == .preview ? 300_000 : 900_000
      silhouettes = 40
      smallestPiece = 0.02
      self.threads = threads
    }
  }

  /// The surface of the object. Throws `.emptySurface` when there is none, `.cancelled`.
  public static func run(
    _ depth: DepthMaps, views: ViewSet, masks: ObjectMasks, pictures: ViewPictures,
    progress: any StageProgress = NoProgress(), options: Options = Options()
  ) throws(ReconstructionError) -> FineSurface {
    let fusion = Fusion(depth: depth, views: views, masks: masks, pictures: pictures, options: options)
    let steps = 10
    try progress.step(done: 0, of: steps)
    let coarse = fusion.coarseDistance()
    try progress.step(done: 3, of: steps)
    let fine = fusion.fineField(around: coarse)
    try progress.step(done: 7, of: steps)
    let whole = Polygoniser.surface(of: fine.field, on: fine.grid)
    try progress.step(done: 9, of: steps)
    let (mesh, _) = whole.withoutIslands(share: options.smallestPiece)
    guard !mesh.triangles.isEmpty else {
      throw ReconstructionError(
        .emptySurface, "the pictures agree on no surface; is the object in all of them, and sharp?")
    }
    let weights = fine.weight.withUnsafeBufferPointer { weight in
      mesh.positions.map { fine.grid.sample(weight.baseAddress!, at: $0) }
    }
    try progress.step(done: steps, of: steps)
    return FineSurface(mesh: mesh, confidence: weights.map { $0 / ($0 + 1) }, isSeen: weights.map { $0 > 0.3 })
  }
}
