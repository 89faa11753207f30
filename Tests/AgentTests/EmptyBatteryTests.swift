import Control
import Testing

/// An agent whose battery is empty.
@Suite(.serialized, .timeLimit(.minutes(2))) struct EmptyBatteryTests {
  @Test(arguments: [true, false]) func itEndsInOrderAndASimulatedBatterySwitchesNoComputerOff(
    isWanted: Bool
  ) async throws {
    let agent = try await RunningAgent.start(
      RunningAgent.configuration + """

        [[battery]]
        name = "main"
        level = 0.03
        [power]
        critical_spacing_s = 0
        boot_hold_off_s = 0
        interval_s = 0.1
        power_off = \(isWanted)

        """)
    #expect(try await agent.end() == 0)
    #expect(agent.log.contains("ending: the battery is empty"), "\(agent.log)")
    #expect(agent.log.contains("all batteries are simulated: the computer stays on") == isWanted, "\(agent.log)")
    #expect(!agent.log.contains("powering off"))
    try await agent.cleanUp()
  }
}
