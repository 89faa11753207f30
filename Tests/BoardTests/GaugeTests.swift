import Board
import Configuration
import LinuxRig
import Rig
import Testing

/// How a battery of the configuration becomes a gauge.
@Suite struct GaugeTests {
  /// An INA219 through whose shunt 0.5 A flow one way or the other.
  private func bus(amperes: Double) throws -> any I2CBus {
    let raw = UInt16(bitPattern: Int16(amperes / 100e-6))
    var probe = FakeProbe()
    probe.buses["i2c-1"] = [
      0x40: [0x00: [0x39, 0x9F], 0x02: [0x1E, 0xDA], 0x04: [UInt8(raw >> 8), UInt8(raw & 0xFF)], 0x05: [0x10, 0x00]]
    ]
    return try probe.bus("i2c-1")
  }

  private func state(sign: Int?, amperes: Double) async throws -> PowerReading.State {
    let text = """
      [[battery]]
      name = "pack"
      driver = "ina219"
      bus = "i2c-1"
      \(sign.map { "current_sign = \($0)" } ?? "")
      """
    let configuration = try TwinrigConfiguration(text: Array(text.utf8), file: "rig.toml")
    let battery = try #require(configuration.batteries.first)
    let gauge = try battery.gauge(named: battery.name, on: bus(amperes: amperes), clock: BoardClock())
    return try await #require(gauge).read().state
  }

  @Test func aShuntThatIsTurnedRoundIsReadTheRightWay() async throws {
    #expect(try await state(sign: nil, amperes: 0.5) == .charging)
    #expect(try await state(sign: 1, amperes: -0.5) == .discharging)
    #expect(try await state(sign: -1, amperes: 0.5) == .discharging)
    #expect(try await state(sign: -1, amperes: -0.5) == .charging)
  }
}
