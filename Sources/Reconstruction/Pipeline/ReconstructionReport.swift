import Imaging

/// Figures about a finished reconstruction, as written to `report.json`.
public struct ReconstructionReport: Sendable, Codable {
  /// What a stage took.
  public struct Stage: Sendable, Codable {
    /// The stage.
    public var stage: ReconstructionStage
    /// Wall time and processor time of all threads.
    public var seconds: Double, cpuSeconds: Double
    /// Whether its result came from a checkpoint.
    public var resumed: Bool
  }

  /// The model in figures.
  public struct Model: Sendable, Codable {
    /// Triangles and vertices (doubled along cuts).
    public var triangles: Int, vertices: Int
    /// Triangles of the surface before simplification.
    public var fineTriangles: Int
    /// How far simplification went from the fine surface, in the world's unit.
    public var simplificationError: Double
    /// Charts of the atlas, and the share of the maps they cover.
    public var charts: Int, occupancy: Double
    /// The edge length of the maps, and texels per unit of the world.
    public var textureSize: Int, texelsPerUnit: Double
    /// The share of triangles that no picture shows.
    public var unseen: Double
    /// Views that colour comes from.
    public var texturingViews: Int
    /// The share of the surface that was measured; the rest is closed by guess, inside the silhouettes.
    public var measured: Double
  }

  /// The version of this format.
  public var format = 1
  /// The model's name.
  public var name: String
  /// What was asked for.
  public var options: ReconstructionOptions
  /// Pictures read, and pictures used to the end.
  public var viewsRead: Int, viewsUsed: Int
  /// Pictures left out or in doubt, with reasons.
  public var issues: [SampleIssue]
  /// How well the poses explain the pictures.
  public var poses: PoseStatistics
  /// How passes were joined.
  public var registrations: [PassRegistration]
  /// Whether a pass had to be left out.
  public var stitchingIncomplete: Bool
  /// The model's box in the world of the poses.
  public var bounds: Box3
  /// Whether lengths are true millimetres, and where they come from.
  public var isMetric: Bool, unit: String
  /// Takes the world of the poses to the model's frame (y up, standing on y = 0), then times `millimetresPerUnit`.
  public var modelFromWorld: RigidTransform
  /// The model's millimetres in one unit of the world.
  public var millimetresPerUnit: Double
  /// The model in figures.
  public var model: Model
  /// What each stage took.
  public var stages: [Stage]
  /// Wall time and processor time of the whole run.
  public var seconds: Double, cpuSeconds: Double
  /// The largest resident size, in bytes.
  public var memoryPeak: Int
  /// What a person should know before relying on the model; empty where all is well.
  public var warnings: [String]
  /// Checkpoints that could not be written, or not be read back, with reasons.
  public var lostCheckpoints: [String]
}

extension ReconstructionReport {
  /// With a smaller share of its surface measured than this, a model is none.
  static let leastMeasured = 0.05
  /// With a smaller share of its surface measured than this, a person is warned.
  static let wellMeasured = 0.5
}
