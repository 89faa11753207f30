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
  /// What is lower than this is not an object.
  private static let lowest = 8.0
  /// Up to here a shadow's edge, seen from the sides, may look like an object.
  private static let shadowLayer = 3.0

  /// The box of the object in the looks' object frame.
  func find(_ looks: [Look]) -> Finding {
    let silhouettes = silhouettes(of: looks)
    guard !silhouettes.isEmpty else { return Finding(box: nil, feedback: [.objectNotDetected]) }
    let radius = geometry.tableRadius
    // the lowest layer is left to shadows
    var low = SIMD3(-radius, Self.shadowLayer, -radius)
    var high = SIMD3(radius, 1.6 * radius, radius)
    var piece: CarvingGrid.Piece?
    // coarse, then fine inside what the coarse one found
    for _ in 0..<2 {
      let grid = CarvingGrid(min: low, max: high, resolution: Self.resolution)
      piece = grid.carved(by: silhouettes, radius: radius)
      guard let piece else { break }
      low = pointwiseMax(piece.min, [-radius, Self.shadowLayer, -radius])
      high = piece.max
    }
    guard let piece, high.y >= Self.lowest else { return Finding(box: nil, feedback: [.objectNotDetected]) }
    low.y = 0
    return Finding(box: (low, high), feedback: feedback(piece, looks))
  }

  /// How the object lies in the pictures.
  private func feedback(_ piece: CarvingGrid.Piece, _ looks: [Look]) -> Set<ScanFeedback> {
    var feedback: Set<ScanFeedback> = []
    var largest = 0.0
    var nearest = Double.infinity
    for look in looks {
      for (camera, lens) in zip(geometry.camerasFromObject(look.axes), geometry.lenses) {
        var low = SIMD2(repeating: Double.infinity)
        var high = -low
        for cell in piece.cells {
          let point = camera * cell
          nearest = min(nearest, point.z)
          guard let pixel = lens.project(point) else { return [.objectTooClose, .outOfFieldOfView] }
          low = pointwiseMin(low, pixel)
          high = pointwiseMax(high, pixel)
        }
        if low.x < 0 || low.y < 0 || high.x > Double(lens.width - 1) || high.y > Double(lens.height - 1) {
          feedback.insert(.outOfFieldOfView)
        }
        largest = max(largest, (high.x - low.x) / Double(lens.width), (high.y - low.y) / Double(lens.height))
      }
    }
    if largest < 0.12 { feedback.insert(.objectTooFar) }
    // nearer than twice the baseline the twins do not see the same surface
    if nearest < 2 * geometry.stereo.baseline || largest > 1 { feedback.insert(.objectTooClose) }
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

  /// Where a picture differs from a plate, allowing a pixel of shift: a table does not come back exactly. What is only
  /// darker in the same colour is a shadow (Horprasert et al., "A statistical approach for real-time robust background
  /// subtraction and shadow detection", 1999) and does not count, unless there is hardly anything else.
  func changed(_ image: RGBImage, from plate: RGBImage) -> GrayImage {
    let width = image.width
    let height = image.height
    var sure = GrayImage(width: width, height: height, fill: 0)
    guard plate.width == width, plate.height == height else { return sure }
    var all = sure
    let limit = Int(3 * threshold)
    var counts = (sure: 0, all: 0)
    image.bytes.withUnsafeBufferPointer { a in
      plate.bytes.withUnsafeBufferPointer { b in
        for y in 0..<height {
          for x in 0..<width {
            let i = 3 * (y * width + x)
            let (difference, isShadow) = Self.compare(a, i, b, x, y, width, height)
            guard difference > limit else { continue }
            all.pixels[i / 3] = 255
            counts.all += 1
            if isShadow { continue }
            sure.pixels[i / 3] = 255
            counts.sure += 1
          }
        }
      }
    }
    return (counts.sure * 8 >= counts.all ? sure : all).closed().filled()
  }

  /// The least difference of a pixel to the plate's around its place, and whether one of those is the same but lit.
  private static func compare(
    _ a: UnsafeBufferPointer<UInt8>, _ i: Int, _ b: UnsafeBufferPointer<UInt8>, _ x: Int, _ y: Int, _ width: Int,
    _ height: Int
  ) -> (Int, Bool) {
    let pixel = SIMD3(Float(a[i]), Float(a[i &+ 1]), Float(a[i &+ 2]))
    var least = Int.max
    var isShadow = false
    for v in max(0, y - 1)...min(height - 1, y + 1) {
      for u in max(0, x - 1)...min(width - 1, x + 1) {
        let j = 3 &* (v &* width &+ u)
        let d =
          abs(Int(a[i]) &- Int(b[j])) &+ abs(Int(a[i &+ 1]) &- Int(b[j &+ 1])) &+ abs(Int(a[i &+ 2]) &- Int(b[j &+ 2]))
        if d < least { least = d }
        let ratio = (pixel + 4) / (SIMD3(Float(b[j]), Float(b[j &+ 1]), Float(b[j &+ 2])) + 4)
        let mean = (ratio.x + ratio.y + ratio.z) / 3
        if mean > 0.4, mean < 1, max(abs(ratio.x - mean), abs(ratio.y - mean), abs(ratio.z - mean)) < 0.1 * mean {
          isShadow = true
        }
      }
    }
    return (least, isShadow)
  }
}

/// A camera's mask of what may be object.
struct Silhouette: Sendable {
  var mask: GrayImage
  var cameraFromObject: RigidTransform
  var lens: Lens

  /// Whether the object may be at a point: nil where the camera does not see it.
  func allows(_ point: SIMD3<Double>) -> Bool? {
    guard let place = lens.project(cameraFromObject * point),
      let pixel = place.nearestPixel(width: mask.width, height: mask.height)
    else { return nil }
    return mask[pixel.x, pixel.y] != 0
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

  /// A connected piece of cells.
  struct Piece: Sendable {
    /// The middles of its cells.
    var cells: [SIMD3<Double>]
    /// Its bounds, grown by half a cell.
    var min: SIMD3<Double>, max: SIMD3<Double>
  }

  /// The largest connected piece that no silhouette forbids; nil where there is none.
  func carved(by silhouettes: [Silhouette], radius: Double) -> Piece? {
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
    return largestPiece(&filled).map { members in
      let places = members.map { SIMD3($0 % n, $0 / (n * n), $0 / n % n) }
      let low = places.reduce(SIMD3(repeating: n)) { pointwiseMin($0, $1) }
      let high = places.reduce(SIMD3(repeating: 0)) { pointwiseMax($0, $1) }
      return Piece(
        cells: places.map { centre($0.x, $0.y, $0.z) }, min: min + cell * (SIMD3<Double>(low) - 0.5),
        max: min + cell * (SIMD3<Double>(high) + 1.5))
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

  /// The cells of the largest face-connected piece.
  private func largestPiece(_ filled: inout [Bool]) -> [Int]? {
    let n = resolution
    var best: [Int] = []
    for start in filled.indices where filled[start] {
      var members = [start]
      filled[start] = false
      var next = 0
      while next < members.count {
        let i = members[next]
        next += 1
        let place = SIMD3(i % n, i / (n * n), i / n % n)
        let steps = [
          (place.x > 0, -1), (place.x < n - 1, 1), (place.y > 0, -n * n), (place.y < n - 1, n * n),
          (place.z > 0, -n), (place.z < n - 1, n)
        ]
        for (isInside, step) in steps where isInside && filled[i + step] {
          filled[i + step] = false
          members.append(i + step)
        }
      }
      if members.count > best.count { best = members }
    }
    return best.count >= 8 ? best : nil
  }
}

extension GrayImage {
  /// Closes gaps of up to two pixels (dilation, then erosion by one pixel less) and drops lone pixels, for masks of 0
  /// and 255. The result is a pixel fatter than the input.
  func closed() -> GrayImage { majority(atLeast: 3).ranked(.max).ranked(.max).ranked(.min) }

  /// Fills what is enclosed: background that does not reach the picture's edge becomes object.
  func filled() -> GrayImage {
    var outside = [Bool](repeating: false, count: width * height)
    var stack: [Int] = []
    for x in 0..<width { stack += [x, (height - 1) * width + x] }
    for y in 0..<height { stack += [y * width, y * width + width - 1] }
    while let i = stack.popLast() {
      if outside[i] || pixels[i] != 0 { continue }
      outside[i] = true
      let x = i % width
      if x > 0 { stack.append(i - 1) }
      if x < width - 1 { stack.append(i + 1) }
      if i >= width { stack.append(i - width) }
      if i < width * (height - 1) { stack.append(i + width) }
    }
    var out = self
    for i in outside.indices where !outside[i] { out.pixels[i] = 255 }
    return out
  }

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
