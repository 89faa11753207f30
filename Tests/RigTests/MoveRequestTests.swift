import Imaging
import Rig
import Testing

extension RigTests {
  @Suite struct MoveRequestTests {
    private static let limits = AxisLimits(
      range: .degrees(-45) ... .degrees(90), topSpeed: .degrees(30), acceleration: .degrees(60))

    private func request(_ target: Double, speed: Double? = nil) throws(DeviceError) -> MoveRequest {
      try MoveRequest(
        to: .degrees(target), speed: speed.map { .degrees($0) }, of: "tilt", limits: Self.limits)
    }

    private func refusal(_ target: Double, speed: Double? = nil) async -> DeviceError? {
      await deviceError { _ = try self.request(target, speed: speed) }
    }

    @Test func withoutASpeedItIsTheTopSpeed() throws {
      #expect(try request(40).speed == .degrees(30))
      #expect(try request(40, speed: 7).speed == .degrees(7))
      #expect(try request(-45).target == .degrees(-45), "the ends are within")
    }

    @Test func aRefusalSaysWhatWouldBeAllowed() async {
      let range = await refusal(91.234)
      #expect(range?.kind == .outOfRange)
      #expect(range?.description == "tilt: move to 91.23°: out of range; its range is -45.0° to 90.0°")
      let speed = await refusal(40, speed: 31)
      #expect(speed?.kind == .outOfRange)
      #expect(speed?.description == "tilt: move to 40.0° at 31.0°/s: out of range; its top speed is 30.0°/s")
    }

    @Test func whatIsNoNumberIsRefused() async {
      #expect(await refusal(.nan)?.kind == .outOfRange)
      #expect(await refusal(.infinity)?.kind == .outOfRange)
      #expect(await refusal(0, speed: .nan)?.kind == .outOfRange)
      #expect(await refusal(0, speed: 0)?.kind == .outOfRange)
      #expect(await refusal(0, speed: -5)?.kind == .outOfRange)
    }
  }
}
