import Media

/// Meshes to test with.
enum Shapes {
  /// A box of the given sides about the origin, every face with its own corners, normals and texture coordinates.
  static func box(_ sides: SIMD3<Float> = [100, 60, 40]) -> TriangleMesh {
    var mesh = TriangleMesh()
    let axes: [(SIMD3<Float>, SIMD3<Float>, SIMD3<Float>)] = [
      ([1, 0, 0], [0, 1, 0], [0, 0, 1]), ([-1, 0, 0], [0, 0, 1], [0, 1, 0]), ([0, 1, 0], [0, 0, 1], [1, 0, 0]),
      ([0, -1, 0], [1, 0, 0], [0, 0, 1]), ([0, 0, 1], [1, 0, 0], [0, 1, 0]), ([0, 0, -1], [0, 1, 0], [1, 0, 0])
    ]
    for (index, (normal, right, up)) in axes.enumerated() {
      let first = UInt32(mesh.positions.count)
      for corner in [SIMD2<Float>(-1, -1), SIMD2(1, -1), SIMD2(1, 1), SIMD2(-1, 1)] {
        let place = normal + right * corner.x + up * corner.y
        mesh.positions.append(place * sides / 2)
        mesh.normals.append(normal)
        mesh.uvs.append((corner * 0.45 + 0.5) / 3 + SIMD2(Float(index % 3), Float(index / 3)) / 3)
        mesh.colours.append(SIMD3(UInt8(index * 40), UInt8(128 + corner.x * 100), 7))
      }
      mesh.triangles.append([first, first + 1, first + 2])
      mesh.triangles.append([first, first + 2, first + 3])
    }
    return mesh
  }
}
