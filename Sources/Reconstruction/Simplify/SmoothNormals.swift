import Imaging
import Media

#if canImport(Glibc)
  import Glibc
#endif

extension TriangleMesh {
  /// Unit normals at the positions: those of the adjacent triangles weighted by their angle there (G. Thürmer, C. Wüthrich,
  /// "Computing vertex normals from polygonal facets", 1998). Up where nothing is adjacent.
  var smoothNormals: [SIMD3<Float>] {
    var sums = [SIMD3<Float>](repeating: .zero, count: positions.count)
    for t in triangles {
      let corners = (positions[Int(t.x)], positions[Int(t.y)], positions[Int(t.z)])
      let ab = (corners.1 - corners.0).normalized
      let bc = (corners.2 - corners.1).normalized
      let ca = (corners.0 - corners.2).normalized
      let normal = ab.cross(-ca).normalized
      sums[Int(t.x)] += normal * acos(min(max(-(ab.dot(ca)), -1), 1))
      sums[Int(t.y)] += normal * acos(min(max(-(bc.dot(ab)), -1), 1))
      sums[Int(t.z)] += normal * acos(min(max(-(ca.dot(bc)), -1), 1))
    }
    return sums.map { $0.length > 1e-12 ? $0.normalized : [0, 1, 0] }
  }
}
