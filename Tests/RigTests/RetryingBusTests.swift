import Rig
import SimulatedRig
import Testing

extension RigTests {
  @Suite struct RetryingBusTests {
    private static let ask = Exchange.read(0x02, gives: [0xBB, 0x80])

    private func attempt(
      _ script: [Exchange], tries: Int = 3
    ) async -> (Result<[[UInt8]], DeviceError>, ScriptedBus, Duration) {
      let clock = SimulatedClock(pace: .stepped)
      let bus = ScriptedBus(address: 0x36, script)
      let retrying = RetryingBus(bus, clock: clock, tries: tries, pause: .milliseconds(2))
      do throws(DeviceError) {
        let answer = try await retrying.transact(address: 0x36, Self.ask.messages)
        return (.success(answer), bus, clock.now.sinceOrigin)
      } catch {
        return (.failure(error), bus, clock.now.sinceOrigin)
      }
    }

    @Test(arguments: [DeviceError.Kind.faulty, .timedOut])
    func aGlitchIsTriedAgain(kind: DeviceError.Kind) async throws {
      let (result, bus, took) = await attempt([Self.ask.failing(kind), Self.ask.failing(kind), Self.ask])
      #expect(try result.get() == [[0xBB, 0x80]])
      #expect(took == .milliseconds(6), "2 ms, then 4 ms")
      #expect(await bus.isFinished)
    }

    @Test(arguments: [DeviceError.Kind.absent, .denied, .busy, .unsupported])
    func whatABusWillNotDoAMomentLaterIsNotTriedAgain(kind: DeviceError.Kind) async {
      let (result, bus, took) = await attempt([Self.ask.failing(kind), Self.ask])
      #expect(throws: DeviceError(kind, device: "i2c-7", operation: "transact", errno: 121)) { try result.get() }
      #expect(await bus.count == 1)
      #expect(took == .zero)
    }

    @Test func theLastTrysErrorIsTold() async {
      let (result, bus, _) = await attempt([Self.ask.failing(.faulty), Self.ask.failing(.timedOut)], tries: 2)
      #expect(throws: DeviceError(.timedOut, device: "i2c-7", operation: "transact", errno: 121)) { try result.get() }
      #expect(await bus.isFinished)
    }

    @Test func aSecondFaultThatIsFinalEndsIt() async {
      let (result, bus, _) = await attempt([Self.ask.failing(.faulty), Self.ask.failing(.absent), Self.ask])
      #expect(throws: DeviceError(.absent, device: "i2c-7", operation: "transact", errno: 121)) { try result.get() }
      #expect(await bus.count == 2)
    }

    @Test func aCancelledTaskDoesNotTryAgain() async {
      let bus = ScriptedBus(address: 0x36, [Self.ask.failing(.faulty)])
      let retrying = RetryingBus(bus, clock: SimulatedClock(pace: .stepped), tries: 3, pause: .seconds(1))
      let task = Task {
        // the task is cancelled before it first pauses
        while !Task.isCancelled { await Task.yield() }
        return try await retrying.transact(address: 0x36, Self.ask.messages)
      }
      task.cancel()
      let error = await deviceError { _ = try await task.value }
      #expect(error?.kind == .cancelled)
      #expect(await bus.isFinished)
    }
  }
}
