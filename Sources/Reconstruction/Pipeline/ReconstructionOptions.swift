import Imaging

/// How fine a model is wanted. The levels are those of Apple's PhotogrammetrySession; heavier ones need a bigger machine.
public enum DetailLevel: String, Sendable, Codable, Hashable, CaseIterable {
  /// A quick look: quarter-size depth maps, 10k triangles, 1024² maps.
  case preview
  /// What a phone shows well: 25k triangles, three 2048² maps.
  case reduced
  /// 80k triangles, three 4096² maps.
  case medium

  /// The triangle budget.
  public var triangles: Int {
    switch self {
    case .preview: 10_000
    case .reduced: 25_000
    case .medium: 80_000
    }
  }
  /// The edge length of each map in pixels.
  public var textureSize: Int {
    switch self {
    case .preview: 1024
    case .reduced: 2048
    case .medium: 4096
    }
  }
}

/// Where the pictures are.
public enum ReconstructionInput: Sendable, Hashable {
  /// A session folder of a rig.
  case session(folder: String)
  /// Pictures in a folder and their cameras: a Middlebury `par.txt` or the folder of a COLMAP text model.
  case posedImages(folder: String, cameras: String)
}

/// What is wanted of a reconstruction.
public struct ReconstructionOptions: Sendable, Codable, Hashable {
  /// The level of detail.
  public var detail: DetailLevel
  /// Triangles of the model at most.
  public var triangles: Int
  /// The edge length of the square maps in pixels.
  public var textureSize: Int
  /// The model's name, inside the files.
  public var name: String
  /// Whether the fine surface is written too, as `fine.ply`.
  public var writesFineMesh: Bool
  /// Whether the fused points are written, as `points.ply`.
  public var writesPointCloud: Bool
  /// Millimetres in one unit of a foreign set's world; nil where nobody knows.
  public var unitInMillimetres: Double?
  /// Threads to use; results do not depend on it.
  public var threads: Int

  /// The lengths a unit can have, in millimetres: from a nanometre to a kilometre.
  public static let unitsInMillimetres = 1e-6...1e6

  /// Throws `.invalidInput` for what would fail at the very end.
  func check() throws(ReconstructionError) {
    guard let unit = unitInMillimetres, !Self.unitsInMillimetres.contains(unit) else { return }
    throw ReconstructionError(
      .invalidInput, "a unit of \(unit) mm: it must be from 1e-6 mm (a nanometre) to 1e6 mm (a kilometre)")
  }

  /// The settings of a level, with parts changed where given.
  public init(
    detail: DetailLevel = .reduced, triangles: Int? = nil, textureSize: Int? = nil, name: String = "model",
    writesFineMesh: Bool = false, writesPointCloud: Bool = true, unitInMillimetres: Double? = nil,
    threads: Int = Parallel.processorCount
  ) {
    self.detail = detail
    self.triangles = triangles ?? detail.triangles
    self.textureSize = textureSize ?? detail.textureSize
    self.name = name
    self.writesFineMesh = writesFineMesh
    self.writesPointCloud = writesPointCloud
    self.unitInMillimetres = unitInMillimetres
    self.threads = threads
  }
}
