import Imaging
import Session

/// Masks of a session once its poses are known: what shows neither the disc nor the room is the object.
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
    var odds = try odds(of: Array(originals.indices), box: box, disc: disc, rooms: roomModels())
    let first = try smooth(odds, within: nil, cameras)
    guard let rough = roughHull(first, cameras, box) else { return everything(box, cameras) }
    try settle(&odds, within: rough, cameras, box, disc)
    let masks = try smooth(odds, within: rough, cameras)
    let carving = HullCarving(resolution: 128, tolerance: 0.05, threads: threads)
    guard let hull = carve(carving, masks, cameras, box, by: Array(originals.indices)), let bounds = hull.bounds else {
      return everything(box, cameras)
    }
    return ObjectMasks(masks: masks, level: level, hull: hull, box: bounds)
  }

  /// So many views with plates make a hull by themselves.
  private static let fewestSure = 12

  /// A roomy hull: what looks like the background from one side is seen to be the object's from others. Where the empty room
  /// was photographed masks are better than where it has to be guessed, so those decide if they are enough.
  private func roughHull(_ masks: [GrayImage], _ cameras: [Camera], _ box: Box3) -> VoxelHull? {
    let sure = originals.indices.filter { hasPlates(key($0)) }
    let voters = sure.count >= Self.fewestSure ? sure : Array(originals.indices)
    return carve(HullCarving(resolution: 80, tolerance: 0.2, threads: threads), masks, cameras, box, by: voters)
  }

  /// Looks again where the room had to be guessed, now that it is known, roughly, where the object hides it.
  private func settle(
    _ odds: inout [[Float]], within rough: VoxelHull, _ cameras: [Camera], _ box: Box3, _ disc: DiscModel
  ) throws(ReconstructionError) {
    let views = originals.indices.filter { !hasPlates(key($0)) }
    var hidden: [Int: GrayImage] = [:]
    for i in views { hidden[i] = rough.drawn(cameras[i].lens, cameras[i].cameraFromWorld) }
    let again = try self.odds(of: views, box: box, disc: disc, rooms: roomModels(hidden: hidden))
    for (i, settled) in zip(views, again) { odds[i] = settled }
    fillByColour(&odds, hidden)
  }

  private func odds(
    of views: [Int], box: Box3, disc: DiscModel, rooms: [RoomKey: RoomModel]
  ) throws(ReconstructionError) -> [[Float]] {
    let slots = Slots<[Float]>(count: views.count)
    try Parallel.forEach(views.count, threads: threads) { k throws(ReconstructionError) in
      let i = views[k]
      slots[k] = self.odds(pictures[i], original: originals[i], box: box, disc: disc, room: rooms[key(i)])
      try tally.advance()
    }
    return slots.values
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

  private func key(_ view: Int) -> RoomKey { RoomKey(pass: set.views[view].pass, side: set.views[view].side) }

  /// Whether the room was photographed without the object from where a pass looks at it.
  private func hasPlates(_ key: RoomKey) -> Bool {
    guard plates.count >= 2, let view = originals.indices.first(where: { self.key($0) == key }) else { return false }
    return model.heads[model.places[originals[view]].head].isCalibrated
  }

  /// The room of each pass and side. `hidden` says, once it is known, where the object is in the views of passes without
  /// plates; those with plates are left out then.
  private func roomModels(hidden: [Int: GrayImage]? = nil) -> [RoomKey: RoomModel] {
    let keys = Dictionary(grouping: originals.indices) { key($0) }
      .filter { hidden == nil || !hasPlates($0.key) }
      .sorted { ($0.key.pass, $0.key.side) < ($1.key.pass, $1.key.side) }
    let models = Slots<RoomModel?>(count: keys.count)
    Parallel.forEach(keys.count, threads: threads) { k in
      let (key, views) = keys[k]
      if hasPlates(key) {
        models[k] = RoomModel(plates: plates.map { key.side == 0 ? $0.left : $0.right })
      } else if let hidden {
        models[k] = RoomModel(stops: views.map { pictures[$0] }, hidden: views.map { hidden[$0]! })
      } else {
        models[k] = RoomModel(stops: views.map { pictures[$0] })
      }
    }
    var rooms: [RoomKey: RoomModel] = [:]
    for (k, room) in models.values.enumerated() { rooms[keys[k].key] = room }
    return rooms
  }

  /// Log-odds of each pixel for the object; NaN where nothing is known of what is behind it.
  private func odds(
    _ picture: RGBImage, original: Int, box: Box3, disc: DiscModel, room: RoomModel?
  ) -> [Float] {
    let camera = model.camera(original)
    let area =
      box.extent(through: camera.lens, cameraFromWorld: camera.cameraFromWorld)
      ?? PixelRect(width: picture.width, height: picture.height)
    var seen = [SIMD3<Float>](repeating: .zero, count: area.area)
    var expected = [SIMD3<Float>](repeating: SIMD3(repeating: .nan), count: area.area)
    var isInBox = [Bool](repeating: false, count: area.area)
    let discView = view(ofDiscIn: original)
    let worldEye = camera.cameraFromWorld.centre
    let worldTurn = camera.cameraFromWorld.rotation.transpose
    for y in area.y..<area.y + area.height {
      for x in area.x..<area.x + area.width {
        let ray = SIMD3(
          (Double(x) - camera.lens.cx) / camera.lens.fx, (Double(y) - camera.lens.cy) / camera.lens.fy, 1)
        let j = (y - area.y) * area.width + x - area.x
        seen[j] = SIMD3<Float>(picture[x, y])
        isInBox[j] = box.isMet(by: worldTurn * ray, from: worldEye)
        let place = discView.place(x, y)
        if let behind = place.map({ disc.colour($0.x, $0.z) }) ?? room?.colour(x, y) { expected[j] = behind }
      }
    }
    let settled = BackgroundLikeness(width: area.width, height: area.height, seen: seen, expected: expected).odds()
    var odds = [Float](repeating: -12, count: picture.width * picture.height)
    for y in 0..<area.height {
      for x in 0..<area.width where isInBox[y * area.width + x] {
        odds[(area.y + y) * picture.width + area.x + x] = settled[y * area.width + x]
      }
    }
    return odds
  }

  /// Where the object always hides what is behind it, colours tell: its own, and those of the room around it.
  private func fillByColour(_ odds: inout [[Float]], _ drawn: [Int: GrayImage]) {
    let passes = Dictionary(grouping: drawn.keys.sorted()) { key($0) }
    for views in passes.values.sorted(by: { $0[0] < $1[0] }) {
      let hulls = views.map { drawn[$0]! }
      let onDisc = views.map { view(ofDiscIn: originals[$0]) }
      let colours = ColourModel(
        views.map { pictures[$0] }, hulls: hulls,
        object: { hulls[$0][$1, $2] != 0 && odds[views[$0]][$2 * hulls[$0].width + $1] > 2 },
        background: { onDisc[$0].place($1, $2) == nil })
      guard let colours else { continue }
      for i in views {
        let byColour = Segmentation(pictures[i], colours).odds
        for p in odds[i].indices where odds[i][p].isNaN { odds[i][p] = min(2, max(-2, byColour[p])) }
      }
    }
  }

  /// The turntable's disc as a camera sees it.
  private struct DiscView {
    let lens: Lens
    let eye: SIMD3<Double>
    let turn: Matrix3
    let radius: Double

    /// What is seen of the disc in a pixel, in the table's frame; nil where the pixel shows none of it.
    func place(_ x: Int, _ y: Int) -> SIMD3<Double>? {
      let d = turn * SIMD3((Double(x) - lens.cx) / lens.fx, (Double(y) - lens.cy) / lens.fy, 1)
      guard d.y < 0, eye.y > 0 else { return nil }
      let place = eye - d * (eye.y / d.y)
      return place.x * place.x + place.z * place.z < radius * radius ? place : nil
    }
  }

  private func view(ofDiscIn original: Int) -> DiscView {
    let cameraFromTable = model.cameraFromTable(original)
    return DiscView(
      lens: model.camera(original).lens, eye: cameraFromTable.centre, turn: cameraFromTable.rotation.transpose,
      radius: rig.geometry.tableRadius - 1.5)
  }

  private func smooth(
    _ odds: [[Float]], within hull: VoxelHull?, _ cameras: [Camera]
  ) throws(ReconstructionError) -> [GrayImage] {
    let masks = Slots<GrayImage>(count: pictures.count)
    try Parallel.forEach(pictures.count, threads: threads) { i throws(ReconstructionError) in
      var segmentation = Segmentation(pictures[i], odds: odds[i].map { $0.isNaN ? 0.5 : $0 })
      if let hull { segmentation.restrict(to: hull.drawn(cameras[i].lens, cameras[i].cameraFromWorld), bias: 1) }
      let area = pictures[i].width * pictures[i].height
      masks[i] = segmentation.mask().cleaned(island: area / 20_000, hole: area / 2_000)
      try tally.advance()
    }
    return masks.values
  }

  /// Carves, and clears what lies below the table in any pass.
  private func carve(
    _ carving: HullCarving, _ masks: [GrayImage], _ cameras: [Camera], _ box: Box3, by views: [Int]
  ) -> VoxelHull? {
    let silhouettes = views.map {
      HullCarving.Silhouette(
        mask: masks[$0].pooled, lens: cameras[$0].lens.halved, cameraFromWorld: cameras[$0].cameraFromWorld)
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
