import Imaging
import Media

/// `twinrig-bench quality`: a model against the truth, as RECONSTRUCTION speaks of it: distances between 200 000 samples of
/// each surface and the other, thresholds at 0.2 % and 1 % of the truth's bounding-box diagonal.
enum QualityCommand {
  static func run(_ words: ArraySlice<String>) throws {
    let arguments = try Arguments(
      words, names: ["truth", "model", "cameras", "samples", "seed", "least-views"], flags: ["align", "json"])
    let samples = try arguments.whole("samples", 200_000, in: 100...10_000_000)
    let seed = UInt64(try arguments.whole("seed", 1, in: 0...Int.max))
    let leastViews = try arguments.whole("least-views", 3, in: 1...1000)
    let truthName = try arguments.required("truth")
    let modelName = try arguments.required("model")
    let truth = try surface(truthName)
    var model = try surface(modelName)

    var report = QualityReport(truth: truth, model: model)
    if arguments.has("align") {
      let alignment = Alignment(truth: truth, samples: model.samples(min(samples, 40_000), seed: seed &+ 2)).solve()
      report.scale = 1 / alignment.scaled.scale
      var moved = model.mesh
      moved.positions = alignment.rigid(moved.positions)
      model = try Surface(moved, name: modelName)
    }
    var truthSamples = truth.samples(samples, seed: seed)
    if let cameras = arguments.text("cameras") {
      let seen = seenSamples(truthSamples, truth, try CameraCentres.read(cameras), leastViews)
      guard !seen.isEmpty else { throw BenchError("\(cameras): no part of the truth is seen by \(leastViews) cameras") }
      report.seenShare = Double(seen.count) / Double(truthSamples.count)
      report.leastViews = leastViews
      truthSamples = seen
    }
    report.measure(
      accuracy: truth.distances(model.samples(samples, seed: seed &+ 1)), completeness: model.distances(truthSamples))
    print(arguments.has("json") ? report.json : report.text, terminator: "")
  }

  private static func surface(_ path: String) throws -> Surface {
    let bytes = try FileBytes.read(path)
    do {
      let mesh = bytes.starts(with: Array("ply".utf8)) ? try PLY.read(bytes) : try OBJ.read(bytes).mesh
      return try Surface(mesh, name: path)
    } catch let error as MediaError {
      throw MediaError(error.kind, place: [path, error.place].compactMap { $0 }.joined(separator: ", "), error.message)
    }
  }

  private static func seenSamples(
    _ samples: [SIMD3<Float>], _ truth: Surface, _ centres: [SIMD3<Float>], _ leastViews: Int
  ) -> [SIMD3<Float>] {
    var views = [Int](repeating: 0, count: samples.count)
    let tolerance = Float(0.001 * truth.diagonal)
    for centre in centres {
      for (i, seen) in truth.sees(samples, from: centre, tolerance: tolerance).enumerated() where seen { views[i] += 1 }
    }
    return samples.indices.filter { views[$0] >= leastViews }.map { samples[$0] }
  }
}
