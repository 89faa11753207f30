/// The stages in the order they run. Names appear in progress, checkpoints and reports.
public enum ReconstructionStage: String, Sendable, Codable, Hashable, CaseIterable {
  /// Reading the records and the heads of the pictures.
  case input
  /// Telling the object from what is behind it.
  case masks
  /// Refining cameras, registering passes.
  case poses
  /// A depth map for each view.
  case depth
  /// Fusing depth maps into one surface.
  case surface
  /// Reducing the surface to the triangle budget.
  case simplify
  /// Cutting and flattening the surface into an atlas.
  case unwrap
  /// Colouring the atlas from the pictures.
  case texture
  /// Normals and ambient occlusion from the fine surface.
  case bake
  /// Writing models, preview and report.
  case write
}
