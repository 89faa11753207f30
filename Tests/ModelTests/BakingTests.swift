import Foundation
import Imaging
import Media
import Reconstruction
import Testing

@Suite struct BakingTests {
  @Test func aFloorIsDarkenedByItsWallAsTheFormFactorSays() throws {
    let mesh = Shapes.floorAndWall(size: 100, height: 20, steps: 20)
    let atlas = try Unwrapping.run(mesh, size: 1024)
    let maps = try BakeStage.run(atlas, fine: mesh)
    for distance in [Float(3), 8, 20, 45] {
      let measured = try value(maps.occlusion, atlas, at: [0, 0, distance], facing: [0, 1, 0])
      // of an endless wall of height h at distance d: half of 1 - d / sqrt(d² + h²) of the light is gone
      let hidden = 0.5 * (1 - distance / (distance * distance + 400).squareRoot())
      #expect(abs(measured - (1 - hidden)) < 0.035, "at \(distance): \(measured) against \(1 - hidden)")
    }
  }

  @Test func aConvexBodyIsOpenEverywhere() throws {
    let mesh = Shapes.sphere(radius: 50, around: 60, down: 30)
    let atlas = try Unwrapping.run(mesh, size: 512)
    let maps = try BakeStage.run(atlas, fine: mesh)
    let closed = maps.occlusion.pixels.filter { $0 < 250 }.count
    #expect(Double(closed) / Double(maps.occlusion.pixels.count) < 0.001)
    // and its normals are those of the model itself
    let off = (0..<512 * 512).filter { maps.normal.bytes[3 * $0 + 2] < 250 }.count
    #expect(Double(off) / (512 * 512) < 0.001)
  }

  @Test func theNormalMapBringsTheFineSurfaceBack() throws {
    func bump(_ d: SIMD3<Float>) -> Float { 0.4 * sin(14 * d.x) * sin(14 * d.y) * sin(14 * d.z) }
    let fine = Shapes.sphere(radius: 50, around: 240, down: 120, bump: bump)
    let coarse = Shapes.sphere(radius: 50, around: 60, down: 30)
    let atlas = try Unwrapping.run(coarse, size: 512)
    let maps = try BakeStage.run(atlas, fine: fine)
    var errors: (with: Float, without: Float) = (0, 0)
    var count: Float = 0
    for t in stride(from: 0, to: atlas.mesh.triangles.count, by: 7) {
      let corners = atlas.mesh.triangles[t]
      let middle = (0..<3).reduce(SIMD3<Float>.zero) { $0 + atlas.mesh.positions[Int(corners[$1])] / 3 }
      let uv = (0..<3).reduce(SIMD2<Float>.zero) { $0 + atlas.mesh.uvs[Int(corners[$1])] / 3 }
      let flat = (0..<3).reduce(SIMD3<Float>.zero) { $0 + atlas.mesh.normals[Int(corners[$1])] }.normalized
      let stored = maps.normal[Int(uv.x * 512), Int((1 - uv.y) * 512)]
      let local = SIMD3<Float>(stored) / 127.5 - 1
      let n = world(local, atlas.mesh, corners, flat)
      let truth = slope(middle.normalized, bump)
      errors.with += acos(min(1, n.dot(truth)))
      errors.without += acos(min(1, flat.dot(truth)))
      count += 1
    }
    #expect(errors.without / count > 0.03)  // there is something to bring back
    #expect(errors.with < 0.4 * errors.without, "\(errors.with / count) against \(errors.without / count)")
  }

  /// A tangent-space normal in the world.
  private func world(
    _ n: SIMD3<Float>, _ mesh: TriangleMesh, _ c: SIMD3<UInt32>, _ normal: SIMD3<Float>
  ) -> SIMD3<Float> {
    let p = (0..<3).map { mesh.positions[Int(c[$0])] }
    let uv = (0..<3).map { mesh.uvs[Int(c[$0])] }
    let d1 = uv[1] - uv[0]
    let d2 = uv[2] - uv[0]
    let tangent = ((p[1] - p[0]) * d2.y - (p[2] - p[0]) * d1.y) / (d1.x * d2.y - d1.y * d2.x)
    let t = (tangent - normal * tangent.dot(normal)).normalized
    return (t * n.x + normal.cross(t) * n.y + normal * n.z).normalized
  }

  /// The normal of a bumped sphere, by differences.
  private func slope(_ d: SIMD3<Float>, _ bump: (SIMD3<Float>) -> Float) -> SIMD3<Float> {
    let side: SIMD3<Float> = abs(d.x) < 0.6 ? [1, 0, 0] : [0, 1, 0]
    let u = side.cross(d).normalized
    let v = d.cross(u)
    func place(_ a: Float, _ b: Float) -> SIMD3<Float> {
      let e = (d + u * a + v * b).normalized
      return e * (50 + bump(e))
    }
    let h: Float = 1e-3
    return (place(h, 0) - place(-h, 0)).cross(place(0, h) - place(0, -h)).normalized
  }

  /// The map's value, 0…1, at a place in space on triangles that face a direction.
  private func value(
    _ map: GrayImage, _ atlas: Atlas, at place: SIMD3<Float>, facing: SIMD3<Float>
  ) throws -> Float {
    var best: (distance: Float, uv: SIMD2<Float>)?
    for t in atlas.mesh.triangles {
      let p = (0..<3).map { atlas.mesh.positions[Int(t[$0])] }
      guard (p[1] - p[0]).cross(p[2] - p[0]).normalized.dot(facing) > 0.9 else { continue }
      for i in 0...8 {
        for j in 0...(8 - i) {
          let w = SIMD3(Float(i), Float(j), Float(8 - i - j)) / 8
          let distance = (p[0] * w.x + p[1] * w.y + p[2] * w.z - place).length
          if distance < best?.distance ?? .infinity {
            let uv = (0..<3).reduce(SIMD2<Float>.zero) { $0 + atlas.mesh.uvs[Int(t[$1])] * w[$1] }
            best = (distance, uv)
          }
        }
      }
    }
    let found = try #require(best)
    return Float(map[Int(found.uv.x * Float(map.width)), Int((1 - found.uv.y) * Float(map.height))]) / 255
  }
}
