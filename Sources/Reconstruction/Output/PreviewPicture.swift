import CMesh
import Imaging
import Media

#if canImport(Glibc)
  import Glibc
#endif

/// Renders a finished model on a soft background, seen from the front right and a little above.
package struct PreviewPicture: Sendable {
  private let mesh: TriangleMesh
  private let diffuse: RGBImage
  private let occlusion: GrayImage
  private let scene: RayScene
  private let eye: SIMD3<Float>, right: SIMD3<Float>, up: SIMD3<Float>, forward: SIMD3<Float>
  private let centre: SIMD3<Float>
  private let radius: Float
  private let floor: Float
  private let lamp: SIMD3<Float>
  private static let lens: Float = 3.2  // focal length over half the picture

  /// Prepares to draw `mesh` (with texture coordinates and normals) in its maps.
  package init(_ mesh: TriangleMesh, diffuse: RGBImage, occlusion: GrayImage) throws(ReconstructionError) {
    self.mesh = mesh
    self.diffuse = diffuse
    self.occlusion = occlusion
    scene = try RayScene(mesh)
    let bounds = mesh.bounds ?? (.zero, .one)
    centre = (bounds.min + bounds.max) / 2
    radius = max((bounds.max - bounds.min).length / 2, 1e-6)
    floor = bounds.min.y
    let azimuth: Float = 35 * .pi / 180
    let height: Float = 24 * .pi / 180
    let back = SIMD3(sin(azimuth) * cos(height), sin(height), cos(azimuth) * cos(height))
    forward = -back
    eye = centre + back * radius * Self.lens * 1.12
    right = forward.cross([0, 1, 0]).normalized
    up = right.cross(forward)
    lamp = (right * -0.45 + SIMD3<Float>(0, 1, 0) * 0.8 + back * 0.55).normalized
  }

  /// The picture, `size`² pixels, four rays each where it is not smooth.
  package func render(size: Int, threads: Int = Parallel.processorCount) -> RGBImage {
    var image = RGBImage(width: size, height: size)
    let samples = 2
    image.bytes.withUnsafeMutableBufferPointer { buffer in
      let out = SharedBuffer(buffer)
      Parallel.bands(size, of: 8, threads: threads) { rows in
        for y in rows {
          var row = [SIMD3<Float>](repeating: .zero, count: size)
          for sub in 0..<samples * samples {
            let dx = (Float(sub % samples) + 0.5) / Float(samples)
            let dy = (Float(sub / samples) + 0.5) / Float(samples)
            add(&row, y: (Float(y) + dy) / Float(size), dx: dx, size)
          }
          for x in 0..<size {
            let colour = row[x] / Float(samples * samples)
            for k in 0..<3 { out[3 * (y * size + x) + k] = UInt8(min(max(encode(colour[k]) * 255 + 0.5, 0), 255)) }
          }
        }
      }
    }
    return image
  }

  private func add(_ row: inout [SIMD3<Float>], y: Float, dx: Float, _ size: Int) {
    let v = (1 - 2 * y) / Self.lens
    let rays = (0..<size).map { x -> cmesh_ray in
      let u = (2 * (Float(x) + dx) / Float(size) - 1) / Self.lens
      return cmesh_ray(from: eye, along: (forward + right * u + up * v).normalized)
    }
    var hits = [cmesh_hit](
      repeating: cmesh_hit(distance: 0, u: 0, v: 0, triangle: .max, facing: 0), count: size)
    rays.withUnsafeBufferPointer { r in hits.withUnsafeMutableBufferPointer { scene.intersect(r, into: $0) } }
    for x in 0..<size {
      let direction = SIMD3(rays[x].direction.0, rays[x].direction.1, rays[x].direction.2)
      row[x] += hits[x].triangle == .max ? background(direction, y) : shade(hits[x], direction)
    }
  }

  private func shade(_ hit: cmesh_hit, _ direction: SIMD3<Float>) -> SIMD3<Float> {
    let t = mesh.triangles[Int(hit.triangle)]
    let w = SIMD3(1 - hit.u - hit.v, hit.u, hit.v)
    let uv = mesh.uvs[Int(t.x)] * w.x + mesh.uvs[Int(t.y)] * w.y + mesh.uvs[Int(t.z)] * w.z
    let place = SIMD2(uv.x, 1 - uv.y) * Float(diffuse.width) - 0.5
    let colour = diffuse.bilinear(place)
    let albedo = SIMD3(decode(colour.x / 255), decode(colour.y / 255), decode(colour.z / 255))
    var n = (mesh.normals[Int(t.x)] * w.x + mesh.normals[Int(t.y)] * w.y + mesh.normals[Int(t.z)] * w.z).normalized
    if n.dot(direction) > 0 { n = -n }
    let size = Float(occlusion.width)
    let x = min(max(Int(uv.x * size), 0), occlusion.width - 1)
    let y = min(max(Int((1 - uv.y) * size), 0), occlusion.height - 1)
    let open = Float(occlusion[x, y]) / 255
    // pictures carry their own light already; a little more gives the model its shape
    let light = 0.62 * open * (0.8 + 0.2 * n.y) + 0.62 * max(0, n.dot(lamp))
    return albedo * light
  }

  /// A plain backdrop, with a soft shadow where the model stands.
  private func background(_ direction: SIMD3<Float>, _ y: Float) -> SIMD3<Float> {
    let wall = 0.80 - 0.25 * y
    var light = wall * wall
    if direction.y < -1e-4 {
      let distance = (floor - eye.y) / direction.y
      let place = eye + direction * distance
      let off = SIMD2(place.x - centre.x, place.z - centre.z).length / radius
      let shadow = exp(-off * off * 2.2)
      light *= 1 - 0.45 * shadow
    }
    return SIMD3(light, light, light * 1.02)
  }

  /// sRGB to linear light.
  private func decode(_ v: Float) -> Float { v <= 0.04045 ? v / 12.92 : powf((v + 0.055) / 1.055, 2.4) }
  /// Linear light to sRGB.
  private func encode(_ v: Float) -> Float { v <= 0.0031308 ? v * 12.92 : 1.055 * powf(v, 1 / 2.4) - 0.055 }
}
