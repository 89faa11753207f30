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
    let all = Array(originals.indices)
    var odds = try odds(of: all, box: box, disc: disc, rooms: roomModels(of: all))
    let first = try smooth(odds, within: nil)
    guard let rough = roughHull(first, cameras, box) else { return everything(box, cameras) }
    let hulls = Parallel.map(cameras.count, threads: threads) { i in
      rough.drawn(cameras[i].lens, cameras[i].cameraFromWorld)
    }
    try settle(&odds, within: hulls, box, disc)
    let masks = try smooth(odds, within: hulls)
    let carving = HullCarving(resolution: 128, tolerance: 0.05, threads: threads)
    guard let hull = carve(carving, masks, cameras, box, by: all), let bounds = hull.bounds else {
      return everything(box, cameras)
    }
    return ObjectMasks(masks: masks, level: level, hull: hull, box: bounds)
  }

  /// So many views with plates make a hull by themselves.
  private static let fewestSure = 12

  /// A roomy hull: what looks like the background from one side is seen to be the object's from others. Where the empty room
  /// was photographed masks are better than where it has to be guessed, so those decide if they are enough.
  private func roughHull(_ masks: [GrayImage], _ cameras: [Camera], _ box: Box3) -> VoxelHull? {
    let sure = originals.indices.filter { hasPlates($0) }
    let voters = sure.count >= Self.fewestSure ? sure : Array(originals.indices)
    return carve(HullCarving(resolution: 80, tolerance: 0.2, threads: threads), masks, cameras, box, by: voters)
  }

  /// Looks again where the room had to be guessed, now that it is known, roughly, where the object hides it.
  private func settle(
    _ odds: inout [[Float]], within hulls: [GrayImage], _ box: Box3, _ disc: DiscModel
  ) throws(ReconstructionError) {
    let views = originals.indices.filter { !hasPlates($0) }
    let again = try self.odds(of: views, box: box, disc: disc, rooms: roomModels(of: views, hidden: hulls))
    for (i, settled) in zip(views, again) { odds[i] = settled }
    fillByColour(&odds, of: views, hulls)
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

  /// Whether the room was photographed without the object from where a view's pass looks at it.
  private func hasPlates(_ view: Int) -> Bool {
    plates.count >= RigContext.platesNeeded && model.heads[model.places[originals[view]].head].isCalibrated
  }

  /// Views by what they see the room with: the camera and its place.
  private func byRoom(_ views: [Int]) -> [(key: RoomKey, views: [Int])] {
    Dictionary(grouping: views) { key($0) }.map { (key: $0.key, views: $0.value) }
      .sorted { ($0.key.pass, $0.key.side) < ($1.key.pass, $1.key.side) }
  }

  /// The room of each pass and side of `views`. `hidden` says, once it is known, where the object is in every view.
  private func roomModels(of views: [Int], hidden: [GrayImage]? = nil) -> [RoomKey: RoomModel] {
    let groups = byRoom(views)
    let models = Parallel.map(groups.count, threads: threads) { k -> RoomModel? in
      let (key, views) = groups[k]
      if hasPlates(views[0]) { return RoomModel(plates: plates.map { key.side == 0 ? $0.left : $0.right }) }
      let stops = views.map { pictures[$0] }
      guard let hidden else { return RoomModel(stops: stops) }
      return RoomModel(stops: stops, hidden: views.map { hidden[$0] })
    }
    var rooms: [RoomKey: RoomModel] = [:]
    for (group, room) in zip(groups, models) { rooms[group.key] = room }
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
        let ray = camera.lens.ray(SIMD2(Double(x), Double(y)))
        let j = (y - area.y) * area.width + x - area.x
        seen[j] = SIMD3<Float>(picture[x, y])
        isInBox[j] = box.isMet(by: worldTurn * ray, from: worldEye)
        let place = discView.place(along: ray)
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
  private func fillByColour(_ odds: inout [[Float]], of unsure: [Int], _ drawn: [GrayImage]) {
    for (_, views) in byRoom(unsure) {
      let hulls = views.map { drawn[$0] }
      let discs = views.map { view(ofDiscIn: originals[$0]) }
      let lenses = views.map { model.camera(originals[$0]).lens }
      let colours = ColourModel(
        views.map { pictures[$0] }, hulls: hulls,
        object: { hulls[$0][$1, $2] != 0 && odds[views[$0]][$2 * hulls[$0].width + $1] > 2 },
        background: { discs[$0].place(along: lenses[$0].ray(SIMD2(Double($1), Double($2)))) == nil })
      guard let colours else { continue }
      for i in views {
        let byColour = Segmentation(pictures[i], colours).odds
        for p in odds[i].indices where odds[i][p].isNaN { odds[i][p] = min(2, max(-2, byColour[p])) }
      }
    }
  }

  /// The turntable's disc as a camera sees it.
  private struct DiscView {
    let eye: SIMD3<Double>
    let turn: Matrix3
    let radius: Double

    /// What is seen of the disc along a ray of the camera, in the table's frame; nil where that is none of it.
    func place(along ray: SIMD3<Double>) -> SIMD3<Double>? {
      let d = turn * ray
      guard d.y < 0, eye.y > 0 else { return nil }
      let place = eye - d * (eye.y / d.y)
      return place.x * place.x + place.z * place.z < radius * radius ? place : nil
    }
  }

  private func view(ofDiscIn original: Int) -> DiscView {
    let cameraFromTable = model.cameraFromTable(original)
    return DiscView(
      eye: cameraFromTable.centre, turn: cameraFromTable.rotation.transpose,
      radius: rig.geometry.tableRadius - 1.5)
  }

  private func smooth(_ odds: [[Float]], within hulls: [GrayImage]?) throws(ReconstructionError) -> [GrayImage] {
    let masks = Slots<GrayImage>(count: pictures.count)
    try Parallel.forEach(pictures.count, threads: threads) { i throws(ReconstructionError) in
      var segmentation = Segmentation(pictures[i], odds: odds[i].map { $0.isNaN ? 0.5 : $0 })
      if let hulls { segmentation.restrict(to: hulls[i], bias: 1) }
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
