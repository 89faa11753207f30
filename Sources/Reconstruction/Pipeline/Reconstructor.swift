import Codecs
import Imaging
import Media

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes a model from pictures: all stages, in order, with progress, checkpoints and a report.
///
/// Into the output folder go `poses.tsv` and `colmap/` (as soon as poses are known), `points.ply`, `bounds.json`, `mesh.ply`
/// (in the world of the poses), `preview.png`, `model.glb`, `model.usdz` and `report.json`. Checkpoints live in `work/`
/// of the session, or of the output folder for foreign pictures, and are gone when the model is there.
public struct Reconstructor: Sendable {
  private let input: ReconstructionInput
  private let output: String
  private let options: ReconstructionOptions

  /// A job. Pictures up to about `pictureMemory` bytes are kept decoded.
  public init(
    _ input: ReconstructionInput, output: String, options: ReconstructionOptions, pictureMemory: Int = 256 << 20
  ) {
    self.input = input
    self.output = output
    self.options = options
    self.pictureMemory = pictureMemory
  }
  private let pictureMemory: Int

  /// Does the job. Blocks for as long as it takes (minutes) and keeps all processors busy: call it on a thread of its own.
  /// `report` is called from several threads. Throws what went wrong, `.cancelled` after `cancellation`.
  public func run(
    cancellation: Cancellation = Cancellation(), report: @escaping @Sendable (ReconstructionEvent) -> Void
  ) throws(ReconstructionError) -> ReconstructionReport {
    do throws(ReconstructionError) {
      try options.check()
      let result = try claimed { () throws(ReconstructionError) in
        let job = ReconstructionJob(
          options: options, output: OutputFolder(path: output, report: report), cancellation: cancellation,
          report: report)
        return try job.run(input, pictureMemory: pictureMemory)
      }
      report(.done(triangles: result.model.triangles, seconds: result.seconds))
      return result
    } catch {
      report(.failed(error))
      throw error
    }
  }

  /// Does `work` as the only one in the output folder, and in the session whose `work/` it uses. An input that is refused
  /// leaves no folder behind.
  private func claimed<Value>(_ work: () throws(ReconstructionError) -> Value) throws(ReconstructionError) -> Value {
    let folder = try FolderClaim(output, makes: true)
    do throws(ReconstructionError) {
      let session = try sessionClaim(beside: folder)
      defer { withExtendedLifetime((folder, session)) {} }
      return try work()
    } catch {
      folder.removeWhereEmpty()
      throw error
    }
  }

  private func sessionClaim(beside output: FolderClaim) throws(ReconstructionError) -> FolderClaim? {
    guard case .session(let folder) = input, !output.isSame(as: folder),
      (try? FileManager.default.attributesOfItem(atPath: folder)) != nil
    else { return nil }
    return try FolderClaim(folder, makes: false)
  }
}

/// A job that runs.
private final class ReconstructionJob {
  private let options: ReconstructionOptions
  private let output: OutputFolder
  private let cancellation: Cancellation
  private let report: @Sendable (ReconstructionEvent) -> Void
  private let clock: JobClock
  private var lostCheckpoints: [String] = []
  private var warnings: [String] = []

  init(
    options: ReconstructionOptions, output: OutputFolder, cancellation: Cancellation,
    report: @escaping @Sendable (ReconstructionEvent) -> Void
  ) {
    self.options = options
    self.output = output
    self.cancellation = cancellation
    self.report = report
    clock = JobClock(StageCosts(views: 60, megapixels: 2, options: options))
  }

  private func stage(_ stage: ReconstructionStage) -> StageRunner {
    StageRunner(stage, clock: clock, cancellation: cancellation, report: report)
  }

  func run(_ input: ReconstructionInput, pictureMemory: Int) throws(ReconstructionError) -> ReconstructionReport {
    let set = try read(input)
    let store = CheckpointStore(folder: workFolder(input), key: key(set))
    let poses = try poses(set, store, pictureMemory)
    let views = poses.views
    let pictures = pictures(views, pictureMemory)
    try output.writePoses(poses)
    let surface = try surface(poses, pictures, store)
    let cut = try cut(surface, store)
    store.remove(ReconstructionStage.surface.rawValue + ".depth")
    let texture = try stage(.texture).run(keptIn: store, lost: lose) { (progress) throws(ReconstructionError) in
      try TextureStage.run(
        cut.atlas, of: cut.mesh, views: views, pictures: pictures, masks: poses.masks, threads: options.threads,
        progress: progress)
    }
    let baked = try stage(.bake).run(keptIn: store, lost: lose) { (progress) throws(ReconstructionError) in
      try BakeStage.run(cut.atlas, fine: surface.mesh, threads: options.threads, progress: progress)
    }
    let frame = ModelFrame(cut.mesh, views: views, unitInMillimetres: options.unitInMillimetres)
    try stage(.write).run { (progress) throws(ReconstructionError) in
      try write(cut, surface, texture, baked, frame, views, progress)
    }
    let figures = figures(set, poses, surface, cut, texture, frame)
    try output.write(json: figures, as: "report.json", kind: .report)
    store.removeAll()
    return figures
  }

  /// A checkpoint that is lost costs time after a cut: its stage runs again.
  private func lose(_ reason: String) {
    guard !lostCheckpoints.contains(reason) else { return }
    lostCheckpoints.append(reason)
    report(.warning("a checkpoint is lost: \(reason)"))
  }

  // MARK: stages

  private func read(_ input: ReconstructionInput) throws(ReconstructionError) -> ViewSet {
    let set = try stage(.input).run { (progress) throws(ReconstructionError) -> ViewSet in
      let whole =
        switch input {
        case .session(let folder): try ViewSetReader.read(session: folder)
        case .posedImages(let folder, let cameras): try ViewSetReader.read(images: folder, cameras: cameras)
        }
      return try Screening.run(whole, threads: options.threads, progress: progress)
    }
    for issue in set.issues { report(.sample(issue)) }
    if let plates = set.rig?.plates.count, plates < RigContext.platesNeeded {
      warn(
        "\(plates) usable pairs of the empty table where \(RigContext.platesNeeded) are needed: the object is told from the "
          + "room without them, and may lose parts or keep some of the room; scan again with the table cleared first")
    }
    guard set.views.count >= 3 else {
      throw ReconstructionError(
        .insufficientViews, place: inputPath(input),
        "\(set.views.count) usable pictures are too few for a model; take 20 or more")
    }
    let pixels = set.views.reduce(0) { $0 + $1.lens.width * $1.lens.height }
    let megapixels = Double(pixels) / Double(set.views.count) / 1e6
    clock.expect(StageCosts(views: set.views.count, megapixels: megapixels, options: options))
    return set
  }

  private func poses(
    _ set: ViewSet, _ store: CheckpointStore, _ pictureMemory: Int
  ) throws(ReconstructionError) -> PoseResult {
    let pictures = pictures(set, pictureMemory)
    // poses carry the final masks: with them there, the first ones are not needed
    let known = store.load(ReconstructionStage.poses.rawValue, as: PoseResult.self, damaged: lose)
    let masks: ObjectMasks
    if let known {
      masks = known.masks
    } else {
      masks = try stage(.masks).run(keptIn: store, lost: lose) { (progress) throws(ReconstructionError) in
        try MaskStage.run(set, pictures: pictures, threads: options.threads, progress: progress)
      }
    }
    let result = try stage(.poses).run(keptIn: store, lost: lose) { (progress) throws(ReconstructionError) in
      try PoseStage.run(set, masks: masks, pictures: pictures, threads: options.threads, progress: progress)
    }
    store.remove(ReconstructionStage.masks.rawValue)
    for issue in result.views.issues where !set.issues.contains(issue) { report(.sample(issue)) }
    for item in result.registrations {
      if let reason = item.refusal { report(.stitchingIncomplete(pass: item.pass, reason: reason)) }
    }
    for pass in result.passesNotTurnedOver {
      warn(
        "in pass \(pass) the object stands as before, though it was to be turned over: what it stands on is a guess; scan "
          + "it again, and turn it over when asked")
    }
    return result
  }

  private func surface(
    _ poses: PoseResult, _ pictures: ViewPictures, _ store: CheckpointStore
  ) throws(ReconstructionError) -> FineSurface {
    // the surface replaces the depth maps: with it there, they are not even read
    let known = store.load(ReconstructionStage.surface.rawValue, as: FineSurface.self, damaged: lose)
    let maps = try stage(.depth).run(keptIn: store, lost: lose) { (progress) throws(ReconstructionError) -> DepthMaps in
      if known != nil { return DepthMaps(maps: []) }
      return try DepthStage.run(
        poses.views, masks: poses.masks, pictures: pictures, progress: progress,
        options: DepthStage.Options(detail: options.detail, threads: options.threads))
    }
    if known == nil { try checkMeasured(maps, poses.views) }
    if known == nil, options.writesPointCloud { try writePoints(maps, pictures) }
    let surface = try stage(.surface).run(keptIn: store, lost: lose) { (progress) throws(ReconstructionError) in
      try SurfaceStage.run(
        maps, views: poses.views, masks: poses.masks, pictures: pictures, progress: progress,
        options: SurfaceStage.Options(detail: options.detail, threads: options.threads))
    }
    store.remove(ReconstructionStage.depth.rawValue)
    try judge(surface, of: poses.views)
    return surface
  }

  /// Pictures that measure nothing still have outlines, and a shape carved from those looks like a model.
  private func checkMeasured(_ maps: DepthMaps, _ views: ViewSet) throws(ReconstructionError) {
    guard !maps.maps.contains(where: { $0.depth.pixels.contains { $0 > 0 } }) else { return }
    throw tooFew(views, measured: 0)
  }

  /// Refuses a surface that is hardly measured anywhere, and warns of one that is mostly a guess.
  private func judge(_ surface: FineSurface, of views: ViewSet) throws(ReconstructionError) {
    let measured = surface.measured
    guard measured >= ReconstructionReport.leastMeasured else { throw tooFew(views, measured: measured) }
    guard measured < ReconstructionReport.wellMeasured else { return }
    warn(
      "only \(Int(measured * 100)) % of the surface was measured, the rest is a guess from the outlines: "
        + Self.advice(views))
  }

  private func warn(_ warning: String) {
    warnings.append(warning)
    report(.warning(warning))
  }

  private func tooFew(_ views: ViewSet, measured: Double) -> ReconstructionError {
    ReconstructionError(
      .insufficientViews,
      "the \(views.views.count) pictures measure \(measured > 0 ? "hardly anything" : "nothing") of the object: "
        + Self.advice(views))
  }

  private static func advice(_ views: ViewSet) -> String {
    guard views.rig != nil else { return "take more pictures, no more than 15° apart" }
    let passes = Dictionary(grouping: views.views) { $0.pass }
    let stops = passes.values.map { pass in pass.count { $0.side == 0 } }.max() ?? 0
    return "scan with more stops a pass (shots=\(max(24, stops * 3 / 2)))"
  }

  private func cut(_ surface: FineSurface, _ store: CheckpointStore) throws(ReconstructionError) -> CutModel {
    let simple = try stage(.simplify).run { (progress) throws(ReconstructionError) in
      try Simplification.run(surface.mesh, budget: options.triangles, progress: progress)
    }
    return try stage(.unwrap).run(keptIn: store, lost: lose) { (progress) throws(ReconstructionError) in
      let atlas = try Unwrapping.run(
        simple.mesh, size: options.textureSize, threads: options.threads, progress: progress)
      return CutModel(mesh: simple.mesh, atlas: atlas, error: simple.error)
    }
  }

  private func writePoints(_ maps: DepthMaps, _ pictures: ViewPictures) throws(ReconstructionError) {
    let points = try maps.pointCloud(pictures: pictures)
    try output.write(PLY.write(points), as: "points.ply", kind: .pointcloud)
  }

  private func write(
    _ cut: CutModel, _ surface: FineSurface, _ texture: TextureStage.Result, _ baked: BakeStage.Result,
    _ frame: ModelFrame, _ views: ViewSet, _ progress: any StageProgress
  ) throws(ReconstructionError) {
    try progress.step(done: 0, of: 4)
    try output.write(json: bounds(cut.mesh, frame), as: "bounds.json", kind: .bounds)
    try output.write(PLY.write(cut.atlas.mesh), as: "mesh.ply", kind: .mesh)
    if options.writesFineMesh { try output.write(PLY.write(surface.mesh), as: "fine.ply", kind: .mesh) }
    let placed = frame.placed(cut.atlas.mesh)
    try progress.step(done: 1, of: 4)
    do {
      let picture = try PreviewPicture(placed, diffuse: texture.diffuse, occlusion: baked.occlusion)
      try output.write(
        try PNG.encode(picture.render(size: 1024, threads: options.threads)), as: "preview.png", kind: .preview)
      try progress.step(done: 2, of: 4)
      // colour keeps its full resolution: text is what people look at
      let model = TexturedModel(
        name: options.name, mesh: placed,
        diffuse: .init(try JPEG.encode(texture.diffuse, quality: 92, chroma: .full), .jpeg),
        normal: .init(try JPEG.encode(baked.normal, quality: 92, chroma: .full), .jpeg),
        occlusion: .init(try JPEG.encode(baked.occlusion, quality: 90), .jpeg),
        metadata: [("unit", frame.unit), ("detail", options.detail.rawValue)])
      try progress.step(done: 3, of: 4)
      try output.writeModel(model)
    } catch let error as ReconstructionError { throw error } catch {
      throw ReconstructionError(.io, place: output.path, "the model cannot be written: \(error)")
    }
    try progress.step(done: 4, of: 4)
  }

  // MARK: what is known about the job

  /// The box of the model as people ask for it.
  private struct Bounds: Encodable {
    var min: [Double], max: [Double]
    var sizeInMillimetres: [Double]
    var isMetric: Bool
    var unit: String
  }

  private func bounds(_ mesh: TriangleMesh, _ frame: ModelFrame) -> Bounds {
    let box = mesh.bounds ?? (.zero, .zero)
    let placed = frame.placed(mesh).bounds ?? (.zero, .zero)
    func list(_ v: SIMD3<Float>) -> [Double] { [Double(v.x), Double(v.y), Double(v.z)] }
    return Bounds(
      min: list(box.min), max: list(box.max), sizeInMillimetres: list(placed.max - placed.min),
      isMetric: frame.unit.hasSuffix("measured") || frame.unit.hasSuffix("told"), unit: frame.unit)
  }

  private func figures(
    _ set: ViewSet, _ poses: PoseResult, _ surface: FineSurface, _ cut: CutModel, _ texture: TextureStage.Result,
    _ frame: ModelFrame
  ) -> ReconstructionReport {
    let box = cut.mesh.bounds ?? (.zero, .zero)
    let issues = poses.views.issues + set.issues.filter { !poses.views.issues.contains($0) }
    return ReconstructionReport(
      name: options.name, options: options, viewsRead: set.views.count, viewsUsed: poses.views.views.count,
      issues: issues, poses: poses.statistics, registrations: poses.registrations,
      stitchingIncomplete: poses.isStitchingIncomplete,
      bounds: Box3(min: SIMD3<Double>(box.min), max: SIMD3<Double>(box.max)),
      isMetric: set.isMetric || options.unitInMillimetres != nil, unit: frame.unit,
      modelFromWorld: frame.modelFromWorld, millimetresPerUnit: frame.scale,
      model: .init(
        triangles: cut.mesh.triangles.count, vertices: cut.atlas.mesh.positions.count,
        fineTriangles: surface.mesh.triangles.count, simplificationError: Double(cut.error),
        charts: Set(cut.atlas.chart).count, occupancy: cut.atlas.occupancy, textureSize: cut.atlas.size,
        texelsPerUnit: cut.atlas.scale, unseen: texture.unseen, texturingViews: texture.viewsUsed,
        measured: surface.measured),
      stages: clock.laps.map {
        .init(stage: $0.stage, seconds: $0.seconds, cpuSeconds: $0.cpuSeconds, resumed: $0.isResumed)
      },
      seconds: clock.elapsed, cpuSeconds: JobClock.processSeconds(), memoryPeak: JobClock.memoryPeak(),
      warnings: warnings, lostCheckpoints: lostCheckpoints)
  }

  private func pictures(_ views: ViewSet, _ memory: Int) -> ViewPictures {
    ViewPictures(of: views, byteLimit: memory)
  }

  private func inputPath(_ input: ReconstructionInput) -> String {
    switch input {
    case .session(let folder): folder
    case .posedImages(let folder, _): folder
    }
  }

  private func workFolder(_ input: ReconstructionInput) -> String {
    switch input {
    case .session(let folder): folder + "/work"
    case .posedImages: output.path + "/work"
    }
  }

  /// What all results depend on: the pictures (by name, size and time), their cameras, and the options.
  private func key(_ set: ViewSet) -> UInt64 {
    var print = Fingerprint()
    print.add("1")
    for view in set.views {
      let facts = try? FileManager.default.attributesOfItem(atPath: view.path)
      let changed = (facts?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
      let size = (facts?[.size] as? any BinaryInteger).map { "\($0)" } ?? "?"
      print.add("\(view.path) \(changed) \(size) \(view.lens) \(view.cameraFromWorld) \(view.pass) \(view.stop)")
    }
    print.add(
      "\(String(describing: set.box)) \(String(describing: set.tableHeight)) \(String(describing: set.rig?.plates))")
    print.add("\(options.detail) \(options.triangles) \(options.textureSize)")
    return print.value
  }
}
