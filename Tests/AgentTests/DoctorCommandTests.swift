import Control
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#endif

/// `twinrig doctor` as a program.
@Suite struct DoctorCommandTests {
  /// Runs it on a configuration with a state folder and a socket of its own; returns the exit code and what it printed.
  private func run(_ configuration: String, _ words: String = "", in folder: String) throws -> (
    code: Int, output: String
  ) {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let agent = "[agent]\nstate_folder = \"\(folder)/state\"\nsocket = \"\(folder)/s\"\ndisk_floor_mb = 10\n"
    try (agent + configuration).write(toFile: "\(folder)/doctor.toml", atomically: true, encoding: .utf8)
    let program = try RunningAgent.neighbour("twinrig")
    let status = system(
      "unset TWINRIG_SOCKET; \(program) doctor --config \(folder)/doctor.toml \(words) >\(folder)/out 2>&1 </dev/null")
    return (Int(status >> 8), try String(contentsOfFile: "\(folder)/out", encoding: .utf8))
  }

  private func folder() -> String { "/tmp/twinrig-doctor-\(UUID().uuidString.prefix(8))" }

  @Test func eachFindingIsALineAndItsRemedyTheNext() throws {
    let folder = folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let configuration = """
      [[battery]]
      name = "main"
      driver = "power_supply"
      supply = "nope"
      """
    let text = try run(configuration, in: folder)
    #expect(text.code == 1, "\(text)")
    let lines = text.output.split(separator: "\n")
    let index = lines.firstIndex { $0.hasPrefix("fault    battery main: the kernel has no supply nope") }
    #expect(index.map { lines[$0 + 1].hasPrefix("         in \(folder)/doctor.toml: battery[1].supply = ") } == true)
    #expect(lines.last?.contains("fault") == true)
    let json = try run(configuration, "--json", in: folder)
    #expect(json.code == 1)
    #expect(json.output.split(separator: "\n").allSatisfy { $0.hasPrefix("{\"line\":") })
    #expect(json.output.contains("\"subject\":\"battery main\",\"verdict\":\"fault\""), "\(json.output)")
  }

  @Test func aWrongConfigurationIsToldAsAStartOfTheAgentWould() throws {
    let folder = folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let text = try run("[scan]\nshotz = 3\n", in: folder)
    #expect(text.code == 2 && text.output.contains("doctor.toml:6: scan.shotz"), "\(text)")
  }

  @Test func anAgentAtWorkIsAskedHowItIs() async throws {
    let agent = try await RunningAgent.start()
    try await agent.client().close()
    let text = try run("", in: agent.folder)
    #expect(text.output.contains("ok       agent: it runs"), "\(text)")
    for check in ["disk", "memory", "rig", "battery main"] {
      #expect(text.output.contains("agent: \(check): "), "\(check): \(text.output)")
    }
    try await agent.cleanUp()
  }
}
