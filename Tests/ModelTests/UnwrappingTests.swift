import Imaging
import Media
import Reconstruction
import Testing

@Suite struct UnwrappingTests {
  private static let shapes: [TriangleMesh] = [
    Shapes.sphere(radius: 50, around: 60, down: 30),
    Shapes.torus(radius: 40, tube: 14, around: 60, across: 24),
    Shapes.box(half: [30, 20, 10], steps: 8),
    // metres: nothing may depend on the unit
    Shapes.torus(radius: 0.04, tube: 0.014, around: 60, across: 24)
  ]

  @Test(arguments: shapes.indices) func chartsDoNotOverlapAndKeepTheirDistance(_ index: Int) throws {
    let mesh = Self.shapes[index]
    let atlas = try Unwrapping.run(mesh, size: 1024)
    let size = 1024
    var owner = [Int32](repeating: -1, count: size * size)
    var collisions = 0
    for (i, t) in atlas.mesh.triangles.enumerated() {
      let p = (0..<3).map { SIMD2<Double>(atlas.mesh.uvs[Int(t[$0])]) * Double(size) }
      #expect(p.allSatisfy { $0.x > 0 && $0.y > 0 && $0.x < Double(size) && $0.y < Double(size) })
      covered(p) { x, y in
        if owner[y * size + x] >= 0 { collisions += 1 }
        owner[y * size + x] = atlas.chart[i]
      }
    }
    #expect(collisions == 0)
    // at 2048 this is the four texels that filtering needs
    for y in 0..<size - 2 {
      for x in 0..<size - 2 where owner[y * size + x] >= 0 {
        for other in [owner[y * size + x + 1], owner[(y + 1) * size + x], owner[(y + 1) * size + x + 1]]
        where other >= 0 && other != owner[y * size + x] { collisions += 1 }
      }
    }
    #expect(collisions == 0)
  }

  @Test(arguments: shapes.indices) func texelsAreEvenlySpread(_ index: Int) throws {
    let mesh = Self.shapes[index]
    let atlas = try Unwrapping.run(mesh, size: 1024)
    var ratios: [Double] = []
    for t in atlas.mesh.triangles {
      let uv = (0..<3).map { SIMD2<Double>(atlas.mesh.uvs[Int(t[$0])]) * 1024 / atlas.scale }
      let p = (0..<3).map { SIMD3<Double>(atlas.mesh.positions[Int(t[$0])]) }
      let ab = uv[1] - uv[0]
      let ac = uv[2] - uv[0]
      let flat = ab.x * ac.y - ab.y * ac.x
      #expect(flat > 0)  // never mirrored: normal maps depend on it
      ratios.append(flat / (p[1] - p[0]).cross(p[2] - p[0]).length)
    }
    ratios.sort()
    #expect(ratios[ratios.count / 20] > 0.7 && ratios[ratios.count * 19 / 20] < 1.4)
    #expect(atlas.occupancy > 0.5)
    #expect(Set(atlas.chart).count < 30)
    #expect(atlas.chart.allSatisfy { $0 >= 0 })
  }

  @Test func theCutMeshIsTheMesh() throws {
    let mesh = Self.shapes[1]
    let atlas = try Unwrapping.run(mesh, size: 512)
    #expect(atlas.mesh.triangles.count == mesh.triangles.count)
    for (cut, whole) in zip(atlas.mesh.triangles, mesh.triangles) {
      for k in 0..<3 { #expect(atlas.origin[Int(cut[k])] == whole[k]) }
    }
    #expect(zip(atlas.mesh.positions, atlas.origin).allSatisfy { $0 == mesh.positions[Int($1)] })
  }

  @Test func theNumberOfThreadsChangesNothing() throws {
    let one = try Unwrapping.run(Self.shapes[0], size: 512, threads: 1)
    let four = try Unwrapping.run(Self.shapes[0], size: 512, threads: 4)
    #expect(one.mesh.uvs == four.mesh.uvs && one.chart == four.chart)
  }

  /// Texels whose middle is strictly inside a triangle.
  private func covered(_ p: [SIMD2<Double>], _ body: (Int, Int) -> Void) {
    let low = pointwiseMin(p[0], pointwiseMin(p[1], p[2]))
    let high = pointwiseMax(p[0], pointwiseMax(p[1], p[2]))
    for y in Int(low.y)...Int(high.y) {
      for x in Int(low.x)...Int(high.x) {
        let q = SIMD2(Double(x) + 0.5, Double(y) + 0.5)
        let inside = (0..<3).allSatisfy { k in
          let e = p[(k + 1) % 3] - p[k]
          let d = q - p[k]
          return e.x * d.y - e.y * d.x > 1e-6
        }
        if inside { body(x, y) }
      }
    }
  }
}
