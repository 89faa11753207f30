import Configuration
import Foundation
import Testing

/// The wiring tables of board/pins.md, against the profiles they describe.
@Suite struct PinsTests {
  private static let board =
    URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path + "/board"

  /// The profiles of each table of the page, in the order of its columns.
  private static let tables = [["raspberry-pi-5", "cm4-io", "cm5-io"], ["emulated"]]

  /// A line of a table: a key, and what each profile says.
  private struct Row {
    var key: String
    var values: [String]
  }

  private static func tables(of page: String) -> [[Row]] {
    var tables: [[Row]] = []
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("|---") { tables.append([]) }
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard line.hasPrefix("| "), cells.count > 3, cells[2].hasPrefix("`") else { continue }
      let key = cells[2].trimmingCharacters(in: CharacterSet(charactersIn: "`"))
      tables[tables.count - 1].append(Row(key: key, values: Array(cells[3...])))
    }
    return tables
  }

  private static func values(of profile: String) throws -> [String: String] {
    let text = "board = \"\(profile)\"\n"
    let configuration = try TwinrigConfiguration(text: Array(text.utf8), file: "\(board)/../config/rig.toml")
    var values: [String: String] = [:]
    for (key, value) in configuration.keysAndValues {
      values[key] = value?.trimmingCharacters(in: CharacterSet(charactersIn: "\""))
    }
    return values
  }

  @Test func theWiringTablesSayWhatTheProfilesSay() throws {
    let page = try String(contentsOfFile: "\(Self.board)/pins.md", encoding: .utf8)
    let tables = Self.tables(of: page)
    #expect(tables.count == Self.tables.count)
    for (rows, profiles) in zip(tables, Self.tables) {
      for (column, profile) in profiles.enumerated() {
        let values = try Self.values(of: profile)
        for row in rows {
          #expect(values[row.key] == row.values[column], "\(profile): \(row.key)")
        }
        // what the profile has on lines and addresses is in the table
        let said = Set(rows.map(\.key))
        for (key, value) in values where Self.isWiring(key, values) {
          #expect(said.contains(key), "\(profile): \(key) = \(value) is in no line of the table")
        }
      }
    }
  }

  /// Whether a key says where something hangs: a line or channel that the profile's drivers use.
  private static func isWiring(_ key: String, _ values: [String: String]) -> Bool {
    if key.contains(".servo.") {
      return key.hasSuffix(".channel") && values[String(key.prefix { $0 != "." }) + ".driver"] == "servo"
    }
    return key.hasSuffix("_line") || key.hasSuffix(".line")
  }

  @Test func theRaspberryBoardsHaveOnePlan() throws {
    var plans = try Self.tables[0].map(Self.values)
    for index in plans.indices {
      plans[index] = plans[index].filter { !$0.key.hasSuffix("chip") && $0.key != "board" }
    }
    #expect(plans[0] == plans[1] && plans[0] == plans[2])
    let reserved = Set([0, 1, 2, 3, 14, 15] + Array(7...11))
    for (key, value) in plans[0] where Self.isWiring(key, plans[0]) && key.hasSuffix("line") {
      #expect(!reserved.contains(Int(value) ?? 0), "\(key) = \(value)")
    }
  }

  /// A board that one holds in one's hand simulates nothing by itself, and keeps its pictures as HEIC.
  @Test(arguments: tables[0]) func aRealBoardHasRealDevices(_ profile: String) throws {
    let values = try Self.values(of: profile)
    let drivers = values.filter { $0.key.hasSuffix("driver") }
    #expect(drivers["cameras.driver"] == "libcamera")
    #expect(drivers.count > 5 && !drivers.values.contains("simulated"), "\(drivers)")
    #expect(values["cameras.image_format"] == "heic")
  }

  /// Every profile works with nothing else in the file, so that `board = "NAME"` is all a station has to say.
  @Test func aProfileIsAConfiguration() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.board).filter { $0.hasSuffix(".toml") }
    #expect(files.count >= 5)
    for file in files {
      #expect(throws: Never.self, "\(file)") { try Self.values(of: String(file.dropLast(5))) }
    }
  }
}
