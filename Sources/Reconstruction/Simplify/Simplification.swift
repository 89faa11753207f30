import CMesh
import Media

/// Reduces a fine surface to a triangle budget.
package enum Simplification {
  /// A mesh of at most `budget` triangles close to `mesh`; the error reached, in the mesh's unit, comes with it.
  /// Throws `.emptySurface` where nothing is left after cleaning.
  package static func run(
    _ mesh: TriangleMesh, budget: Int, progress: any StageProgress = NoProgress()
  ) throws(ReconstructionError) -> (mesh: TriangleMesh, error: Float) {
    try progress.step(done: 0, of: 4)
    var current = MeshRepair.cleaned(mesh)
    guard !current.triangles.isEmpty else {
      throw ReconstructionError(
        .emptySurface, "the surface has no triangles; are the pictures and cameras of one object?")
    }
    try progress.step(done: 1, of: 4)
    var error: Float = 0
    // what touches itself blocks collapses; coming apart frees them, so a second round reaches what the first could not
    for round in 0..<3 where current.triangles.count > budget {
      let reached: Float
      (current, reached) = try collapse(current, budget: budget)
      current = MeshRepair.cleaned(current)
      error = max(error, reached)
      try progress.step(done: 2 + min(round, 1), of: 4)
    }
    try progress.step(done: 4, of: 4)
    return (current, error)
  }

  private static func collapse(_ mesh: TriangleMesh, budget: Int) throws(ReconstructionError) -> (TriangleMesh, Float) {
    var error: Float = 0
    var count = 0
    let indices = [UInt32](unsafeUninitializedCapacity: mesh.triangles.count * 3) { out, used in
      count = mesh.withCView { cmesh_simplify($0, budget, .greatestFiniteMagnitude, false, out.baseAddress!, &error) }
      used = count == Int(bitPattern: UInt.max) ? 0 : count * 3
    }
    guard count >= 0 else {
      throw .outOfMemory("to simplify \(mesh.triangles.count) triangles")
    }
    let triangles = (0..<count).map { SIMD3(indices[3 * $0], indices[3 * $0 + 1], indices[3 * $0 + 2]) }
    return (TriangleMesh(positions: mesh.positions, triangles: triangles), error)
  }
}

extension TriangleMesh {
  /// The mesh's arrays as the shim takes them, valid during the call.
  func withCView<Result>(_ body: (cmesh_view) -> Result) -> Result {
    positions.withUnsafeBytes { p in
      triangles.withUnsafeBytes { t in
        body(
          cmesh_view(
            positions: p.baseAddress, position_count: positions.count,
            position_stride: MemoryLayout<SIMD3<Float>>.stride, triangles: t.baseAddress,
            triangle_count: triangles.count, triangle_stride: MemoryLayout<SIMD3<UInt32>>.stride))
      }
    }
  }
}
