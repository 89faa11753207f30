import Configuration
import Foundation
import Testing

/// The files this project ships.
@Suite struct ShippedFilesTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  private static func tomlFiles(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")
      .filter { $0.hasSuffix(".toml") }.sorted().map { "\(root)/\(folder)/\($0)" }
  }

  @Test func everyFileInConfigAndBoardLoads() throws {
    let files = try Self.tomlFiles(in: "config") + Self.tomlFiles(in: "board")
    #expect(files.count >= 5)
    for file in files {
      #expect(throws: Never.self, "\(file)") { try TwinrigConfiguration(file: file) }
    }
  }

  @Test func theDocumentedFileShowsEveryKeyWithItsDefault() throws {
    let file = try String(contentsOfFile: "\(Self.root)/config/twinrig.toml", encoding: .utf8)
    #expect(file == TwinrigConfiguration().documentedText, "twinrig config defaults >config/twinrig.toml")
    #expect(try TwinrigConfiguration(file: "\(Self.root)/config/twinrig.toml") == TwinrigConfiguration())
  }

  @Test func aDocumentedConfigurationReadsBackAsItself() throws {
    for file in try Self.tomlFiles(in: "config") {
      let configuration = try TwinrigConfiguration(file: file)
      var expected = configuration
      // the profile's values are in the text; the text itself stands in no folder with profiles
      expected.board = ""
      let text = expected.documentedText
      let again = try TwinrigConfiguration(text: Array(text.utf8), file: "elsewhere/rig.toml")
      #expect(again == expected, "\(file)")
    }
  }

  @Test func theDemoRigIsWhatTheDemoNeeds() throws {
    let demo = try TwinrigConfiguration(file: "\(Self.root)/config/simulated.toml")
    #expect(demo.board == "simulated")
    #expect(demo.batteries.map(\.name) == ["main", "grip"], "these come from the board profile")
    #expect(demo.scan.passes == 3)
    #expect(demo.simulation.person == .flipsAndAnswers)
    #expect(Set(demo.buttons.map(\.action)).isSuperset(of: ["shutter", "answer", "stop"]))
  }

  @Test func pathsInAFileAreRelativeToIt() throws {
    let tin = try TwinrigConfiguration(file: "\(Self.root)/config/tin.toml")
    #expect(tin.simulation.model.path == "\(Self.root)/config/objects/tin.obj")
  }

  /// Takes the limits of every number from the documentation and asks for a value at and just beyond each.
  @Test func everyNumberKeepsItsLimits() throws {
    var table = ""
    var tried = 0
    for line in TwinrigConfiguration().documentedText.split(separator: "\n") {
      if line.hasPrefix("[") { table = String(line) }
      guard let limits = Limits(line) else { continue }
      tried += 1
      for inside in [limits.lowest, limits.highest] {
        let found = problems("\(table)\n\(limits.key) = \(inside)").filter { $0.contains("out of range") }
        #expect(found == [], "\(table) \(limits.key) = \(inside)")
      }
      for outside in [limits.below, limits.above] {
        let found = problems("\(table)\n\(limits.key) = \(outside)").filter { $0.contains("out of range") }
        #expect(found.count == 1 && found[0].hasPrefix("2: "), "\(table) \(limits.key) = \(outside): \(found)")
      }
    }
    #expect(tried > 60)
  }

  /// The limits in a documented line: `key = 4  # a number from 1 to 9 mm`.
  private struct Limits {
    var key: String, lowest: String, highest: String, below: String, above: String

    init?(_ line: Substring) {
      guard let range = line.range(of: "number from "), let equals = line.range(of: " = "), !line.hasPrefix("#")
      else { return nil }
      let words = line[range.upperBound...].split(separator: " ")
      let last = String(words[2].prefix { "0123456789.-".contains($0) })
      guard let low = Double(words[0]), let high = Double(last) else { return nil }
      let whole = line.contains("a whole number")
      if whole && Int(exactly: high) == nil { return nil }
      (key, lowest, highest) = (String(line[..<equals.lowerBound]), String(words[0]), last)
      below = whole ? "\(Int(low) - 1)" : "\(low - 0.001)"
      above = whole ? "\(Int(high) + 1)" : "\(high + 0.001)"
    }
  }
}
