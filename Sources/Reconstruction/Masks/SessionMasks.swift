import Imaging
import Session

/// Masks of a session once its poses are known: what shows neither the disc nor the room is the object. Shadows on the disc
/// move when it turns, so the views outvote them.
struct SessionMasks {
  let set: ViewSet
  let rig: RigContext
  /// Pictures of the views in `set`, and of the plates as undistorted pairs, all at `level`.
  let pictures: [RGBImage]
  let plates: [(axes: AxisAngles, left: RGBImage, right: RGBImage)]
  let model: RigModel
  /// For each view of `set` its index in the model.
  let originals: [Int]
  let points: [SIMD3<Double>]
  let level: Int
  let threads: Int
  let tally: Tally

  func run() throws(ReconstructionError) -> ObjectMasks {
    let box = objectBox
    let cameras = originals.map { model.camera($0) }
    let disc = discModel()
    let rooms = roomModels()
    var odds: [[Float]] = []
    let slots = Slots<[Float]>(count: pictures.count)
    try Parallel.forEach(pictures.count, threads: threads) { i throws(ReconstructionError) in
      let place = model.places[originals[i]]
      let room = rooms[RoomKey(pass: set.views[i].pass, side: place.side)]
      slots[i] = self.odds(pictures[i], original: originals[i], box: box, disc: disc, room: room)
      try tally.advance()
    }
    odds = slots.values
    var carving = HullCarving(threads: threads)
    // roomy at first: what looks like the background from one side is seen to be the object's from others
    carving.resolution = 80
    carving.tolerance = 0.2
    let first = try smooth(odds, within: nil, cameras)
    guard let rough = carve(carving, first.map(\.pooled), cameras, box) else { return everything(box, cameras) }
    let masks = try smooth(odds, within: rough, cameras)
    carving.resolution = 128
    carving.tolerance = 0.05
    guard let hull = carve(carving, masks.map(\.pooled), cameras, box), let bounds = hull.bounds else {
      return everything(box, cameras)
    }
    return ObjectMasks(masks: masks, level: level, hull: hull, box: bounds)
  }

  private struct RoomKey: Hashable {
    var pass: Int
    var side: Int
  }

  /// The box that was found or set before the scan, widened to the points that were seen since.
  private var objectBox: Box3 {
    var low = SIMD3(repeating: Double.infinity)
    var high = -low
    if points.count >= 20 {
      for axis in 0..<3 {
        let sorted = points.map { $0[axis] }.sorted()
        low[axis] = sorted[sorted.count / 100]
        high[axis] = sorted[sorted.count - 1 - sorted.count / 100]
      }
    }
    if let box = set.box {
      low = pointwiseMin(low, box.min)
      high = pointwiseMax(high, box.max)
    }
    let r = rig.geometry.tableRadius
    guard low.x.isFinite else { return Box3(min: [-r, 0, -r], max: [r, 2 * r, r]) }
    // without a box, plain parts may reach beyond the points
    let margin = SIMD3(repeating: set.box == nil ? 0.15 * (high - low).max() : 4)
    let lowest = pointwiseMax(low - margin, [-r, 0, -r])
    return Box3(min: SIMD3(lowest.x, 0, lowest.z), max: pointwiseMin(high + margin, [r, 2 * r, r]))
  }

  private func discModel() -> DiscModel {
    var sources: [DiscModel.Source] = []
    let correction = model.corrections.isEmpty ? 0 : model.corrections.reduce(0, +) / Double(model.corrections.count)
    for plate in plates {
      let head = model.heads[0].leftFromTable
      let turn = RigidTransform(
        rotation: .rotation(Angle(radians: plate.axes.turntable.radians + correction), about: [0, 1, 0]),
        translation: .zero)
      sources.append(.init(picture: plate.left, camera: Camera(lens: model.lenses[0], cameraFromWorld: head * turn)))
      sources.append(
        .init(
          picture: plate.right,
          camera: Camera(lens: model.lenses[1], cameraFromWorld: model.rightFromLeft * head * turn)))
    }
    let hasPlates = !sources.isEmpty
    if !hasPlates {
      for (i, original) in originals.enumerated() {
        let lens = model.lenses[model.places[original].side]
        sources.append(
          .init(picture: pictures[i], camera: Camera(lens: lens, cameraFromWorld: model.cameraFromTable(original))))
      }
    }
    return DiscModel(sources, radius: rig.geometry.tableRadius, least: hasPlates ? 1 : 8, threads: threads)
  }

  private func roomModels() -> [RoomKey: RoomModel] {
    var keys: [RoomKey: [Int]] = [:]
    for i in originals.indices {
      keys[RoomKey(pass: set.views[i].pass, side: set.views[i].side), default: []].append(i)
    }
    let sorted = keys.sorted { ($0.key.pass, $0.key.side) < ($1.key.pass, $1.key.side) }
    let models = Slots<RoomModel?>(count: sorted.count)
    Parallel.forEach(sorted.count, threads: threads) { k in
      let (key, views) = sorted[k]
      let isOfPlates = model.heads[model.places[originals[views[0]]].head].isCalibrated
      if isOfPlates && plates.count >= 2 {
        models[k] = RoomModel(plates: plates.map { key.side == 0 ? $0.left : $0.right })
      } else {
        models[k] = RoomModel(stops: views.map { pictures[$0] })
      }
    }
    var rooms: [RoomKey: RoomModel] = [:]
    for (k, room) in models.values.enumerated() { rooms[sorted[k].key] = room }
    return rooms
  }

  /// Log-odds of each pixel for the object: by colour, where that tells; a colour like the background's counts in full only
  /// where the background's structure is there as well.
  private func odds(
    _ picture: RGBImage, original: Int, box: Box3, disc: DiscModel, room: RoomModel?
  ) -> [Float] {
    let camera = model.camera(original)
    var odds = [Float](repeating: -12, count: picture.width * picture.height)
    let area =
      box.extent(through: camera.lens, cameraFromWorld: camera.cameraFromWorld)
      ?? PixelRect(width: picture.width, height: picture.height)
    var seen = [Float](repeating: .nan, count: area.area)
    var expected = seen
    let cameraFromTable = model.cameraFromTable(original)
    let eye = cameraFromTable.centre
    let turn = cameraFromTable.rotation.transpose
    let worldEye = camera.cameraFromWorld.centre
    let worldTurn = camera.cameraFromWorld.rotation.transpose
    let radius = rig.geometry.tableRadius - 1.5
    for y in area.y..<area.y + area.height {
      for x in area.x..<area.x + area.width {
        let ray = SIMD3(
          (Double(x) - camera.lens.cx) / camera.lens.fx, (Double(y) - camera.lens.cy) / camera.lens.fy, 1)
        guard box.isMet(by: worldTurn * ray, from: worldEye) else { continue }
        let d = turn * ray
        let reach = d.y < 0 ? -eye.y / d.y : -1
        let place = eye + d * reach
        let isOnDisc = reach > 0 && place.x * place.x + place.z * place.z < radius * radius
        let i = y * picture.width + x
        guard let behind = isOnDisc ? disc.colour(place.x, place.z) : room?.colour(x, y) else {
          odds[i] = 0.5
          continue
        }
        let colour = SIMD3<Float>(picture[x, y])
        odds[i] = Self.odds(colour, against: behind, darkest: 0.88)
        if Self.odds(colour, against: behind, darkest: 0.35) < 0 {
          let j = (y - area.y) * area.width + x - area.x
          (seen[j], expected[j]) = (Self.brightness(colour), Self.brightness(behind))
        }
      }
    }
    weigh(&odds, width: picture.width, area, seen, expected)
    return odds
  }

  /// Takes back most of what a likeness in colour alone says. How like the background itself is, with this light and this
  /// sensor, is what most of the pixels show; where it has no structure at all, colour has to do.
  private func weigh(
    _ odds: inout [Float], width: Int, _ area: PixelRect, _ seen: [Float], _ expected: [Float]
  ) {
    let likeness = BackgroundLikeness(width: area.width, height: area.height, seen: seen, expected: expected)
      .correlations()
    let sorted = likeness.indices.filter { !expected[$0].isNaN }.map { likeness[$0] }.sorted()
    guard let usual = sorted.isEmpty ? nil : sorted[sorted.count / 2], usual > 0.3 else { return }
    for y in 0..<area.height {
      for x in 0..<area.width {
        let j = y * area.width + x
        guard !expected[j].isNaN else { continue }
        let trust = min(1, max(0.1, (likeness[j] / usual - 0.7) / 0.2))
        let i = (area.y + y) * width + area.x + x
        odds[i] = odds[i] < 0 ? trust * odds[i] : (1 - trust) * odds[i] - trust
      }
    }
  }

  private static func brightness(_ colour: SIMD3<Float>) -> Float { colour.dot([0.3, 0.59, 0.11]) }

  /// How much a colour speaks against what is expected behind the object; the light may differ a little.
  private static func odds(
    _ colour: SIMD3<Float>, against expected: SIMD3<Float>, darkest: Float
  ) -> Float {
    let gain = min(1.12, max(darkest, (colour.dot(expected) + 20) / (expected.dot(expected) + 20)))
    let difference = colour - gain * expected
    let noise = 5 + 0.05 * expected.max()
    let distance = difference.dot(difference) / (noise * noise)
    return min(4, max(-3, 1.2 * distance - 3))
  }

  private func smooth(
    _ odds: [[Float]], within hull: VoxelHull?, _ cameras: [Camera]
  ) throws(ReconstructionError) -> [GrayImage] {
    let masks = Slots<GrayImage>(count: pictures.count)
    try Parallel.forEach(pictures.count, threads: threads) { i throws(ReconstructionError) in
      var segmentation = Segmentation(pictures[i], odds: odds[i])
      if let hull { segmentation.restrict(to: hull.drawn(cameras[i].lens, cameras[i].cameraFromWorld), bias: 1) }
      let area = pictures[i].width * pictures[i].height
      masks[i] = segmentation.mask().cleaned(island: area / 20_000, hole: area / 2_000)
      try tally.advance()
    }
    return masks.values
  }

  /// Carves, and clears what lies below the table in any pass.
  private func carve(
    _ carving: HullCarving, _ masks: [GrayImage], _ cameras: [Camera], _ box: Box3
  ) -> VoxelHull? {
    let silhouettes = masks.indices.map {
      HullCarving.Silhouette(
        mask: masks[$0], lens: cameras[$0].lens.halved, cameraFromWorld: cameras[$0].cameraFromWorld)
    }
    guard var hull = carving.carve(silhouettes, in: box, floor: 0) else { return nil }
    for object in Set(originals.map { model.places[$0].object }).sorted() {
      hull.clear(below: model.objects[object])
    }
    return hull.bounds == nil ? nil : hull.largestParts
  }

  private func everything(_ box: Box3, _ cameras: [Camera]) -> ObjectMasks {
    ObjectMasks(
      masks: cameras.map { GrayImage(width: $0.lens.width, height: $0.lens.height, fill: 255) }, level: level,
      hull: nil,
      box: box)
  }
}

extension VoxelHull {
  /// Empties all cells that lie below the table in a frame.
  mutating func clear(below tableFromWorld: RigidTransform) {
    for z in 0..<nz {
      for y in 0..<ny {
        for x in 0..<nx where (tableFromWorld * centre(x, y, z)).y < -0.5 * cell { self[x, y, z] = 0 }
      }
    }
  }
}
