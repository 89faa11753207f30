import Codecs
import Foundation
import Session
import Testing

/// Power cuts: a scan is killed at 50 moments between two durable steps and taken up again.
@Suite struct KillTests {
  /// `scan-child`, which lies beside the tests.
  private static var child: String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let beside = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("scan-child").path
    if FileManager.default.fileExists(atPath: beside) { return beside }
    // the tests may be run by a helper from elsewhere: then the bundle is named on the command line
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? own
    return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("scan-child").path
  }

  /// The shots named by a journal, torn or not.
  private static func shots(_ journal: String) -> [Int] {
    journal.split(separator: "\n").compactMap { line in
      guard let entry = try? JSONDecoder().decode(JournalEntry.self, from: Data(line.utf8)),
        case .shot(let shot) = entry
      else { return nil }
      return shot.sequence
    }
  }

  private static func text(_ path: String) -> String {
    String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
  }

  @Test func aScanKilledAtAnyOfFiftyMomentsLosesAtMostTheShotInFlightAndResumes() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/twinrig-kill-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.child)
    process.arguments = [folder, "50", "20261130"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(output)")
    let points = output.split(separator: "\n").filter { $0.hasPrefix("point ") }
    #expect(points.count == 50)
    for line in points {
      let point = try #require(Int(line.split(separator: " ")[1]))
      // killed by signal 9, then finished with status 0
      #expect(line.contains("killed 9 resumed 0"), "\(line)")
      try check("\(folder)/\(point < 10 ? "0" : "")\(point)", line)
    }
  }

  private func check(_ folder: String, _ line: Substring) throws {
    let told = Self.text("\(folder)/killed.log").split(separator: "\n").filter { $0.hasPrefix("kept ") }.count
    let journal = Self.text("\(folder)/journal.killed")
    let before = Self.shots(journal)
    // whatever was reported as kept survives, and at most one shot more was on its way to be reported
    #expect(before.count == told || before.count == told + 1, "\(line): told \(told), found \(before.count)")

    let library = SessionLibrary(root: "\(folder)/sessions")
    let sessions = try library.sessions()
    #expect(sessions.count == 1, "\(line)")
    let session = try #require(sessions.first)
    let contents = try session.contents.get()
    #expect(contents.ended?.state == "completed", "\(line)")
    #expect(Array(contents.shots.map(\.sequence).prefix(before.count)) == before, "\(line)")
    for pass in 1...2 {
      // each viewpoint once: nothing lost, nothing shot twice
      #expect(contents.shots.filter { $0.pass == pass }.compactMap(\.viewpoint).sorted() == [0, 1, 2, 3], "\(line)")
    }
    #expect(contents.completedPasses == [1, 2], "\(line)")
    let named =
      contents.shots.flatMap { [$0.left.file, $0.right.file] } + contents.plates.flatMap { [$0.left, $0.right] }
    #expect(Set(named).count == named.count, "\(line)")
    for file in named {
      let image = try Picture.read("\(session.folder)/\(file)")
      #expect(image.width == 96 && image.height == 128, "\(line): \(file)")
    }
    // pictures that were taken but not named: at most the pair in flight when it was killed
    let orphans = try FileManager.default.subpathsOfDirectory(atPath: session.folder)
      .filter { $0.hasSuffix(".jpg") && $0.hasPrefix("pass-") && !named.contains($0) }
    #expect(orphans.count <= 2, "\(line): \(orphans)")
  }
}
