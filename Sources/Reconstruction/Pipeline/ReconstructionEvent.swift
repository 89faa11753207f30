/// What a running reconstruction tells. With `--progress json` each is one line of JSON (see `json`).
public enum ReconstructionEvent: Sendable {
  /// A file a person may want already.
  public enum FileKind: String, Sendable, Codable, Hashable {
    /// Camera poses.
    case poses
    /// The model's metric box.
    case bounds
    /// Fused points.
    case pointcloud
    /// The model itself (USDZ).
    case model
    /// The model for browsers (GLB).
    case glb
    /// The bare mesh (PLY).
    case mesh
    /// A picture of the model.
    case preview
    /// Figures about the run.
    case report
  }

  /// A stage began.
  case stage(ReconstructionStage)
  /// The job as a whole is `fraction` (0…1, never falling) done; `remaining` seconds are left, nil while nobody knows.
  case progress(ReconstructionStage, fraction: Double, remaining: Double?)
  /// A picture was left out or is in doubt.
  case sample(SampleIssue)
  /// A pass could not be joined to the others and was left out.
  case stitchingIncomplete(pass: Int, reason: String)
  /// The model will be worse than a person may expect: why, and what to do.
  case warning(String)
  /// Pictures are used smaller than they are.
  case downsampled(reason: String)
  /// A file is finished.
  case file(FileKind, path: String)
  /// The model is finished.
  case done(triangles: Int, seconds: Double)
  /// The job ended without a model.
  case failed(ReconstructionError)
}
