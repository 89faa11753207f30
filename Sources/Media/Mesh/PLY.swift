/// Stanford PLY: triangle meshes and point clouds.
///
/// Format: G. Turk, "The PLY polygon file format", Stanford, 1994.
public enum PLY {
  /// How numbers are written.
  public enum Encoding: Sendable {
    /// Little-endian binary.
    case binary
    /// Text, with as many digits as bring every number back exactly.
    case text
  }

  /// Reads text and both binary orders. Known properties: x y z, nx ny nz, s t | u v | texture_u texture_v, red green blue
  /// (whole numbers as they are, real ones as 0…1); faces of any size are cut into fans of triangles; everything else is
  /// passed over. Without faces the mesh is a point cloud.
  /// Throws `.invalid`, `.truncated`, `.unsupported` and `.tooLarge`, with the byte or line.
  public static func read(_ bytes: [UInt8], limits: MeshLimits = .standard) throws(MediaError) -> TriangleMesh {
    var cursor = ByteCursor(bytes)
    let header = try PLYHeader.read(&cursor, limits: limits)
    var reader = PLYReader(cursor: cursor, header: header, limits: limits)
    return try reader.read()
  }

  /// Writes a mesh with whatever it has: normals, texture coordinates and colours where they are not empty.
  public static func write(_ mesh: TriangleMesh, encoding: Encoding = .binary, comments: [String] = []) -> [UInt8] {
    let hasNormals = !mesh.normals.isEmpty
    let hasUVs = !mesh.uvs.isEmpty
    let hasColours = !mesh.colours.isEmpty
    precondition(!hasNormals || mesh.normals.count == mesh.positions.count)
    precondition(!hasUVs || mesh.uvs.count == mesh.positions.count)
    precondition(!hasColours || mesh.colours.count == mesh.positions.count)
    var out = header(mesh, encoding, comments)
    let vertexSize = 12 + (hasNormals ? 12 : 0) + (hasUVs ? 8 : 0) + (hasColours ? 3 : 0)
    out.reserveCapacity(out.count + mesh.positions.count * vertexSize + mesh.triangles.count * 13)
    for i in mesh.positions.indices {
      var numbers = [mesh.positions[i].x, mesh.positions[i].y, mesh.positions[i].z]
      if hasNormals { numbers += [mesh.normals[i].x, mesh.normals[i].y, mesh.normals[i].z] }
      if hasUVs { numbers += [mesh.uvs[i].x, mesh.uvs[i].y] }
      let colour = hasColours ? [mesh.colours[i].x, mesh.colours[i].y, mesh.colours[i].z] : []
      switch encoding {
      case .binary:
        for number in numbers { out.append(little: number.bitPattern) }
        out.append(contentsOf: colour)
      case .text:
        out.append((numbers.map(\.description) + colour.map(\.description)).joined(separator: " ") + "\n")
      }
    }
    for triangle in mesh.triangles {
      switch encoding {
      case .binary:
        out.append(3)
        for k in 0..<3 { out.append(little: triangle[k]) }
      case .text: out.append("3 \(triangle.x) \(triangle.y) \(triangle.z)\n")
      }
    }
    return out
  }

  private static func header(_ mesh: TriangleMesh, _ encoding: Encoding, _ comments: [String]) -> [UInt8] {
    var lines = ["ply", "format \(encoding == .binary ? "binary_little_endian" : "ascii") 1.0"]
    lines += comments.map { "comment " + String($0.map { $0.isNewline ? " " : $0 }) }
    lines += ["element vertex \(mesh.positions.count)"]
    lines += ["x", "y", "z"].map { "property float \($0)" }
    if !mesh.normals.isEmpty { lines += ["nx", "ny", "nz"].map { "property float \($0)" } }
    if !mesh.uvs.isEmpty { lines += ["s", "t"].map { "property float \($0)" } }
    if !mesh.colours.isEmpty { lines += ["red", "green", "blue"].map { "property uchar \($0)" } }
    lines += ["element face \(mesh.triangles.count)", "property list uchar uint vertex_indices", "end_header", ""]
    return Array(lines.joined(separator: "\n").utf8)
  }
}
