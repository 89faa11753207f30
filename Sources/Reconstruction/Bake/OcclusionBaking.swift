import CMesh
import Imaging
import Media

#if canImport(Glibc)
  import Glibc
#endif

/// Ambient occlusion of a model by itself: the share of cosine-weighted directions that are free (A. Iones, A. Krupkin, M.
/// Sbert, S. Zhukov, "Fast, realistic lighting for video games", 2003). Each texel casts the same few directions, turned by an
/// angle that differs between neighbours, and texels nearby on the surface are averaged: the error of one is that of all.
struct OcclusionBaking: Sendable {
  /// Directions of a texel.
  static let rays = 32
  /// Texels to each side that are averaged.
  private static let blur = 2

  private let atlas: Atlas
  private let texels: AtlasTexels
  private let scene: RayScene
  private let directions: [SIMD3<Float>]
  private let offset: Float
  private let far: Float

  init(_ atlas: Atlas, _ texels: AtlasTexels) throws(ReconstructionError) {
    self.atlas = atlas
    self.texels = texels
    scene = try RayScene(atlas.mesh)
    directions = (0..<Self.rays).map { Self.direction($0) }
    let diagonal = atlas.mesh.bounds.map { ($0.max - $0.min).length } ?? 1
    offset = diagonal * 1e-4
    far = diagonal
  }

  /// The i-th of `rays` directions about +z, cosine-weighted, from a Hammersley set.
  private static func direction(_ i: Int) -> SIMD3<Float> {
    let u = (Float(i) + 0.5) / Float(rays)
    let angle = 2 * Float.pi * Float(UInt32(i).bitSwapped) / 4_294_967_296
    let radius = u.squareRoot()
    return SIMD3(radius * cos(angle), radius * sin(angle), (1 - u).squareRoot())
  }

  func run(_ threads: Int, _ counter: StepCounter) throws(ReconstructionError) -> GrayImage {
    let size = texels.size
    var open = [Float](repeating: 1, count: size * size)
    let failure: ReconstructionError? = open.withUnsafeMutableBufferPointer { buffer in
      let out = SharedBuffer(buffer)
      do throws(ReconstructionError) {
        try Parallel.bands(size, of: BakeStage.band, threads: threads) { (rows) throws(ReconstructionError) in
          for y in rows { cast(y, out) }
          try counter.advance()
        }
        return nil
      } catch { return error }
    }
    if let failure { throw failure }
    return smoothed(open, threads)
  }

  private func cast(_ y: Int, _ out: SharedBuffer<Float>) {
    var rays = [cmesh_ray](repeating: cmesh_ray(from: .zero, along: .zero), count: Self.rays)
    var blocked = [UInt8](repeating: 0, count: Self.rays)
    for x in 0..<texels.size {
      let i = y * texels.size + x
      let t = Int(texels.owner[i])
      guard t >= 0 else { continue }
      let inside = texels.weights(t, x, y).clamped(lowerBound: .zero, upperBound: .one)
      let w = inside / inside.sum()
      let corners = atlas.mesh.triangles[t]
      let a = atlas.mesh.positions[Int(corners.x)]
      let b = atlas.mesh.positions[Int(corners.y)]
      let c = atlas.mesh.positions[Int(corners.z)]
      let n = (b - a).cross(c - a).normalized
      let origin = texels.position(t, w) + n * offset
      let side: SIMD3<Float> = n.x.magnitude < 0.6 ? [1, 0, 0] : [0, 1, 0]
      let u = side.cross(n).normalized
      let v = n.cross(u)
      let turn = 2 * Float.pi * Self.dither(x, y)
      let p = u * cos(turn) + v * sin(turn)
      let q = n.cross(p)
      for k in 0..<Self.rays {
        let d = directions[k]
        rays[k] = cmesh_ray(from: origin, along: p * d.x + q * d.y + n * d.z, far: far)
      }
      rays.withUnsafeBufferPointer { rays in
        blocked.withUnsafeMutableBufferPointer { scene.occluded(rays, into: $0) }
      }
      out[i] = 1 - Float(blocked.reduce(0) { $0 + Int($1) }) / Float(Self.rays)
    }
  }

  /// Interleaved gradient noise (J. Jimenez, "Next generation post processing in Call of Duty", 2014): neighbours get
  /// well-spread values in 0…1.
  private static func dither(_ x: Int, _ y: Int) -> Float {
    let inner = 0.06711056 * Float(x) + 0.00583715 * Float(y)
    let outer = 52.9829189 * (inner - inner.rounded(.down))
    return outer - outer.rounded(.down)
  }

  /// The mean over texels of the same chart nearby; between charts the last value is continued.
  private func smoothed(_ open: [Float], _ threads: Int) -> GrayImage {
    let size = texels.size
    let r = Self.blur
    var pixels = [UInt8](repeating: 255, count: size * size)
    pixels.withUnsafeMutableBufferPointer { buffer in
      let out = SharedBuffer(buffer)
      Parallel.bands(size, of: BakeStage.band, threads: threads) { rows in
        for y in rows {
          for x in 0..<size {
            let t = texels.owner[y * size + x]
            guard t >= 0 else { continue }
            let chart = atlas.chart[Int(t)]
            var sum: Float = 0
            var count: Float = 0
            for v in max(0, y - r)...min(size - 1, y + r) {
              for u in max(0, x - r)...min(size - 1, x + r) {
                let other = texels.owner[v * size + u]
                if other >= 0, atlas.chart[Int(other)] == chart {
                  sum += open[v * size + u]
                  count += 1
                }
              }
            }
            out[y * size + x] = UInt8(min(255, 255 * sum / count + 0.5))
          }
        }
      }
    }
    return GrayImage(width: size, height: size, pixels: pixels)
  }
}

extension UInt32 {
  /// The bits in reverse order.
  fileprivate var bitSwapped: UInt32 {
    var v = self
    v = (v >> 1 & 0x5555_5555) | (v & 0x5555_5555) << 1
    v = (v >> 2 & 0x3333_3333) | (v & 0x3333_3333) << 2
    v = (v >> 4 & 0x0f0f_0f0f) | (v & 0x0f0f_0f0f) << 4
    return v.byteSwapped
  }
}
