import Imaging
import Media

/// How one view sees one triangle.
struct FaceObservation: Sendable {
  /// The view.
  var view: Int32
  /// How well: the pixels it covers there, less where it is seen at a slant or near something else's edge.
  var quality: Float
  /// Its mean colour there, 0…255, before and after exposure compensation.
  var colour: SIMD3<Float>
  /// How much the view's picture changes over the triangle: a measure of focus.
  var contrast: Float
}

/// What all views see of all triangles: `all[first[t]..<first[t + 1]]` by rising view.
struct FaceObservations: Sendable {
  var first: [Int32]
  var all: [FaceObservation]

  subscript(triangle: Int) -> ArraySlice<FaceObservation> {
    all[Int(first[triangle])..<Int(first[triangle + 1])]
  }

  /// Gathers lists of (triangle, observation), one list a view in order of views.
  init(_ lists: [[(triangle: Int32, seen: FaceObservation)]], triangleCount: Int) {
    first = [Int32](repeating: 0, count: triangleCount + 1)
    for list in lists {
      for item in list { first[Int(item.triangle) + 1] += 1 }
    }
    for t in 0..<triangleCount { first[t + 1] += first[t] }
    var cursor = first
    let blank = FaceObservation(view: -1, quality: 0, colour: .zero, contrast: 0)
    all = [FaceObservation](repeating: blank, count: Int(first[triangleCount]))
    for list in lists {
      for item in list {
        all[Int(cursor[Int(item.triangle)])] = item.seen
        cursor[Int(item.triangle)] += 1
      }
    }
  }
}

/// Looks at a mesh through one view. Visibility is judged against the mesh itself at half size, colours are taken at a
/// quarter of the size, where a triangle of a model covers a few pixels.
struct FaceObserver {
  let mesh: TriangleMesh
  let normals: [SIMD3<Float>]  // of triangles, unit
  let diagonal: Float

  /// Places on a triangle that are looked at: the middle and near each corner.
  private static let samples: [SIMD3<Float>] = [
    [1 / 3, 1 / 3, 1 / 3], [0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]
  ]
  /// Weight of what is seen where a small error of the surface would show something else.
  private static let unsafeShare: Float = 0.03

  init(_ mesh: TriangleMesh) {
    self.mesh = mesh
    normals = mesh.triangles.map { t in
      let a = mesh.positions[Int(t.x)]
      return (mesh.positions[Int(t.y)] - a).cross(mesh.positions[Int(t.z)] - a).normalized
    }
    diagonal = mesh.bounds.map { ($0.max - $0.min).length } ?? 1
  }

  /// What the view at `camera` sees. `half` is its lens at level 1, `quarter` at level 2 with the picture of that level;
  /// `mask` (any size) says where the object is.
  func observe(
    _ view: PosedView, half: Lens, quarter: Lens, picture: RGBImage, mask: GrayImage?
  ) -> [(triangle: Int32, seen: FaceObservation)] {
    let camera = PinholeView(view.cameraFromWorld, half)
    let projected = mesh.positions.map(camera.project)
    let buffer = DepthBuffer(mesh.triangles, projected: projected, width: half.width, height: half.height)
    let unsafe = buffer.unsafePixels(radius: 2, jump: 0.02 * diagonal)
    let toQuarter = SIMD2(Float(quarter.width) / Float(half.width), Float(quarter.height) / Float(half.height))
    var list: [(triangle: Int32, seen: FaceObservation)] = []
    for (i, t) in mesh.triangles.enumerated() {
      let a = mesh.positions[Int(t.x)]
      let slant = normals[i].dot((camera.centre - a).normalized)
      guard slant > 0.12 else { continue }
      let corners = [projected[Int(t.x)], projected[Int(t.y)], projected[Int(t.z)]]
      guard corners.allSatisfy({ $0.z > 0 }) else { continue }
      var seen: Float = 0
      var colours: [SIMD3<Float>] = []
      for w in Self.samples {
        let p = corners[0] * w.x + corners[1] * w.y + corners[2] * w.z
        guard let (x, y) = SIMD2(p.x, p.y).nearestPixel(width: half.width, height: half.height),
          x >= 2, y >= 2, x < half.width - 2, y < half.height - 2
        else { continue }
        // half a pixel of slant and a little of the model's size is no occlusion
        guard p.z <= nearest(buffer, x, y) + 0.004 * diagonal else { continue }
        let isSafe = unsafe[y * half.width + x] == 0 && onMask(mask, x, y, half)
        seen += isSafe ? 1 : Self.unsafeShare
        colours.append(picture.bilinear((SIMD2(p.x, p.y) + 0.5) * toQuarter - 0.5))
      }
      guard colours.count >= 3 else { continue }
      let ab = corners[1] - corners[0]
      let ac = corners[2] - corners[0]
      let pixels = 2 * (ab.x * ac.y - ab.y * ac.x).magnitude  // full-size pixels: half of 4
      let mean = colours.reduce(.zero, +) / Float(colours.count)
      let contrast = colours.reduce(Float(0)) { $0 + ($1 - mean).length } / Float(colours.count)
      let quality = pixels * (seen / Float(Self.samples.count)) * min(1, slant * 1.5)
      list.append(
        (Int32(i), FaceObservation(view: Int32(view.index), quality: quality, colour: mean, contrast: contrast)))
    }
    return list
  }

  /// The farthest of the depths around a pixel: at a slant the middle one can be a whole step nearer.
  private func nearest(_ buffer: DepthBuffer, _ x: Int, _ y: Int) -> Float {
    var far: Float = 0
    for v in y - 1...y + 1 {
      for u in x - 1...x + 1 {
        let d = buffer.depth[v * buffer.width + u]
        if d.isFinite { far = max(far, d) }
      }
    }
    let here = buffer.depth[y * buffer.width + x]
    return here.isFinite ? min(far, here + 0.01 * diagonal) : far
  }

  private func onMask(_ mask: GrayImage?, _ x: Int, _ y: Int, _ half: Lens) -> Bool {
    guard let mask else { return true }
    let u = min(mask.width - 1, x * mask.width / half.width)
    let v = min(mask.height - 1, y * mask.height / half.height)
    return mask[u, v] != 0
  }
}

extension RGBImage {
  /// The colour at a place, 0…255, linear between pixels; the edge repeats.
  func bilinear(_ p: SIMD2<Float>) -> SIMD3<Float> {
    let x = min(max(p.x, 0), Float(width - 1))
    let y = min(max(p.y, 0), Float(height - 1))
    let column = min(Int(x), max(0, width - 2))
    let row = min(Int(y), max(0, height - 2))
    let a = x - Float(column)
    let b = y - Float(row)
    let right = min(column + 1, width - 1)
    let below = min(row + 1, height - 1)
    let top = SIMD3<Float>(self[column, row]) * (1 - a) + SIMD3<Float>(self[right, row]) * a
    let bottom = SIMD3<Float>(self[column, below]) * (1 - a) + SIMD3<Float>(self[right, below]) * a
    return top * (1 - b) + bottom * b
  }
}
