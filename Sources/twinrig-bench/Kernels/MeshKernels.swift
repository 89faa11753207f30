import Media

#if canImport(Glibc)
  import Glibc
#endif

/// Reading and writing meshes, on a bumpy sphere of 25 000 triangles.
enum MeshKernels {
  static func all() throws -> [Kernel] {
    let mesh = sphere(columns: 160, rows: 79)
    let binary = PLY.write(mesh)
    let text = PLY.write(mesh, encoding: .text)
    let obj = Array(objText(mesh).utf8)
    let payload = [UInt8](repeating: 0x5A, count: 4 << 20)
    let picture = TexturedModel.Picture(Array(payload.prefix(1 << 20)), .jpeg)
    let model = TexturedModel(name: "sphere", mesh: mesh, diffuse: picture, normal: picture, occlusion: picture)
    return [
      Kernel("obj read", obj.count, "MB", run: { checksum(try OBJ.read(obj).mesh.positions) }),
      Kernel("ply read", binary.count, "MB", run: { checksum(try PLY.read(binary).positions) }),
      Kernel("ply read text", text.count, "MB", run: { checksum(try PLY.read(text).positions) }),
      Kernel("ply write", binary.count, "MB", run: { checksum(PLY.write(mesh)) }),
      Kernel("usdz write", 3 << 20, "MB", run: { checksum(try USDZ.write(model)) }),
      Kernel("glb write", 3 << 20, "MB", run: { checksum(try GLB.write(model)) }),
      Kernel(
        "crc32", payload.count, "MB", run: { UInt64(CRC32.of(payload)) }, plain: { UInt64(PlainTwins.crc32(payload)) })
    ]
  }

  private static func sphere(columns: Int, rows: Int) -> TriangleMesh {
    var mesh = TriangleMesh()
    for row in 0...rows {
      for column in 0...columns {
        let u = Double(column) / Double(columns)
        let v = Double(row) / Double(rows)
        let direction = SIMD3(sin(.pi * v) * cos(2 * .pi * u), cos(.pi * v), -sin(.pi * v) * sin(2 * .pi * u))
        mesh.positions.append(SIMD3<Float>(direction * (50 + 3 * sin(20 * u) * sin(17 * v))))
        mesh.normals.append(SIMD3<Float>(direction))
        mesh.uvs.append(SIMD2(Float(u), Float(1 - v)))
      }
    }
    let stride = UInt32(columns + 1)
    for row in 0..<UInt32(rows) {
      for column in 0..<UInt32(columns) {
        let a = row * stride + column
        mesh.triangles.append([a, a + stride, a + 1])
        mesh.triangles.append([a + 1, a + stride, a + stride + 1])
      }
    }
    return mesh
  }

  private static func objText(_ mesh: TriangleMesh) -> String {
    var lines = mesh.positions.map { "v \($0.x) \($0.y) \($0.z)" }
    lines += mesh.uvs.map { "vt \($0.x) \($0.y)" }
    lines += mesh.normals.map { "vn \($0.x) \($0.y) \($0.z)" }
    lines += mesh.triangles.map { t in
      "f " + [t.x, t.y, t.z].map { "\($0 + 1)/\($0 + 1)/\($0 + 1)" }.joined(separator: " ")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
