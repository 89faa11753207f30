import Codecs
import Foundation
import Imaging
import Media
import Reconstruction
import Synchronization
import TestSupport
import Testing

/// What a job told.
private final class Log: Sendable {
  private let lines = Mutex<[ReconstructionEvent]>([])
  var events: [ReconstructionEvent] { lines.withLock { $0 } }
  func add(_ event: ReconstructionEvent) { lines.withLock { $0.append(event) } }
}

@Suite(.serialized) struct ReconstructorTests {
  private func options(_ threads: Int = 2) -> ReconstructionOptions {
    ReconstructionOptions(detail: .preview, triangles: 2000, textureSize: 256, name: "box", threads: threads)
  }

  @Test func aJobIsCancelledResumedAndSurvivesDamagedCheckpoints() throws {
    let box = try PaintedBox(count: 16, width: 200)
    defer { box.remove() }
    let output = box.folder + "/out"
    let job = Reconstructor(
      .posedImages(folder: box.images, cameras: box.cameras), output: output, options: options())

    // given up when the surface is there
    let cancellation = Cancellation()
    var error: ReconstructionError?
    do {
      _ = try job.run(cancellation: cancellation) { event in
        if case .stage(.simplify) = event { cancellation.cancel() }
      }
    } catch let thrown { error = thrown }
    #expect(error?.kind == .cancelled)
    let surface = output + "/work/surface.checkpoint"
    #expect(FileManager.default.fileExists(atPath: surface))
    #expect(FileManager.default.fileExists(atPath: output + "/poses.tsv"))
    #expect(!FileManager.default.fileExists(atPath: output + "/model.usdz"))
    let kept = try Data(contentsOf: URL(fileURLWithPath: surface))

    // goes on from there
    let log = Log()
    let report = try job.run { log.add($0) }
    #expect(report.stages.filter(\.resumed).map(\.stage).contains(.surface))
    #expect(!report.stages.contains { $0.stage == .texture && $0.resumed })
    checkResults(output, report)
    checkProgress(log.events)
    // and leaves nothing to clean up
    #expect(!FileManager.default.fileExists(atPath: output + "/work"))

    // a damaged checkpoint counts as none; so does one of another job
    try FileManager.default.createDirectory(atPath: output + "/work", withIntermediateDirectories: true)
    var damaged = kept
    damaged[damaged.count / 2] ^= 0x10
    try damaged.write(to: URL(fileURLWithPath: surface))
    let again = try job.run { _ in }
    #expect(!again.stages.contains { $0.stage == .surface && $0.resumed })
    #expect(again.model.triangles == report.model.triangles)
    #expect(again.lostCheckpoints.count == 1 && again.lostCheckpoints[0].contains(surface), "\(again.lostCheckpoints)")
    #expect(report.lostCheckpoints.isEmpty)
  }

  /// What lies where checkpoints should go is somebody's: it stays, and the job does without them.
  @Test func aFileInPlaceOfTheCheckpointFolderIsLeftAlone() throws {
    let box = try PaintedBox(count: 12, width: 120)
    defer { box.remove() }
    let output = box.folder + "/out"
    try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
    try "mine".write(toFile: output + "/work", atomically: true, encoding: .utf8)
    let log = Log()
    let report = try Reconstructor(
      .posedImages(folder: box.images, cameras: box.cameras), output: output, options: options()
    ).run { log.add($0) }
    #expect(try String(contentsOfFile: output + "/work", encoding: .utf8) == "mine")
    let advice = "a file where a folder is needed; move it away"
    #expect(
      report.lostCheckpoints.count == 1 && report.lostCheckpoints[0].contains(advice), "\(report.lostCheckpoints)")
    let warnings = log.events.compactMap { if case .warning(let text) = $0 { text } else { nil } }
    #expect(warnings.contains { $0.contains(output + "/work") && $0.contains(advice) })
  }

  @Test func theSamePicturesMakeTheSameModelOnAnyNumberOfThreads() throws {
    let box = try PaintedBox(count: 12, width: 120)
    defer { box.remove() }
    let models = try [1, 3].map { threads -> [Data] in
      let output = box.folder + "/out\(threads)"
      _ = try Reconstructor(
        .posedImages(folder: box.images, cameras: box.cameras), output: output, options: options(threads)
      ).run { _ in }
      return try ["model.glb", "mesh.ply", "preview.png"].map {
        try Data(contentsOf: URL(fileURLWithPath: output + "/" + $0))
      }
    }
    #expect(models[0] == models[1])
  }

  @Test func missingPicturesAndFoldersAreErrorsWithAPlace() throws {
    let nowhere = NSTemporaryDirectory() + "nowhere-\(UUID().uuidString)"
    var error: ReconstructionError?
    do {
      _ = try Reconstructor(
        .posedImages(folder: nowhere, cameras: nowhere + "/par.txt"), output: nowhere + "-out", options: options()
      ).run { _ in }
    } catch let thrown { error = thrown }
    try? FileManager.default.removeItem(atPath: nowhere + "-out")
    #expect(error?.kind == .invalidInput)
    #expect(error?.place?.contains("nowhere") == true)
  }

  private func checkResults(_ output: String, _ report: ReconstructionReport) {
    for file in [
      "model.usdz", "model.glb", "mesh.ply", "points.ply", "poses.tsv", "bounds.json", "preview.png", "report.json",
      "colmap/images.txt"
    ] { #expect(FileManager.default.fileExists(atPath: output + "/" + file), "\(file)") }
    #expect(report.model.triangles <= 2000 && report.model.triangles > 200)
    // the box is 60 × 44 × 36; its underside is closed by guess
    let size = report.bounds.max - report.bounds.min
    #expect(abs(size.x - 60) < 3 && abs(size.y - 44) < 6 && abs(size.z - 36) < 3, "\(size)")
  }

  private func checkProgress(_ events: [ReconstructionEvent]) {
    var fractions: [Double] = []
    var stages: [ReconstructionStage] = []
    for event in events {
      if case .progress(_, let fraction, _) = event { fractions.append(fraction) }
      if case .stage(let stage) = event { stages.append(stage) }
    }
    #expect(fractions.count > 5)
    #expect(fractions == fractions.sorted())
    #expect(fractions.allSatisfy { (0...1).contains($0) })
    #expect((fractions.last ?? 0) > 0.99)
    #expect(stages == ReconstructionStage.allCases.filter { stages.contains($0) })
    guard case .done = events.last else {
      Issue.record("the last event is not done")
      return
    }
  }
}
