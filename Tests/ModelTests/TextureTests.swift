import Codecs
import Imaging
import Media
import Reconstruction
import TestSupport
import Testing

@Suite struct TextureTests {
  @Test func aPaintedBoxGetsItsColoursBackFromUnevenlyExposedPictures() throws {
    // two pictures of a third are brighter or darker than they should be
    let box = try PaintedBox(count: 20, width: 240) { [1, 1.12, 0.9][$0 % 3] }
    defer { box.remove() }
    let half = SIMD3<Float>(PaintedBox.half)
    let mesh = Shapes.box(half: half, steps: 10)
    let result = try texture(mesh, box)
    var errors: [Float] = []
    for t in result.atlas.mesh.triangles {
      let p = (0..<3).map { result.atlas.mesh.positions[Int(t[$0])] }
      let normal = (p[1] - p[0]).cross(p[2] - p[0]).normalized
      if normal.y < -0.5 { continue }  // nobody looked from below
      for w in [SIMD3<Float>(1, 1, 1) / 3, [0.6, 0.2, 0.2], [0.2, 0.6, 0.2]] {
        let place = p[0] * w.x + p[1] * w.y + p[2] * w.z
        let uv = (0..<3).reduce(SIMD2<Float>.zero) { $0 + result.atlas.mesh.uvs[Int(t[$1])] * w[$1] }
        let found = result.diffuse[Int(uv.x * 512), Int((1 - uv.y) * 512)]
        let truth = SIMD3<Float>(PaintedBox.paint(SIMD3<Double>(place)))
        errors.append((SIMD3<Float>(found) - truth).length / 3.0.squareRoot().asFloat)
      }
    }
    errors.sort()
    // of 255; without levelling the gains alone are worth 12
    #expect(errors[errors.count / 2] < 6, "median \(errors[errors.count / 2])")
    #expect(errors[errors.count * 9 / 10] < 15, "90 % \(errors[errors.count * 9 / 10])")
  }

  @Test func whatNobodySawIsFilledWithItsSurroundingsAndNotWithTheBackground() throws {
    let box = try PaintedBox(count: 16, width: 160)
    defer { box.remove() }
    let mesh = Shapes.box(half: SIMD3<Float>(PaintedBox.half), steps: 8)
    let result = try texture(mesh, box)
    #expect(result.unseen > 0.1 && result.unseen < 0.4)
    var darkest = Float.infinity
    for t in result.atlas.mesh.triangles {
      let uv = (0..<3).reduce(SIMD2<Float>.zero) { $0 + result.atlas.mesh.uvs[Int(t[$1])] / 3 }
      darkest = min(darkest, SIMD3<Float>(result.diffuse[Int(uv.x * 512), Int((1 - uv.y) * 512)]).sum() / 3)
    }
    // the background is 6, the paint nowhere below 40
    #expect(darkest > 30)
  }

  private func texture(
    _ mesh: TriangleMesh, _ box: PaintedBox
  ) throws -> (atlas: Atlas, diffuse: RGBImage, unseen: Double) {
    let views = try ViewSetReader.read(images: box.images, cameras: box.cameras)
    let pictures = ViewPictures(of: views) { (path) throws(ReconstructionError) in
      do { return try Picture.read(path) } catch { throw ReconstructionError(.io, place: path, "\(error)") }
    }
    let atlas = try Unwrapping.run(mesh, size: 512)
    let result = try TextureStage.run(atlas, of: mesh, views: views, pictures: pictures, masks: nil)
    return (atlas, result.diffuse, result.unseen)
  }
}

extension Double {
  fileprivate var asFloat: Float { Float(self) }
}
