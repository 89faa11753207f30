import Foundation
import Media
import Testing

/// The program itself, run on meshes whose figures follow from geometry.
@Suite struct QualityTests {
  private static let program: URL = {
    #if os(Linux)
      let tests = URL(fileURLWithPath: CommandLine.arguments[0])
    #else
      let tests = Bundle.main.bundleURL
    #endif
    return tests.deletingLastPathComponent().appendingPathComponent("twinrig-bench")
  }()

  private func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = Self.program
    process.arguments = arguments
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: text, as: UTF8.self), String(decoding: complaint, as: UTF8.self)
    )
  }

  private func figures(
    truth: TriangleMesh, model: TriangleMesh, cameras: String? = nil, align: Bool = false
  ) throws -> [String: Double] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("twinrig-bench-\(UUID().uuidString)")
      .path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileBytes.write(PLY.write(truth), to: folder + "/truth.ply")
    try FileBytes.write(PLY.write(model), to: folder + "/model.ply")
    var arguments = ["quality", "--truth", folder + "/truth.ply", "--model", folder + "/model.ply"]
    arguments += ["--samples", align ? "4000" : "20000", "--json"]
    if let cameras {
      try FileBytes.write(Array(cameras.utf8), to: folder + "/par.txt")
      arguments += ["--cameras", folder + "/par.txt"]
    }
    if align { arguments.append("--align") }
    let result = try run(arguments)
    try #require(result.status == 0, "\(result.errors)")
    let json = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    return try #require(json as? [String: Double])
  }

  /// A box with one corner drawn out, so that no rotation brings it onto itself.
  private func block(_ scale: Float = 1) -> TriangleMesh {
    var mesh = TriangleMesh()
    let corners: [SIMD3<Float>] = [
      [-50, -30, -20], [50, -30, -20], [50, 30, -20], [-50, 30, -20], [-50, -30, 20], [50, -30, 20], [70, 45, 30],
      [-50, 30, 20]
    ]
    mesh.positions = corners.map { $0 * scale }
    let quads: [[UInt32]] = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]
    for q in quads { mesh.triangles += [[q[0], q[1], q[2]], [q[0], q[2], q[3]]] }
    return mesh
  }

  @Test func aMeshIsItsOwnTruth() throws {
    let figures = try figures(truth: block(), model: block())
    #expect(try #require(figures["accuracyRMS"]) < 1e-4)
    #expect(figures["f"] == 1 && figures["completenessWithin1"] == 1 && figures["triangles"] == 12)
  }

  @Test func aShiftedSquareIsAsFarAwayAsItWasShifted() throws {
    let square = TriangleMesh(
      positions: [[0, 0, 0], [100, 0, 0], [100, 100, 0], [0, 100, 0]], triangles: [[0, 1, 2], [0, 2, 3]])
    var shifted = square
    // 0.5 % of the diagonal: within 1 %, not within 0.2 %
    for i in shifted.positions.indices { shifted.positions[i].z += 0.5 * 1.414_213_5 }
    let figures = try figures(truth: square, model: shifted)
    for name in ["accuracyMean", "accuracyMedian", "accuracy90", "accuracyRMS", "completenessMean"] {
      #expect(abs(try #require(figures[name]) - 0.707_107) < 1e-4, "\(name)")
    }
    #expect(figures["f"] == 0 && figures["accuracyWithin1"] == 1 && figures["completenessWithin1"] == 1)
  }

  @Test func aMissingHalfCostsCompletenessAndNotAccuracy() throws {
    let square = TriangleMesh(
      positions: [[0, 0, 0], [100, 0, 0], [100, 100, 0], [0, 100, 0]], triangles: [[0, 1, 2], [0, 2, 3]])
    let half = TriangleMesh(positions: square.positions, triangles: [[0, 1, 2]])
    let figures = try figures(truth: square, model: half)
    #expect(figures["precision"] == 1)
    // and a strip of 0.2 % of the diagonal beside the cut: 0.4 % of the square's own half
    #expect(abs(try #require(figures["recall"]) - 0.504) < 0.002)
  }

  @Test func onlyWhatThreeCamerasSeeHasToBeThere() throws {
    // three cameras above a block: they see its top and none of its bottom
    let cameras = (0..<3).map { "c\($0).png 1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1 \(-10 * $0) 0 -1000" }
    var top = block()
    top.triangles = Array(block().triangles[2..<4])
    let all = try figures(truth: block(), model: top)
    let seen = try figures(truth: block(), model: top, cameras: "3\n" + cameras.joined(separator: "\n") + "\n")
    #expect(try #require(all["recall"]) < 0.4)
    #expect(try #require(seen["seen"]) > 0.2 && #require(seen["seen"]) < 0.5)
    #expect(try #require(seen["recall"]) > 0.95)
  }

  @Test func aTurnedAndGrownModelIsBroughtBackAndItsScaleTold() throws {
    var model = block(1.02)
    let turn = { (p: SIMD3<Float>) -> SIMD3<Float> in
      // a third of a turn about the diagonal, then 0.3 about z
      let q = SIMD3(p.z, p.x, p.y)
      return SIMD3(q.x * 0.955_336_5 - q.y * 0.295_520_2, q.x * 0.295_520_2 + q.y * 0.955_336_5, q.z) + [300, -40, 900]
    }
    model.positions = model.positions.map(turn)
    let figures = try figures(truth: block(), model: model, align: true)
    #expect(abs(try #require(figures["scale"]) - 1.02) < 0.0005)
    // the rigid motion leaves what growing by 2 % about the middle does, about 1 % of each half side
    let mean = try #require(figures["accuracyMean"])
    #expect(mean > 0.2 && mean < 1)
  }

  @Test func wrongCallsAreExplained() throws {
    let missing = try run(["quality", "--truth", "a.ply"])
    #expect(missing.status == 2 && missing.errors.contains("--model is missing"))
    let unknown = try run(["kernels", "--sideways"])
    #expect(unknown.status == 2 && unknown.errors.contains("--sideways") && unknown.errors.contains("--only"))
    #expect(unknown.errors.split(separator: "\n").count == 1)
    for (words, hint) in [(["simulaton"], "simulation"), (["quality", "--truht"], "--truth"), (["--jso"], "--json")] {
      let slip = try run(words)
      #expect(slip.status == 2 && slip.errors.contains("did you mean \"\(hint)\"?"), "\(slip)")
    }
    let nowhere = try run(["quality", "--truth", "/nowhere.ply", "--model", "/nowhere.ply"])
    #expect(nowhere.status == 1 && nowhere.errors.contains("/nowhere.ply"))
  }

  @Test(arguments: ["kernels", "quality", "simulation"]) func everyCommandSaysHowItIsUsed(name: String) throws {
    let all = try run(["--help"]).output
    #expect(all.hasPrefix("usage: twinrig-bench ") && all.contains("\n  \(name) "))
    for words in [[name, "--help"], [name, "-h"], [name, "--json", "--help"], ["help", name]] {
      let help = try run(words)
      #expect(help.status == 0 && help.errors.isEmpty, "\(help)")
      #expect(help.output.hasPrefix("usage: twinrig-bench ") && help.output.contains(name), "\(help)")
      #expect(help.output.components(separatedBy: "twinrig-bench").count == 2, "\(help)")
    }
  }

  @Test func aStopOfTheSimulatedRigIsTimedAndIsTheSameEveryTime() throws {
    let outputs = try (0..<2).map { _ in
      let result = try run(["simulation", "--width", "120", "--stops", "3", "--json"])
      try #require(result.status == 0, "\(result.errors)")
      return try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    }
    #expect(outputs[0]?["height"] as? Int == 160)
    #expect(outputs[0]?["seconds"] as? Double ?? 0 > 0)
    let sums = outputs.map { $0?["checksum"] as? String ?? "none" }
    #expect(sums[0] == sums[1] && sums[0].count == 16)
  }

  @Test func aKernelIsTimedWithItsChecksum() throws {
    let result = try run(["kernels", "--only", "integral", "--repeat", "1", "--json"])
    try #require(result.status == 0, "\(result.errors)")
    let json = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    // whole numbers from a seed: the same on every machine
    #expect(json?["checksum"] as? String == "000000000b0b478b")
    #expect(json?["ms"] as? Double ?? 0 > 0)
  }
}
