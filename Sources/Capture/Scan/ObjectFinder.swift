import Imaging
import Session

/// Finds the box of what stands on the turntable by carving: cells above the table that some camera sees as background
/// are empty (Laurentini, "The visual hull concept", 1994).
///
/// With plates, each look gives two silhouettes. Without, the room is what does not change while the table turns, and
/// what the object sweeps over is one silhouette for all looks; the box is then as deep as it is wide.
struct ObjectFinder: Sendable {
  /// One look at the object.
  struct Look: Sendable {
    /// Where the axes stood.
    var axes: AxisAngles
    /// The pair's previews.
    var previews: [RGBImage]
    /// The empty table's previews at the same place, where there are any.
    var plates: [RGBImage]?
  }

  /// What was found.
  struct Finding: Sendable {
    /// The object's box in the object frame; nil where nothing stands there.
    var box: (min: SIMD3<Double>, max: SIMD3<Double>)?
    /// What hinders a good scan of it.
    var feedback: Set<ScanFeedback>
  }

  let geometry: RigGeometry
  /// Difference of brightness, 0…255, that noise does not reach.
  let threshold: Float

  /// Cells along each side of a grid.
  private static let resolution = 36
  /// What is lower than this is not an object but a shadow.
  private static let lowest = 8.0

  /// The box of the object in the looks' object frame.
  func find(_ looks: [Look]) -> Finding {
    let silhouettes = silhouettes(of: looks)
    guard !silhouettes.isEmpty else { return Finding(box: nil, feedback: [.objectNotDetected]) }
    let radius = geometry.tableRadius
    var low = SIMD3(-radius, 0, -radius)
    var high = SIMD3(radius, 1.6 * radius, radius)
    // coarse, then fine inside what the coarse one found
    for _ in 0..<2 {
      let grid = CarvingGrid(min: low, max: high, resolution: Self.resolution)
      guard let found = grid.carved(by: silhouettes, radius: radius) else {
        return Finding(box: nil, feedback: [.objectNotDetected])
      }
      low = pointwiseMax(found.min, [-radius, 0, -radius])
      high = found.max
    }
    guard high.y >= Self.lowest else { return Finding(box: nil, feedback: [.objectNotDetected]) }
    low.y = 0
    return Finding(box: (low, high), feedback: feedback(low, high, looks))
  }

  /// How the box lies in the pictures.
  private func feedback(_ low: SIMD3<Double>, _ high: SIMD3<Double>, _ looks: [Look]) -> Set<ScanFeedback> {
    let corners = BoxRecord(pass: 1, min: low, max: high, byHand: false).corners
    var feedback: Set<ScanFeedback> = []
    var largest = 0.0
    var nearest = Double.infinity
    for look in looks {
      for (camera, lens) in zip(geometry.camerasFromObject(look.axes), geometry.lenses) {
        let points = corners.map { camera * $0 }
        nearest = min(nearest, points.map(\.z).min() ?? nearest)
        let pixels = points.compactMap { lens.project($0) }
        guard pixels.count == 8 else { return [.objectTooClose, .outOfFieldOfView] }
        let xs = pixels.map(\.x)
        let ys = pixels.map(\.y)
        // a box is larger than what is in it: allow a little beyond the edge
        let slack = 0.02 * Double(max(lens.width, lens.height))
        let outside =
          xs.min()! < -slack || ys.min()! < -slack || xs.max()! > Double(lens.width) + slack
          || ys.max()! > Double(lens.height) + slack
        if outside { feedback.insert(.outOfFieldOfView) }
        largest = max(
          largest, (xs.max()! - xs.min()!) / Double(lens.width), (ys.max()! - ys.min()!) / Double(lens.height))
      }
    }
    if largest < 0.15 { feedback.insert(.objectTooFar) }
    // nearer than twice the baseline the twins do not see the same surface
    if nearest < 2 * geometry.stereo.baseline || largest > 1.05 { feedback.insert(.objectTooClose) }
    return feedback
  }

  private func silhouettes(of looks: [Look]) -> [Silhouette] {
    let withPlates = looks.filter { $0.plates != nil }
    if withPlates.count >= 2 {
      return withPlates.flatMap { look in
        zip(zip(look.previews, look.plates ?? []), zip(geometry.camerasFromObject(look.axes), geometry.lenses)).map {
          pictures, camera in
          Silhouette(
            mask: changed(pictures.0, from: pictures.1), cameraFromObject: camera.0,
            lens: camera.1.scaled(width: pictures.0.width, height: pictures.0.height))
        }
      }
    }
    return sweptSilhouettes(looks)
  }

  /// Where the pictures of all looks differ, seen by every camera place in turn.
  private func sweptSilhouettes(_ looks: [Look]) -> [Silhouette] {
    guard looks.count >= 3, let first = looks.first else { return [] }
    let masks = (0..<2).map { side in swept(looks.map { $0.previews[side] }) }
    // the swept region turns with nobody: every direction around the axis must fit into it
    return (0..<24).flatMap { step in
      var axes = first.axes
      axes.turntable = Angle(degrees: Double(step) * 15)
      return zip(zip(masks, geometry.camerasFromObject(axes)), geometry.lenses).map { place, lens in
        Silhouette(
          mask: place.0, cameraFromObject: place.1,
          lens: lens.scaled(width: place.0.width, height: place.0.height))
      }
    }
  }

  private func swept(_ images: [RGBImage]) -> GrayImage {
    let width = images[0].width
    let height = images[0].height
    var mask = GrayImage(width: width, height: height, fill: 0)
    let planes = images.map(\.gray)
    for i in 0..<width * height {
      var low = UInt8.max
      var high = UInt8.min
      for plane in planes {
        low = min(low, plane.pixels[i])
        high = max(high, plane.pixels[i])
      }
      if Float(high - low) > 1.5 * threshold { mask.pixels[i] = 255 }
    }
    return mask.closed()
  }

  /// Where a picture differs from a plate, allowing a pixel of shift: a table does not come back exactly.
  func changed(_ image: RGBImage, from plate: RGBImage) -> GrayImage {
    let width = image.width
    let height = image.height
    var mask = GrayImage(width: width, height: height, fill: 0)
    guard plate.width == width, plate.height == height else { return mask }
    let limit = Int(3 * threshold)
    image.bytes.withUnsafeBufferPointer { a in
      plate.bytes.withUnsafeBufferPointer { b in
        for y in 0..<height {
          for x in 0..<width {
            let i = 3 * (y * width + x)
            var least = Int.max
            for v in max(0, y - 1)...min(height - 1, y + 1) {
              for u in max(0, x - 1)...min(width - 1, x + 1) {
                let j = 3 &* (v &* width &+ u)
                let d =
                  abs(Int(a[i]) &- Int(b[j])) &+ abs(Int(a[i &+ 1]) &- Int(b[j &+ 1]))
                  &+ abs(Int(a[i &+ 2]) &- Int(b[j &+ 2]))
                if d < least { least = d }
              }
            }
            if least > limit { mask.pixels[y &* width &+ x] = 255 }
          }
        }
      }
    }
    return mask.closed()
  }
}

/// A camera's mask of what may be object.
struct Silhouette: Sendable {
  var mask: GrayImage
  var cameraFromObject: RigidTransform
  var lens: Lens

  /// Whether the object may be at a point: nil where the camera does not see it.
  func allows(_ point: SIMD3<Double>) -> Bool? {
    guard let p = lens.project(cameraFromObject * point) else { return nil }
    let x = Int(p.x.rounded())
    let y = Int(p.y.rounded())
    guard x >= 0, y >= 0, x < mask.width, y < mask.height else { return nil }
    return mask[x, y] != 0
  }
}

/// Cells of a box of space.
struct CarvingGrid: Sendable {
  let min: SIMD3<Double>
  let cell: SIMD3<Double>
  let resolution: Int

  init(min: SIMD3<Double>, max: SIMD3<Double>, resolution: Int) {
    self.min = min
    self.resolution = resolution
    cell = (max - min) / Double(resolution)
  }

  private func centre(_ x: Int, _ y: Int, _ z: Int) -> SIMD3<Double> {
    min + cell * (SIMD3(Double(x), Double(y), Double(z)) + 0.5)
  }

  /// The bounds of the largest connected piece that no silhouette forbids, grown by half a cell; nil where there is none.
  func carved(by silhouettes: [Silhouette], radius: Double) -> (min: SIMD3<Double>, max: SIMD3<Double>)? {
    let n = resolution
    var filled = [Bool](repeating: false, count: n * n * n)
    for y in 0..<n {
      for z in 0..<n {
        for x in 0..<n {
          let point = centre(x, y, z)
          if point.x * point.x + point.z * point.z > radius * radius { continue }
          filled[(y * n + z) * n + x] = isFilled(point, silhouettes)
        }
      }
    }
    return largestPiece(&filled).map { low, high in
      (min + cell * (low - 0.5), min + cell * (high + 1.5))
    }
  }

  private func isFilled(_ point: SIMD3<Double>, _ silhouettes: [Silhouette]) -> Bool {
    var seen = 0
    for silhouette in silhouettes {
      switch silhouette.allows(point) {
      case .some(false): return false
      case .some(true): seen += 1
      case nil: break
      }
    }
    return seen * 2 >= silhouettes.count
  }

  /// First and last cell of the largest face-connected piece.
  private func largestPiece(_ filled: inout [Bool]) -> (SIMD3<Double>, SIMD3<Double>)? {
    let n = resolution
    var best: (count: Int, low: SIMD3<Int>, high: SIMD3<Int>)?
    for start in filled.indices where filled[start] {
      var stack = [start]
      filled[start] = false
      var count = 0
      var low = SIMD3(repeating: n)
      var high = SIMD3(repeating: -1)
      while let i = stack.popLast() {
        let place = SIMD3(i % n, i / (n * n), i / n % n)
        count += 1
        low = pointwiseMin(low, place)
        high = pointwiseMax(high, place)
        let steps = [
          (place.x > 0, -1), (place.x < n - 1, 1), (place.y > 0, -n * n), (place.y < n - 1, n * n),
          (place.z > 0, -n), (place.z < n - 1, n)
        ]
        for (isInside, step) in steps where isInside && filled[i + step] {
          filled[i + step] = false
          stack.append(i + step)
        }
      }
      if count > best?.count ?? 0 { best = (count, low, high) }
    }
    guard let best, best.count >= 8 else { return nil }
    return (SIMD3<Double>(best.low), SIMD3<Double>(best.high))
  }
}

extension GrayImage {
  /// Closes gaps of up to two pixels (dilation, then erosion by one pixel less) and drops lone pixels, for masks of 0
  /// and 255. The result is a pixel fatter than the input.
  func closed() -> GrayImage { majority(atLeast: 3).ranked(.max).ranked(.max).ranked(.min) }

  private enum Rank { case min, max }

  private func ranked(_ rank: Rank) -> GrayImage {
    var out = self
    for y in 0..<height {
      for x in 0..<width {
        var value = self[x, y]
        for v in Swift.max(0, y - 1)...Swift.min(height - 1, y + 1) {
          for u in Swift.max(0, x - 1)...Swift.min(width - 1, x + 1) {
            value = rank == .max ? Swift.max(value, self[u, v]) : Swift.min(value, self[u, v])
          }
        }
        out[x, y] = value
      }
    }
    return out
  }

  private func majority(atLeast least: Int) -> GrayImage {
    var out = self
    for y in 0..<height {
      for x in 0..<width where self[x, y] != 0 {
        var count = 0
        for v in Swift.max(0, y - 1)...Swift.min(height - 1, y + 1) {
          for u in Swift.max(0, x - 1)...Swift.min(width - 1, x + 1) where self[u, v] != 0 { count += 1 }
        }
        if count < least { out[x, y] = 0 }
      }
    }
    return out
  }
}
