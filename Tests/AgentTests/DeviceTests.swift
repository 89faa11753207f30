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

/// An agent on a board whose devices are not there, or come later.
@Suite(.serialized, .timeLimit(.minutes(2))) struct DeviceTests {
  @Test func anAgentWithoutItsTurntableServesAndSaysWhatIsMissing() async throws {
    let agent = try await RunningAgent.start(
      RunningAgent.configuration + """

        pace = "real-time"
        [turntable]
        driver = "stepper"
        [turntable.stepper]
        chip = "no-such-chip"
        step_line = 1
        direction_line = 2
        [[button]]
        id = 1
        action = "start"
        driver = "gpio"
        chip = "no-such-chip"
        line = 3
        [[battery]]
        name = "main"
        driver = "power_supply"
        supply = "no-such-supply"

        """)
    let client = try await agent.client()
    defer { client.close() }
    let status = try await client.ask(line: "status").data[0]
    #expect(status.text("state") == "failed")
    #expect(status.text("reason")?.contains("no-such-chip") == true)
    #expect(status.text("reason")?.contains("gpiodetect lists") == true, "\(status)")
    let caps = try await client.ask(line: "caps")
    #expect(try caps.end.get().text("supported") == "0")
    let absent = caps.data.filter { $0.text("present") == "0" }
    #expect(absent.map { $0.text("device") } == ["axis", "button", "battery"])
    #expect(absent.allSatisfy { $0.text("error") == "NODEV" && $0.text("reason") != nil })
    let health = try await client.ask(line: "health").data.first { $0.text("check") == "devices" }
    #expect(health?.text("ok") == "0" && health?.integer("absent") == 3, "\(String(describing: health))")
    // who watches is told what is missing
    _ = try await client.ask(line: "watch device")
    let event = try await client.event(.device) { $0.text("name") == "button 1" }
    #expect(event.text("kind") == "button" && event.text("present") == "0")
    #expect(await agent.logs("the rig cannot scan: turntable: open the GPIO chip no-such-chip: absent"))
    agent.signal(SIGTERM)
    #expect(try await agent.end() == 0)
    // told once, however often it was tried
    #expect(agent.log.components(separatedBy: "axis turntable: open the GPIO chip").count == 2, "\(agent.log)")
    try await agent.cleanUp()
  }

  @Test func aBusIsOpenedWheneverItComes() async throws {
    let bus = "/tmp/twinrig-bus-\(UUID().uuidString.prefix(8))"
    let agent = try await RunningAgent.start(
      RunningAgent.configuration + """

        [[lamp]]
        name = "left"
        driver = "pca9685"
        bus = "\(bus)"
        channel = 0

        """)
    defer { try? FileManager.default.removeItem(atPath: bus) }
    let client = try await agent.client()
    defer { client.close() }
    #expect(try await client.ask(line: "status").data[0].text("state") == "ready")
    _ = try await client.ask(line: "watch device")
    let gone = try await client.event(.device) { $0.text("kind") == "bus" }
    #expect(gone.text("present") == "0" && gone.text("reason")?.contains(bus) == true)
    #expect(try await client.refusal(of: "light 1").token == "NODEV")
    // a file is no bus, but it can be opened: what is missing now is the chip
    try Data().write(to: URL(fileURLWithPath: bus))
    let back = try await client.event(.device) { $0.text("kind") == "bus" }
    #expect(back.text("present") == "1")
    // nobody uses it, but it is looked after
    try FileManager.default.removeItem(atPath: bus)
    let lost = try await client.event(.device) { $0.text("kind") == "bus" }
    #expect(lost.text("present") == "0" && lost.text("reason")?.contains("the bus is gone") == true, "\(lost)")
    try Data().write(to: URL(fileURLWithPath: bus))
    #expect(try await client.event(.device) { $0.text("kind") == "bus" }.text("present") == "1")
    try await agent.cleanUp()
  }

  @Test func aConfigurationThatNoDeviceCanMeetEndsTheAgent() async throws {
    let agent = try await RunningAgent.start(
      RunningAgent.configuration + """

        pace = "real-time"
        [turntable]
        driver = "stepper"

        """)
    #expect(try await agent.end() == 2)
    #expect(agent.log.contains("turntable.stepper.chip"))
    try await agent.cleanUp()
  }
}
