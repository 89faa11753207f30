/// A finished model: what the packages USDZ and GLB are made of.
public struct TexturedModel: Sendable {
  /// A picture as the bytes of its file.
  public struct Picture: Sendable {
    /// The formats that every viewer reads.
    public enum Format: String, Sendable {
      /// JPEG.
      case jpeg = "image/jpeg"
      /// PNG.
      case png = "image/png"
      /// The usual ending of a file of this format.
      public var ending: String { self == .jpeg ? "jpg" : "png" }
    }

    /// The file's bytes.
    public var bytes: [UInt8]
    /// The file's format.
    public var format: Format

    /// A picture from its file's bytes.
    public init(_ bytes: [UInt8], _ format: Format) {
      self.bytes = bytes
      self.format = format
    }
  }

  /// The name people see.
  public var name: String
  /// What identifies the model in its library, or empty.
  public var identifier: String
  /// The surface, in millimetres, y up; texture coordinates where there are pictures.
  public var mesh: TriangleMesh
  /// The colour, sRGB.
  public var diffuse: Picture?
  /// Tangent-space normals: x right, y up, z out, stored as (n + 1) / 2.
  public var normal: Picture?
  /// Ambient occlusion, white where open (the red channel counts).
  public var occlusion: Picture?
  /// More that is known of the model, as names and texts: kept in the package for whoever looks.
  public var metadata: [(name: String, value: String)]

  /// A model from its parts.
  public init(
    name: String, identifier: String = "", mesh: TriangleMesh, diffuse: Picture? = nil, normal: Picture? = nil,
    occlusion: Picture? = nil, metadata: [(name: String, value: String)] = []
  ) {
    self.name = name
    self.identifier = identifier
    self.mesh = mesh
    self.diffuse = diffuse
    self.normal = normal
    self.occlusion = occlusion
    self.metadata = metadata
  }

  /// What a writer cannot make a package of. Throws `.invalid`.
  func check() throws(MediaError) {
    let count = mesh.positions.count
    guard count > 0, !mesh.triangles.isEmpty else {
      throw MediaError(.invalid, place: name, "a model without a surface")
    }
    guard mesh.normals.isEmpty || mesh.normals.count == count, mesh.uvs.isEmpty || mesh.uvs.count == count else {
      throw MediaError(.invalid, place: name, "normals or texture coordinates are not one per vertex")
    }
    guard mesh.triangles.allSatisfy({ $0.max() < UInt32(clamping: count) }) else {
      throw MediaError(.invalid, place: name, "a triangle names a vertex that is not there")
    }
    guard diffuse == nil && normal == nil && occlusion == nil || !mesh.uvs.isEmpty else {
      throw MediaError(.invalid, place: name, "pictures need texture coordinates")
    }
    guard mesh.positions.allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }) else {
      throw MediaError(.invalid, place: name, "a position that is not finite")
    }
  }
}
