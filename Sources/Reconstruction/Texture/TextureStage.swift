import Imaging
import Media

/// Colours an atlas from the pictures.
package enum TextureStage {
  /// What came out.
  package struct Result: Sendable {
    /// The diffuse map, its first row at the top.
    package var diffuse: RGBImage
    /// The share of triangles no picture shows.
    package var unseen: Double
    /// How many views contributed.
    package var viewsUsed: Int
  }

  /// The diffuse map of `atlas`, which was cut from `mesh` (same triangles, uncut). Throws what reading pictures throws.
  package static func run(
    _ atlas: Atlas, of mesh: TriangleMesh, views: ViewSet, pictures: ViewPictures, masks: ObjectMasks?,
    threads: Int = Parallel.processorCount, progress: any StageProgress = NoProgress()
  ) throws(ReconstructionError) -> Result {
    let count = views.views.count
    let counter = StepCounter(total: 2 * count + count / 3 + 1, progress)
    let topology = MeshTopology(triangles: mesh.triangles, vertexCount: mesh.positions.count)
    var observations = try observe(mesh, views, pictures, masks, threads, counter)
    let gains = ExposureBalance.gains(observations, viewCount: count)
    for i in observations.all.indices { observations.all[i].colour *= gains[Int(observations.all[i].view)] }
    let (colours, kept) = ExposureBalance.consensus(observations)
    let labels = ViewLabelling.run(
      kept, colours: colours, focus: focus(observations, viewCount: count), topology: topology)
    try counter.advance(by: count / 3)
    let levelling = SeamLevelling(mesh, topology, labels: labels, colours: colours, observations: observations)
    let texels = AtlasTexels(atlas)
    var composition = TextureComposition(
      texels, mesh, labels: labels, levelling: levelling, observations: kept, gains: gains)
    var used = 0
    for view in views.views {
      if composition.uses(view.index) {
        used += 1
        let camera = PinholeView(view.cameraFromWorld, pictures.lens(view.index))
        try composition.add(view.index, camera: camera, threads: threads) { (level) throws(ReconstructionError) in
          try pictures.rgb(view.index, level: level)
        }
      }
      try counter.advance()
    }
    let fallback = vertexColours(mesh, topology, colours)
    let diffuse = composition.finish(mesh, labels: labels, fallback: fallback)
    try counter.advance()
    let unseen = Double(labels.filter { $0 < 0 }.count) / Double(max(1, labels.count))
    return Result(diffuse: diffuse, unseen: unseen, viewsUsed: used)
  }

  private static func observe(
    _ mesh: TriangleMesh, _ views: ViewSet, _ pictures: ViewPictures, _ masks: ObjectMasks?, _ threads: Int,
    _ counter: StepCounter
  ) throws(ReconstructionError) -> FaceObservations {
    let observer = FaceObserver(mesh)
    let results = Parallel.map(views.views.count, threads: threads) {
      i -> Result2 in
      do throws(ReconstructionError) {
        let list = observer.observe(
          views.views[i], half: pictures.lens(i, level: 1), quarter: pictures.lens(i, level: 2),
          picture: try pictures.rgb(i, level: 2), mask: masks?.masks[i])
        try counter.advance()
        return .success(list)
      } catch { return .failure(error) }
    }
    var lists: [[(triangle: Int32, seen: FaceObservation)]] = []
    for result in results { lists.append(try result.get()) }
    return FaceObservations(lists, triangleCount: mesh.triangles.count)
  }

  private typealias Result2 = Swift.Result<[(triangle: Int32, seen: FaceObservation)], ReconstructionError>

  /// How sharp each view is against the others that see the same triangles: the ratio of contrasts, squared, near 1.
  private static func focus(_ observations: FaceObservations, viewCount: Int) -> [Float] {
    var sum = [Float](repeating: 0, count: viewCount)
    var weight = [Float](repeating: 0, count: viewCount)
    for t in 0..<observations.first.count - 1 {
      let seen = observations[t]
      guard seen.count >= 3 else { continue }
      let mean = seen.reduce(Float(0)) { $0 + $1.contrast } / Float(seen.count)
      guard mean > 2 else { continue }
      for o in seen {
        sum[Int(o.view)] += min(o.contrast / mean, 3) * o.quality
        weight[Int(o.view)] += o.quality
      }
    }
    return zip(sum, weight).map { s, w in
      let ratio = w > 0 ? s / w : 1
      return min(max(ratio * ratio, 0.25), 2)
    }
  }

  /// A colour at each vertex: the common colour around it, and where nobody sees anything, a smooth continuation.
  private static func vertexColours(
    _ mesh: TriangleMesh, _ topology: MeshTopology, _ colours: [SIMD3<Float>?]
  ) -> [SIMD3<Float>] {
    var system = GraphLeastSquares(count: mesh.positions.count)
    let known = colours.compactMap { $0 }
    let mean = known.isEmpty ? SIMD3(repeating: 128) : known.reduce(.zero, +) / Float(known.count)
    var start = [SIMD3<Float>](repeating: mean, count: mesh.positions.count)
    for v in mesh.positions.indices {
      let corners = topology.incident[Int(topology.first[v])..<Int(topology.first[v + 1])]
      let around = corners.compactMap { colours[Int($0) / 3] }
      guard !around.isEmpty else { continue }
      start[v] = around.reduce(.zero, +) / Float(around.count)
      system.want(v, start[v], weight: 100)
    }
    for (a, b) in SeamLevelling.edges(mesh) { system.want(a, minus: b, weight: 1) }
    return system.solve(from: start, iterations: 400)
  }
}
