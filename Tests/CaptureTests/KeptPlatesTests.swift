import Capture
import Foundation
import Testing

/// Pictures of the empty table are kept for later scans, and what becomes of damaged ones.
@Suite struct KeptPlatesTests {
  private let request = ScanRequest(shots: 4, passes: 1)

  /// The folder of the only set of plates there is.
  private func plates(of station: Station) throws -> String {
    let root = "\(station.folder)/state/plates"
    return "\(root)/\(try #require(try FileManager.default.contentsOfDirectory(atPath: root).first))"
  }

  private func asksToClear(_ events: [ScanEvent]) -> Bool {
    events.contains { if case .prompt(let prompt) = $0 { prompt.kind == .clear } else { false } }
  }

  private func complaints(_ events: [ScanEvent]) -> [String] {
    events.compactMap { if case .notice(let text) = $0, text.contains("empty table") { text } else { nil } }
  }

  @Test(arguments: ["plates.json", "0-left.jpg", "1-right.png", "2-left.jpg gone"])
  func damagedPlatesAreTakenAgainAndThatIsSaid(file: String) async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    #expect(asksToClear(try await station.scan(request)))
    let folder = try plates(of: station)
    let name = String(file.prefix { $0 != " " })
    let path = "\(folder)/\(name)"
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    if file.hasSuffix("gone") {
      try FileManager.default.removeItem(atPath: path)
    } else {
      try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: path))
    }
    let second = try await station.scan(request)
    #expect(asksToClear(second))
    let said = complaints(second)
    #expect(said.count == 1 && said[0].contains(path) && said[0].contains("has to be photographed again"), "\(said)")
    let third = try await station.scan(request)
    #expect(!asksToClear(third) && complaints(third).isEmpty)
    #expect(try station.contents().plates.count == 3)
  }

  @Test func platesOfAnotherLightAreTakenAgainAndThatIsSaid() async throws {
    let first = try Station.quick()
    await first.controller.initialize()
    _ = try await first.scan(request)
    let second = try Station.quick(folder: first.folder, roomLight: 0.5)
    await second.controller.initialize()
    let told = try await second.scan(request)
    #expect(asksToClear(told))
    #expect(complaints(told).contains { $0.contains("another light") })
  }
}
