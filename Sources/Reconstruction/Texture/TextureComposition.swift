import Imaging
import Media

/// Colours the texels: each triangle from the view chosen for it, and where views meet, a blend over the triangles
/// between.
struct TextureComposition {
  /// One view on one triangle.
  private struct Layer: Sendable {
    var triangle: Int32
    /// The view's weight and correction at the three corners.
    var weight: SIMD3<Float>
    var correction: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>)
  }

  private let texels: AtlasTexels
  private var layers: [[Layer]]  // by view
  private let gains: [SIMD3<Float>]
  /// Colours summed up, 128 units a step of 8 bits: weights add up to one, so 16 bits suffice.
  private var sums: [UInt16]

  init(
    _ texels: AtlasTexels, _ mesh: TriangleMesh, labels: [Int32], levelling: SeamLevelling,
    observations: FaceObservations, gains: [SIMD3<Float>]
  ) {
    self.texels = texels
    self.gains = gains
    layers = [[Layer]](repeating: [], count: gains.count)
    sums = [UInt16](repeating: 0, count: 3 * texels.size * texels.size)
    for t in labels.indices where labels[t] >= 0 {
      Self.addLayers(&layers, t, mesh.triangles[t], labels[t], levelling, observations)
    }
  }

  private static func addLayers(
    _ layers: inout [[Layer]], _ t: Int, _ corners: SIMD3<UInt32>, _ own: Int32, _ levelling: SeamLevelling,
    _ observations: FaceObservations
  ) {
    var weights: [(view: Int32, weight: SIMD3<Float>)] = [(own, .zero)]
    for k in 0..<3 {
      let v = Int(corners[k])
      for i in Int(levelling.first[v])..<Int(levelling.first[v + 1]) where levelling.share[i] > 0 {
        let view = levelling.views[i]
        if let known = weights.firstIndex(where: { $0.view == view }) {
          weights[known].weight[k] = levelling.share[i]
        } else if observations[t].contains(where: { $0.view == view }) {
          weights.append((view, .zero))
          weights[weights.count - 1].weight[k] = levelling.share[i]
        }
      }
    }
    let total = weights.reduce(SIMD3<Float>.zero) { $0 + $1.weight }
    for item in weights {
      var layer = Layer(triangle: Int32(t), weight: .zero, correction: (.zero, .zero, .zero))
      for k in 0..<3 {
        // a corner where no view around is of use here belongs to the triangle's own
        layer.weight[k] = total[k] > 0 ? item.weight[k] / total[k] : item.view == own ? 1 : 0
      }
      if layer.weight == .zero { continue }
      func correction(_ k: Int) -> SIMD3<Float> {
        levelling.node(Int(corners[k]), item.view).map { levelling.correction[$0] } ?? .zero
      }
      layer.correction = (correction(0), correction(1), correction(2))
      layers[Int(item.view)].append(layer)
    }
  }

  /// Whether a view is used at all.
  func uses(_ view: Int) -> Bool { !layers[view].isEmpty }

  /// Adds what `view` shows. `pictures` are its levels 0, 1, 2 as far as they are wanted.
  mutating func add(
    _ view: Int, camera: PinholeView, threads: Int, picture: (Int) throws(ReconstructionError) -> RGBImage
  ) throws(ReconstructionError) {
    let list = layers[view]
    let levels = list.map { level(of: Int($0.triangle), camera) }
    for wanted in 0...2 where levels.contains(wanted) {
      let image = try picture(wanted)
      let part = list.indices.filter { levels[$0] == wanted }
      let gain = gains[view]
      let texels = texels
      sums.withUnsafeMutableBufferPointer { buffer in
        let out = SharedBuffer(buffer)
        image.bytes.withUnsafeBufferPointer { bytes in
          let sampler = CubicSampler(bytes: PictureBytes(bytes), width: image.width, height: image.height)
          Parallel.bands(part.count, of: 64, threads: threads) { range in
            for i in range { Self.draw(list[part[i]], texels, camera, sampler, Float(1 << wanted), gain, out) }
          }
        }
      }
    }
    layers[view] = []
  }

  /// The level whose pixels are about as large as the texels.
  private func level(of triangle: Int, _ camera: PinholeView) -> Int {
    let p = [SIMD3<Float>(1, 0, 0), [0, 1, 0], [0, 0, 1]].map { camera.project(texels.position(triangle, $0)) }
    let ab = p[1] - p[0]
    let ac = p[2] - p[0]
    let pixels = (ab.x * ac.y - ab.y * ac.x).magnitude / 2
    let ratio = pixels / max(texels.area(of: triangle), 1e-6)
    return ratio < 2.9 ? 0 : ratio < 11.6 ? 1 : 2
  }

  private static func draw(
    _ layer: Layer, _ texels: AtlasTexels, _ camera: PinholeView, _ sampler: CubicSampler, _ shrink: Float,
    _ gain: SIMD3<Float>,
    _ out: SharedBuffer<UInt16>
  ) {
    let t = Int(layer.triangle)
    texels.forEachTexel(of: t) { x, y, i in
      let w = texels.weights(t, x, y)
      let p = camera.project(texels.position(t, w))
      guard p.z > 0 else { return }
      // halving joins pixels 2i and 2i + 1
      let colour = sampler.sample((p.x + 0.5) / shrink - 0.5, (p.y + 0.5) / shrink - 0.5) * gain
      // in the rim weights leave 0…1; corrections are not continued there
      let inside = w.clamped(lowerBound: .zero, upperBound: .one)
      let c = inside / (inside.x + inside.y + inside.z)
      let corrected = colour + layer.correction.0 * c.x + layer.correction.1 * c.y + layer.correction.2 * c.z
      let weight = (layer.weight * c).sum()
      let value = corrected.clamped(lowerBound: .zero, upperBound: .init(repeating: 255)) * (weight * 128)
      for k in 0..<3 { out[3 &* i &+ k] = out[3 &* i &+ k] &+ UInt16(value[k]) }
    }
  }

  /// The finished map: triangles without a view get `fallback`, blended between their corners; free texels are filled
  /// from their surroundings.
  func finish(_ mesh: TriangleMesh, labels: [Int32], fallback: [SIMD3<Float>]) -> RGBImage {
    var image = RGBImage(width: texels.size, height: texels.size)
    image.bytes.withUnsafeMutableBufferPointer { bytes in
      for i in bytes.indices { bytes[i] = UInt8(truncatingIfNeeded: min(255, (UInt32(sums[i]) + 64) >> 7)) }
      for t in labels.indices where labels[t] < 0 {
        let corners = mesh.triangles[t]
        texels.forEachTexel(of: t) { x, y, i in
          let inside = texels.weights(t, x, y).clamped(lowerBound: .zero, upperBound: .one)
          let w = inside / inside.sum()
          let colour = fallback[Int(corners.x)] * w.x + fallback[Int(corners.y)] * w.y + fallback[Int(corners.z)] * w.z
          for k in 0..<3 { bytes[3 * i + k] = UInt8(min(max(colour[k], 0), 255)) }
        }
      }
    }
    return image.filledOutside { texels.owner[$0] >= 0 }
  }
}

/// Bytes read by many threads.
struct PictureBytes: @unchecked Sendable {
  let base: UnsafePointer<UInt8>
  init(_ buffer: UnsafeBufferPointer<UInt8>) { base = buffer.baseAddress! }
}

/// Cubic interpolation (R. Keys, "Cubic convolution interpolation for digital image processing", 1981, a = -1/2) of an
/// interleaved colour picture; the edge repeats.
struct CubicSampler: Sendable {
  let bytes: PictureBytes
  let width: Int, height: Int

  /// The colour at a place, 0…255; it may overshoot a little at edges.
  @inline(__always) func sample(_ x: Float, _ y: Float) -> SIMD3<Float> {
    let fx = x.rounded(.down)
    let fy = y.rounded(.down)
    let column = Int(min(max(fx, -4), Float(width + 4)))
    let row = Int(min(max(fy, -4), Float(height + 4)))
    let wx = Self.weights(x - fx)
    let wy = Self.weights(y - fy)
    var sum = SIMD3<Float>.zero
    for j in 0..<4 {
      let v = min(max(row + j - 1, 0), height - 1)
      let line = bytes.base + 3 * v * width
      var part = SIMD3<Float>.zero
      for i in 0..<4 {
        let p = line + 3 * min(max(column + i - 1, 0), width - 1)
        part += SIMD3(Float(p[0]), Float(p[1]), Float(p[2])) * wx[i]
      }
      sum += part * wy[j]
    }
    return sum
  }

  @inline(__always) private static func weights(_ t: Float) -> SIMD4<Float> {
    let t2 = t * t
    let t3 = t2 * t
    return SIMD4(
      -0.5 * t3 + t2 - 0.5 * t, 1.5 * t3 - 2.5 * t2 + 1, -1.5 * t3 + 2 * t2 + 0.5 * t, 0.5 * t3 - 0.5 * t2)
  }
}
