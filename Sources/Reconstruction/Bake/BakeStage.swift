import CMesh
import Imaging
import Media

#if canImport(Glibc)
  import Glibc
#endif

/// Puts into maps what simplification took away: the fine surface's direction, and how open each place is to the sky.
package enum BakeStage {
  /// The two maps, first row at the top.
  package struct Result: Sendable {
    /// Tangent-space normals: red along texture u, green along v (upwards in the picture), blue outwards.
    package var normal: RGBImage
    /// Openness, white where nothing is near.
    package var occlusion: GrayImage
  }

  /// Maps for `atlas`, with directions from `fine` (any finer mesh of the same surface). Work is done at half the atlas's
  /// size: the fine surface has no more detail than that, and openness even less.
  package static func run(
    _ atlas: Atlas, fine: TriangleMesh, threads: Int = Parallel.processorCount,
    progress: any StageProgress = NoProgress()
  ) throws(ReconstructionError) -> Result {
    let texels = AtlasTexels(atlas, size: atlas.size / 2)
    let bands = (texels.size + Self.band - 1) / Self.band
    let counter = StepCounter(total: 2 * bands + 2, progress)
    let normals = try NormalBaking(atlas, fine: fine, texels).run(threads, counter)
    let openness = try OcclusionBaking(atlas, texels).run(threads, counter)
    try counter.advance()
    let result = Result(
      normal: normals.doubled(to: atlas.size), occlusion: openness.doubled(to: atlas.size))
    try counter.advance()
    return result
  }

  /// Rows done between two looks at the clock.
  static let band = 16
}

/// The fine surface's normals in the tangent space of the model, as tangents are commonly derived (M. Mikkelsen, "Simulation
/// of wrinkled surfaces revisited", 2008): at vertices, from texture coordinates and smooth normals, then interpolated.
private struct NormalBaking: Sendable {
  private let mesh: TriangleMesh
  private let tangents: [SIMD3<Float>]
  private let texels: AtlasTexels
  private let fine: TriangleMesh
  private let fineNormals: [SIMD3<Float>]
  private let scene: RayScene
  /// How far from the model the fine surface may be.
  private let reach: Float

  init(_ atlas: Atlas, fine: TriangleMesh, _ texels: AtlasTexels) throws(ReconstructionError) {
    mesh = atlas.mesh
    self.texels = texels
    self.fine = fine
    tangents = Self.tangents(atlas.mesh)
    fineNormals = fine.normals.count == fine.positions.count ? fine.normals : fine.smoothNormals
    scene = try RayScene(fine)
    reach = (mesh.bounds.map { ($0.max - $0.min).length } ?? 1) * 0.01
  }

  func run(_ threads: Int, _ counter: StepCounter) throws(ReconstructionError) -> RGBImage {
    let size = texels.size
    var image = RGBImage(width: size, height: size, fill: (128, 128, 255))
    let failure: ReconstructionError? = image.bytes.withUnsafeMutableBufferPointer { buffer in
      let out = SharedBuffer(buffer)
      do throws(ReconstructionError) {
        try Parallel.bands(size, of: BakeStage.band, threads: threads) { (rows) throws(ReconstructionError) in
          bake(rows, out)
          try counter.advance()
        }
        return nil
      } catch { return error }
    }
    if let failure { throw failure }
    return image
  }

  private func bake(_ rows: Range<Int>, _ out: SharedBuffer<UInt8>) {
    var places: [SIMD3<Float>] = []
    var targets: [(texel: Int, triangle: Int, weights: SIMD3<Float>)] = []
    for y in rows {
      for x in 0..<texels.size {
        let i = y * texels.size + x
        let t = Int(texels.owner[i])
        guard t >= 0 else { continue }
        let inside = texels.weights(t, x, y).clamped(lowerBound: .zero, upperBound: .one)
        let w = inside / inside.sum()
        targets.append((i, t, w))
        places.append(texels.position(t, w))
      }
    }
    let blank = cmesh_nearest(point: (0, 0, 0), distance: 0, u: 0, v: 0, triangle: .max)
    var found = [cmesh_nearest](repeating: blank, count: places.count)
    places.withUnsafeBufferPointer { p in
      found.withUnsafeMutableBufferPointer { scene.closest(to: p, radius: reach, into: $0) }
    }
    for (target, hit) in zip(targets, found) {
      let n = tangentNormal(target.triangle, target.weights, hit)
      let code = (n * 127.5 + 128).clamped(lowerBound: .zero, upperBound: .init(repeating: 255))
      for k in 0..<3 { out[3 * target.texel + k] = UInt8(code[k]) }
    }
  }

  /// The mean of a triangle's values with barycentric weights.
  private func weighted(_ values: [SIMD3<Float>], _ t: SIMD3<UInt32>, _ w: SIMD3<Float>) -> SIMD3<Float> {
    var sum = values[Int(t.x)] * w.x
    sum += values[Int(t.y)] * w.y
    sum += values[Int(t.z)] * w.z
    return sum
  }

  private func tangentNormal(_ triangle: Int, _ w: SIMD3<Float>, _ hit: cmesh_nearest) -> SIMD3<Float> {
    let t = mesh.triangles[triangle]
    func blend(_ values: [SIMD3<Float>]) -> SIMD3<Float> {
      weighted(values, t, w)
    }
    let n = blend(mesh.normals).normalized
    guard hit.triangle != .max else { return [0, 0, 1] }
    let f = fine.triangles[Int(hit.triangle)]
    let detail = weighted(fineNormals, f, SIMD3(1 - hit.u - hit.v, hit.u, hit.v)).normalized
    // the far side of a thin wall is nearer than 1 % of the model, but it faces away
    guard detail.dot(n) > 0.1 else { return [0, 0, 1] }
    let raw = blend(tangents)
    let tangent = (raw - n * raw.dot(n)).normalized
    return SIMD3(detail.dot(tangent), detail.dot(n.cross(tangent)), detail.dot(n))
  }

  /// A unit tangent along texture u at each vertex. Charts are never mirrored, so the bitangent is normal × tangent.
  private static func tangents(_ mesh: TriangleMesh) -> [SIMD3<Float>] {
    var sums = [SIMD3<Float>](repeating: .zero, count: mesh.positions.count)
    for t in mesh.triangles {
      let p = (0..<3).map { mesh.positions[Int(t[$0])] }
      let uv = (0..<3).map { mesh.uvs[Int(t[$0])] }
      let e1 = p[1] - p[0]
      let e2 = p[2] - p[0]
      let d1 = uv[1] - uv[0]
      let d2 = uv[2] - uv[0]
      let area = d1.x * d2.y - d1.y * d2.x
      guard area.magnitude > 1e-14 else { continue }
      let tangent = ((e1 * d2.y - e2 * d1.y) / area).normalized
      for k in 0..<3 {
        let a = (p[(k + 1) % 3] - p[k]).normalized
        let b = (p[(k + 2) % 3] - p[k]).normalized
        sums[Int(t[k])] += tangent * acos(min(max(a.dot(b), -1), 1))
      }
    }
    return zip(sums, mesh.normals).map { sum, n in
      let flat = sum - n * sum.dot(n)
      if flat.length > 1e-9 { return flat.normalized }
      let side: SIMD3<Float> = n.x.magnitude < 0.6 ? [1, 0, 0] : [0, 1, 0]
      return side.cross(n).normalized
    }
  }
}
