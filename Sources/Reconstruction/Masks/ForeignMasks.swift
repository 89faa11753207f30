import CMasks
import Imaging

/// Masks of pictures that somebody else took: from colours that only the object has, made consistent between the views
/// by a visual hull. Backgrounds that colours cannot tell are left in; the hull then is all that the cameras look at.
struct ForeignMasks {
  let set: ViewSet
  let pictures: [RGBImage]
  let lenses: [Lens]
  let level: Int
  let threads: Int
  let tally: Tally

  func run() throws(ReconstructionError) -> ObjectMasks {
    let bounds = set.box ?? Self.viewedBox(set)
    guard let colours = ColourModel(pictures) else { return everything(in: bounds) }
    var carving = HullCarving(threads: threads)
    // first roughly, on pictures of half the size; then finely, where the rough hull leaves room for the object
    carving.resolution = 80
    let small = pictures.map { $0.halved }
    let smallLenses = lenses.map { $0.halved }
    guard let rough = try rough(small, smallLenses, colours, carving, in: bounds) else { return everything(in: bounds) }
    let masks = try segment(pictures, lenses, rough.colours, within: rough.hull, bias: 2)
    carving.resolution = 128
    let pooled = masks.map { $0.pooled }
    guard let hull = carving.carve(silhouettes(pooled, smallLenses), in: bounds), let box = hull.bounds else {
      return everything(in: bounds)
    }
    return ObjectMasks(masks: masks, level: level, hull: hull, box: set.box ?? box)
  }

  /// Where the object roughly is, and its colours. Parts in the shade may look like the frame's darkest places in many
  /// views; so a first hull is carved only where a good part of the views agree, and the background is learned anew
  /// from what is off it, without the object that reaches the frame here and there.
  private func rough(
    _ pictures: [RGBImage], _ lenses: [Lens], _ colours: ColourModel, _ carving: HullCarving, in box: Box3
  ) throws(ReconstructionError) -> (hull: VoxelHull, colours: ColourModel)? {
    var generous = carving
    generous.tolerance = 0.25
    let first = silhouettes(try segment(pictures, lenses, colours, within: nil, bias: 0), lenses)
    guard let roomy = generous.carve(first, in: box) else { return nil }
    let drawn = set.views.indices.map { roomy.drawn(lenses[$0], set.views[$0].cameraFromWorld) }
    guard let better = ColourModel(pictures, off: drawn, first: colours) else {
      return carving.carve(first, in: box).map { ($0, colours) }
    }
    let second = silhouettes(try segment(pictures, lenses, better, within: roomy, bias: 0), lenses)
    generous.tolerance = 0.1
    return generous.carve(second, in: box).map { ($0, better) }
  }

  private func silhouettes(_ masks: [GrayImage], _ lenses: [Lens]) -> [HullCarving.Silhouette] {
    masks.indices.map {
      HullCarving.Silhouette(mask: masks[$0], lens: lenses[$0], cameraFromWorld: set.views[$0].cameraFromWorld)
    }
  }

  private func segment(
    _ pictures: [RGBImage], _ lenses: [Lens], _ colours: ColourModel, within hull: VoxelHull?, bias: Float
  ) throws(ReconstructionError) -> [GrayImage] {
    let masks = Slots<GrayImage>(count: pictures.count)
    try Parallel.forEach(pictures.count, threads: threads) { i throws(ReconstructionError) in
      let picture = pictures[i]
      let area = picture.width * picture.height
      if let hull {
        let drawn = hull.drawn(lenses[i], set.views[i].cameraFromWorld)
        let part = drawn.extent ?? (0..<1, 0..<1)
        var segmentation = Segmentation(picture.cropped(part.columns, part.rows), colours)
        segmentation.restrict(to: drawn.cropped(part.columns, part.rows), bias: bias)
        let inner = segmentation.mask().cleaned(island: area / 20_000, hole: area / 5_000)
        masks[i] = inner.placed(
          at: (part.columns.lowerBound, part.rows.lowerBound), in: (picture.width, picture.height))
      } else {
        masks[i] = Segmentation(picture, colours).mask().cleaned(island: area / 20_000, hole: area / 5_000)
      }
      try tally.advance()
    }
    return masks.values
  }

  private func everything(in box: Box3) -> ObjectMasks {
    ObjectMasks(
      masks: lenses.map { GrayImage(width: $0.width, height: $0.height, fill: 255) }, level: level, hull: nil, box: box)
  }

  /// The cube around the place all cameras look at, as large as the narrowest of them sees there.
  static func viewedBox(_ set: ViewSet) -> Box3 {
    // least squares: sum over cameras of (I - d dᵀ)(x - c) = 0
    var rows = [SIMD3<Double>](repeating: .zero, count: 3)
    var right = SIMD3<Double>.zero
    var middle = SIMD3<Double>.zero
    for view in set.views {
      let d = view.cameraFromWorld.rotation.row2
      let c = view.cameraFromWorld.centre
      middle += (c + d) / Double(set.views.count)
      let p = [SIMD3(1, 0, 0) - d * d.x, SIMD3(0, 1, 0) - d * d.y, SIMD3(0, 0, 1) - d * d.z]
      for a in 0..<3 { rows[a] += p[a] }
      right += SIMD3(p[0].dot(c), p[1].dot(c), p[2].dot(c))
    }
    let matrix = Matrix3(rows[0], rows[1], rows[2])
    let centre = matrix.inverse.map { $0 * right } ?? middle
    var reach: [Double] = []
    var nearest = Double.infinity
    for view in set.views {
      let distance = (view.cameraFromWorld.centre - centre).length
      nearest = min(nearest, distance)
      reach.append(0.6 * distance * Double(max(view.lens.width, view.lens.height)) / view.lens.fx)
    }
    let half = min(reach.sorted()[reach.count / 2], 0.95 * nearest)
    return Box3(min: centre - half, max: centre + half)
  }
}

extension VoxelHull {
  /// The hull as a camera sees it, 255 on it, with a margin of about a cell.
  func drawn(_ lens: Lens, _ cameraFromWorld: RigidTransform) -> GrayImage {
    var picture = GrayImage(width: lens.width, height: lens.height, fill: 0)
    var camera = cmasks_camera(lens: lens, cameraFromWorld: cameraFromWorld)
    var grid = grid
    cmasks_draw(&camera, &grid, occupied, &picture.pixels)
    return picture
  }
}
