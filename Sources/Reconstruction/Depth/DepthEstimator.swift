import CDepth
import Imaging
import Synchronization

/// One run of the depth stage.
struct DepthEstimator: Sendable {
  let views: ViewSet
  let masks: ObjectMasks
  let pictures: ViewPictures
  let options: DepthStage.Options
  /// The level of the finished maps.
  let level: Int
  /// Two levels are passed on the way, where the pictures are large enough.
  let steps: Int
  /// The views that get a depth map, ascending.
  let references: [Int]
  /// For each view the views it is matched against, the best first.
  let sources: [[Int]]
  /// For each view the views its result is checked with.
  let witnesses: [[Int]]

  init(views: ViewSet, masks: ObjectMasks, pictures: ViewPictures, options: DepthStage.Options) {
    self.views = views
    self.masks = masks
    self.pictures = pictures
    self.options = options
    let area = masks.masks.reduce(0) { $0 + $1.pixels.reduce(0) { $0 + ($1 == 0 ? 0 : 1) } } / max(1, views.views.count)
    var level = 0
    while (area << (2 * masks.level)) >> (2 * level) > options.pixelsPerView { level += 1 }
    self.level = level
    steps = 2
    let all = views.views
    let centre = masks.box.centre
    references = NeighbourChoice.spread(all, around: centre, count: options.maps)
    let limit = min(options.sources, Int(CDEPTH_MAX_SOURCES))
    let chosen = references
    sources = all.indices.map { NeighbourChoice.sources(of: $0, in: all, around: centre, count: limit) }
    witnesses = all.indices.map {
      NeighbourChoice.sources(
        of: $0, in: all, from: chosen, around: centre, count: Int(CDEPTH_MAX_SOURCES), ideal: 18)
    }
  }

  func run(_ progress: any StageProgress) throws(ReconstructionError) -> [DepthMap] {
    let ledger = ProgressLedger(progress, total: 10 * references.count)
    let ranges: [HullRange?] = try map { (i) throws(ReconstructionError) in hullRange(i) }
    let coarse: [PlaneField?] = try map { (i) throws(ReconstructionError) in
      guard let range = ranges[i], !sources[i].isEmpty else { return nil }
      let field = try coarseField(i, range)
      try ledger.add(3)
      return field
    }
    let fine: [PlaneField?] = try map { (i) throws(ReconstructionError) in
      guard let range = ranges[i] else { return nil }
      let field = try fineField(i, range, coarse)
      try ledger.add(7)
      return field
    }
    let maps: [DepthMap?] = try map { (i) throws(ReconstructionError) in checkedMap(i, fine) }
    return maps.compactMap { $0 }
  }

  /// One value for each view, nil for those that are no references, computed on the threads.
  private func map<Value: Sendable>(
    _ body: @Sendable (Int) throws(ReconstructionError) -> Value?
  ) throws(ReconstructionError) -> [Value?] {
    let results = Mutex([Value?](repeating: nil, count: views.views.count))
    try Parallel.forEach(references.count, threads: options.threads) { (k) throws(ReconstructionError) in
      let value = try body(references[k])
      results.withLock { $0[references[k]] = value }
    }
    return results.withLock { $0 }
  }

  // MARK: the levels

  /// The field of a view one level above the final one, matched by appearance alone.
  private func coarseField(_ view: Int, _ range: HullRange) throws(ReconstructionError) -> PlaneField? {
    let top = level + steps
    guard var field = emptyField(view, top, range) else { return nil }
    field.initialise(seed: UInt64(view))
    try match(&field, view, sweeps: 6, trials: 4, range: 0.03, coarse: nil)
    for next in stride(from: top - 1, to: level, by: -1) {
      guard var finer = emptyField(view, next, range) else { return nil }
      finer.initialise(from: field, seed: UInt64(view))
      try match(&finer, view, sweeps: 3, trials: 3, range: 0.006, coarse: nil)
      field = finer
    }
    return field
  }

  /// The field of a view at the final level, matched by appearance and by what the other views found a level above.
  private func fineField(
    _ view: Int, _ range: HullRange, _ coarse: [PlaneField?]
  ) throws(ReconstructionError) -> PlaneField? {
    guard let above = coarse[view], var field = emptyField(view, level, range) else { return nil }
    field.initialise(from: above, seed: UInt64(view))
    try match(&field, view, sweeps: 2, trials: 3, range: 0.003, coarse: coarse)
    field.forgetLimits()
    return field
  }

  private func emptyField(_ view: Int, _ level: Int, _ range: HullRange) -> PlaneField? {
    let lens = pictures.lens(view, level: level)
    return PlaneField(level: level, lens: lens, mask: mask(view, lens, level), range: range)
  }

  private func hullRange(_ view: Int) -> HullRange {
    let top = level + steps
    let lens = pictures.lens(view, level: top)
    return HullRange(
      hull: masks.hull ?? VoxelHull(box: masks.box), lens: lens, cameraFromWorld: views.views[view].cameraFromWorld,
      level: top, mask: mask(view, lens, top))
  }

  /// The view's mask at a level: a pixel is in when any part of it is.
  private func mask(_ view: Int, _ lens: Lens, _ level: Int) -> GrayImage {
    var mask = masks.masks[view]
    for _ in masks.level..<max(masks.level, level) { mask = mask.halvedByMaximum }
    guard level < masks.level || mask.width != lens.width || mask.height != lens.height else { return mask }
    let shift = max(0, masks.level - level)
    var out = GrayImage(width: lens.width, height: lens.height, fill: 0)
    for y in 0..<lens.height {
      let row = min(y >> shift, mask.height - 1) * mask.width
      for x in 0..<lens.width { out.pixels[y * lens.width + x] = mask.pixels[row + min(x >> shift, mask.width - 1)] }
    }
    return out
  }

  // MARK: matching

  private func parameters(_ level: Int, _ view: Int, geometric: Float) -> cdepth_parameters {
    // halving averages four pixels: the noise's standard deviation halves as well
    let noise = max(options.noise * 256 / Double(1 << level), 64)
    return cdepth_parameters(
      color_sigma: 20 * 256, noise_variance: Float(noise * noise), geometric: geometric, max_slope_cosine: 0.12,
      best: 3, leaps: 1, seed: UInt32(truncatingIfNeeded: view &* 7919 &+ level))
  }

  private func match(
    _ field: inout PlaneField, _ view: Int, sweeps: Int, trials: Int32, range: Float, coarse: [PlaneField?]?
  ) throws(ReconstructionError) {
    let level = field.level
    let isRandom = level == self.level + steps
    let reference = try pictures.luminance(view, level: level)
    var luminances: [[UInt16]] = []
    for source in sources[view] { luminances.append(try pictures.luminance(source, level: level).pixels) }
    let planes = sources[view].map { coarse?[$0]?.planes ?? [] }
    let parameters = parameters(level, view, geometric: coarse == nil ? 0 : 0.1)
    let geometry = sources[view].map { source in
      var kernel = cdepth_source(
        reference: field.lens, views.views[view].cameraFromWorld, source: pictures.lens(source, level: level),
        views.views[source].cameraFromWorld)
      if let own = coarse?[source] { kernel.describePlanes(of: own, under: level) }
      return kernel
    }
    withAddresses(of: luminances) { pixels in
      withAddresses(of: planes) { planes in
        var kernels = geometry
        for s in kernels.indices {
          kernels[s].pixels = pixels[s]
          kernels[s].planes = kernels[s].plane_width > 0 ? planes[s] : nil
        }
        reference.pixels.withUnsafeBufferPointer { picture in
          field.withKernelView(picture.baseAddress) { view in
            withUnsafePointer(to: parameters) { parameters in
              let count = Int32(kernels.count)
              // a random start says nothing about which sources are good
              cdepth_evaluate(&view, kernels, count, parameters, isRandom ? count : 4)
              var size = range
              for pass in 0..<sweeps {
                if isRandom, pass == 3 { cdepth_evaluate(&view, kernels, count, parameters, 4) }
                cdepth_sweep(&view, kernels, count, parameters, Int32(pass), trials, size)
                size *= 0.6
              }
            }
          }
        }
      }
    }
  }

  // MARK: checking

  /// The depth map of what at least two other views confirm.
  private func checkedMap(_ view: Int, _ fields: [PlaneField?]) -> DepthMap? {
    guard var field = fields[view] else { return nil }
    let others = witnesses[view].filter { fields[$0] != nil }
    let planes = others.map { fields[$0]!.planes }
    var agreeing = [UInt8](repeating: 0, count: field.count)
    var conflicting = agreeing
    let geometry = others.map { other in
      var kernel = cdepth_source(
        reference: field.lens, views.views[view].cameraFromWorld, source: fields[other]!.lens,
        views.views[other].cameraFromWorld)
      kernel.describePlanes(of: fields[other]!, under: field.level)
      return kernel
    }
    withAddresses(of: planes) { planes in
      var kernels = geometry
      for s in kernels.indices { kernels[s].planes = planes[s] }
      field.withKernelView(nil) { view in
        cdepth_check(&view, kernels, Int32(kernels.count), 1, &agreeing, &conflicting)
      }
    }
    return DepthMap(
      field, view: view, pose: views.views[view].cameraFromWorld, agreeing: agreeing, conflicting: conflicting)
  }
}

/// Counts finished work of all threads.
final class ProgressLedger: Sendable {
  private let progress: any StageProgress
  private let total: Int
  private let done = Mutex(0)

  init(_ progress: any StageProgress, total: Int) {
    self.progress = progress
    self.total = total
  }

  func add(_ units: Int) throws(ReconstructionError) {
    let sum = done.withLock { done in
      done += units
      return done
    }
    try progress.step(done: sum, of: total)
  }
}

extension VoxelHull {
  /// A hull of which nothing is known: the whole box.
  init(box: Box3) {
    let size = box.max - box.min
    let cell = size.max() / 64
    func cells(_ length: Double) -> Int { max(1, Int((length / cell).rounded(.up))) }
    self.init(origin: box.min, cell: cell, nx: cells(size.x), ny: cells(size.y), nz: cells(size.z), fill: 1)
  }
}

extension DepthMap {
  /// The pixels of a field that are confirmed by others, with confidence by cost and number of witnesses.
  init(_ field: PlaneField, view: Int, pose: RigidTransform, agreeing: [UInt8], conflicting: [UInt8]) {
    var lens = field.lens
    lens.cx -= Double(field.x0)
    lens.cy -= Double(field.y0)
    lens.width = field.columns
    lens.height = field.rows
    self.view = view
    self.lens = lens
    cameraFromWorld = pose
    depth = FloatPlane(width: field.columns, height: field.rows, fill: 0)
    normal = Plane(width: field.columns, height: field.rows, fill: .zero)
    confidence = GrayImage(width: field.columns, height: field.rows, fill: 0)
    for i in 0..<field.count where field.mask[i] != 0 {
      let plane = field.planes[i]
      let votes = Int(agreeing[i]) - Int(conflicting[i])
      // where texture is weak a match says little: what is left is the noise's
      let match = (0.75 - field.cost[i]) / 0.6
      guard plane.w > 0, agreeing[i] >= 2, votes >= 1, match > 0.02 else { continue }
      depth.pixels[i] = 1 / plane.w
      let x = Float(i % field.columns) - Float(lens.cx)
      let y = Float(i / field.columns) - Float(lens.cy)
      let n = SIMD3(
        -Float(lens.fx) * plane.wx, -Float(lens.fy) * plane.wy, -(plane.w - plane.wx * x - plane.wy * y)
      ).normalized
      normal.pixels[i] = SIMD3<Int8>(n * 127, rounding: .toNearestOrAwayFromZero)
      confidence.pixels[i] = UInt8(255 * min(1, match) * min(1, Float(votes) / 4))
    }
  }
}
