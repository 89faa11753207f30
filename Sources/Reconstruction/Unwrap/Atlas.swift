import Imaging
import Media

/// A mesh cut into charts that lie in the unit square without overlap.
package struct Atlas: Sendable {
  /// The mesh with its vertices doubled along the cuts, texture coordinates, and the normals of the uncut surface. Its
  /// triangles are those of the mesh that was unwrapped, in the same order.
  package var mesh: TriangleMesh
  /// For each vertex of `mesh` the vertex of the uncut mesh it came from.
  package var origin: [UInt32]
  /// The chart of each triangle.
  package var chart: [Int32]
  /// The edge length of the maps it was packed for.
  package var size: Int
  /// Texels per unit of length.
  package var scale: Double

  /// The share of the square the charts cover.
  package var occupancy: Double {
    mesh.triangles.reduce(0) { sum, t in
      let a = mesh.uvs[Int(t.x)]
      let ab = mesh.uvs[Int(t.y)] - a
      let ac = mesh.uvs[Int(t.z)] - a
      return sum + Double(ab.x * ac.y - ab.y * ac.x) / 2
    }
  }
}

/// Cuts a mesh into charts and packs them.
package enum Unwrapping {
  /// The atlas of a clean mesh (see `MeshRepair`) for maps of `size`² texels.
  package static func run(
    _ mesh: TriangleMesh, size: Int, threads: Int = Parallel.processorCount, progress: any StageProgress = NoProgress()
  ) throws(ReconstructionError) -> Atlas {
    let topology = MeshTopology(triangles: mesh.triangles, vertexCount: mesh.positions.count)
    try progress.step(done: 0, of: 4)
    let grown = ChartGrowing.charts(of: mesh, topology, flatness: 0.2)
    try progress.step(done: 1, of: 4)
    let flat = flatten(grown, mesh, topology, threads)
    let packed = try AtlasPacking.pack(flat, size: size, progress: progress)
    try progress.step(done: 4, of: 4)
    return assemble(mesh, flat, packed.placements, packed.scale, size)
  }

  /// Lays charts flat; what does not lie flat without folding over is cut into flatter parts.
  private static func flatten(
    _ charts: [[Int32]], _ mesh: TriangleMesh, _ topology: MeshTopology, _ threads: Int
  ) -> [FlatChart] {
    let results = Parallel.map(charts.count, threads: threads) { flattened(charts[$0], mesh, topology, flatness: 0.2) }
    return results.flatMap { $0 }
  }

  private static func flattened(
    _ chart: [Int32], _ mesh: TriangleMesh, _ topology: MeshTopology, flatness: Double
  ) -> [FlatChart] {
    if let flat = ChartFlattening.flatten(mesh, chart), !flat.overlapsItself { return [flat] }
    var limit = flatness
    while true {
      limit /= 2
      let parts =
        limit < 1e-6
        ? chart.map { [$0] } : ChartGrowing.charts(of: mesh, topology, subset: chart, flatness: limit)
      if parts.count > 1 { return parts.flatMap { flattened($0, mesh, topology, flatness: limit) } }
    }
  }

  private static func assemble(
    _ mesh: TriangleMesh, _ charts: [FlatChart], _ placements: [AtlasPacking.Placement], _ scale: Double, _ size: Int
  ) -> Atlas {
    let normals = mesh.smoothNormals
    var atlas = Atlas(
      mesh: TriangleMesh(triangles: mesh.triangles), origin: [],
      chart: [Int32](repeating: -1, count: mesh.triangles.count), size: size, scale: scale)
    for (i, chart) in charts.enumerated() {
      let base = UInt32(atlas.origin.count)
      for (v, place) in zip(chart.vertices, chart.places) {
        atlas.mesh.positions.append(mesh.positions[Int(v)])
        atlas.mesh.normals.append(normals[Int(v)])
        atlas.mesh.uvs.append(SIMD2<Float>(placements[i](place, scale: scale) / Double(size)))
        atlas.origin.append(v)
      }
      for (t, corner) in zip(chart.triangles, chart.corners) {
        atlas.chart[Int(t)] = Int32(i)
        atlas.mesh.triangles[Int(t)] = base &+ SIMD3<UInt32>(truncatingIfNeeded: corner)
      }
    }
    return atlas
  }
}
