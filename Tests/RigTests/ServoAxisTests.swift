import Imaging
import Rig
import RigContract
import SimulatedRig
import Testing

extension RigTests {
  @Suite struct ServoAxisTests {
    private struct Rigged {
      let clock = SimulatedClock(pace: .stepped)
      let model: ModelPCA9685
      let chip: PCA9685
      let axis: ServoAxis

      init(
        topSpeed: Angle = .degrees(60), _ change: (inout ServoAxis.Servo) -> Void = { _ in }
      ) throws {
        var servo = ServoAxis.Servo()
        change(&servo)
        model = ModelPCA9685(clock: clock)
        chip = try PCA9685(name: "servos", bus: model, clock: clock)
        axis = try ServoAxis(
          name: "tilt", chip: chip, channel: 1, clock: clock,
          limits: AxisLimits(
            range: .degrees(-45) ... .degrees(45), topSpeed: topSpeed, acceleration: .degrees(240)), servo: servo)
      }

      var fixture: AxisFixture { AxisFixture(axis: axis, clock: clock, takesItsTime: true) }
      var ticks: [Int] { get async { await model.pulses(channel: 1).map(\.ticks) } }
    }

    @Test(arguments: AxisContract.cases) func contract(_ promise: ContractCase<AxisFixture>) async throws {
      try await promise.check(try Rigged().fixture)
    }

    @Test(arguments: AxisContract.timedCases) func underWay(_ promise: ContractCase<AxisFixture>) async throws {
      // so slow that no busy machine lets the move end before it is stopped
      try await promise.check(try Rigged(topSpeed: .degrees(2)).fixture)
    }

    @Test func homingFromAnUnknownPlaceSetsThePulseAndWaitsForTheSlowestWay() async throws {
      let rig = try Rigged()
      try await rig.axis.home()
      #expect(await rig.ticks == [307])
      // the chip's start, then 90° at a quarter of 60°/s
      #expect(rig.clock.now.sinceOrigin == .microseconds(500) + .seconds(6))
    }

    @Test func homingFromAKnownPlaceIsSlow() async throws {
      let rig = try Rigged()
      try await rig.axis.home()
      try await rig.axis.move(to: .degrees(30), speed: nil)
      let began = rig.clock.now
      try await rig.axis.home()
      #expect(began.duration(to: rig.clock.now) > .seconds(2), "30° at 15°/s")
      #expect(await rig.axis.position == .zero)
    }

    @Test func aMoveIsATrapezoidOfOnePulseAPeriod() async throws {
      let rig = try Rigged()
      try await rig.axis.home()
      let before = await rig.model.pulses.count
      try await rig.axis.move(to: .degrees(30), speed: .degrees(30))
      let pulses = Array(await rig.model.pulses(channel: 1).dropFirst(before))
      // a ramp of 1/8 s each way and 26.25° at 30°/s: 1.125 s of periods of 19.988 ms, and the ends
      #expect((57...59).contains(pulses.count), "\(pulses.count) pulses")
      #expect(pulses.first?.ticks == 307)
      // 1500 µs + 30° · 11.11 µs = 1833.3 µs
      #expect(pulses.last?.ticks == 376)
      let steps = zip(pulses, pulses.dropFirst()).map { $1.ticks - $0.ticks }
      // 0.6° or 1.37 ticks a period
      #expect(steps.allSatisfy { (0...2).contains($0) }, "\(steps)")
      let pauses = zip(pulses, pulses.dropFirst()).dropLast().map { $1.at - $0.at }
      #expect(pauses.allSatisfy { $0 > .milliseconds(19) && $0 < .milliseconds(21) }, "\(pauses)")
      // slower at both ends than in the middle
      #expect(steps.prefix(3).reduce(0, +) < 3)
      #expect(steps.suffix(3).reduce(0, +) < 3)
    }

    @Test func aReversedServoTurnsTheOtherWay() async throws {
      let rig = try Rigged {
        $0.zeroPulse = 1400
        $0.pulsePerDegree = -10
      }
      try await rig.axis.home()
      try await rig.axis.move(to: .degrees(20), speed: nil)
      // 1400 µs and 1200 µs at 4.88 µs
      #expect(await rig.ticks.first == 287)
      #expect(await rig.ticks.last == 246)
    }

    @Test func aReleasedServoGetsNoPulses() async throws {
      let rig = try Rigged()
      await rig.axis.release()
      #expect(await rig.ticks.isEmpty, "one that was never used needs no letting go")
      try await rig.axis.home()
      await rig.axis.release()
      await rig.axis.release()
      #expect(await rig.ticks == [307, 0])
    }

    @Test func aStopRampsDown() async throws {
      let rig = try Rigged(topSpeed: .degrees(6))
      let axis = rig.axis
      try await axis.home()
      let move = Task { try await axis.move(to: .degrees(45), speed: nil) }
      try await eventually { await (axis.position ?? .zero) > .degrees(1) }
      // the world stands still while it is told to stop
      rig.clock.hold(true)
      try await eventually { rig.clock.sleeperCount == 1 }
      let seen = await axis.position ?? .zero
      let pulses = await rig.ticks.count
      let stop = Task { await axis.stop() }
      try await eventually { await rig.ticks.count > pulses }
      rig.clock.hold(false)
      await stop.value
      let error = await deviceError { try await move.value }
      #expect(error?.kind == .cancelled)
      // v²/2a of 6°/s and 240°/s²
      let way = (await axis.position ?? .zero) - seen
      #expect(abs(way.degrees - 0.075) < 1e-6, "\(way.degrees)°")
    }

    @Test func aStopEndsHomingAtOnce() async throws {
      let rig = try Rigged()
      let axis = rig.axis
      try await rig.chip.prepare()
      rig.clock.hold(true)
      let home = Task { try await axis.home() }
      try await eventually { rig.clock.sleeperCount == 1 }
      let began = rig.clock.now
      await axis.stop()
      rig.clock.hold(false)
      let error = await deviceError { try await home.value }
      #expect(error?.kind == .cancelled)
      #expect(rig.clock.now == began, "it did not wait for the end of the way")
      #expect(await axis.position == nil)
    }

    @Test func aPulseThatIsOnTheWayIsNotOvertakenByTheStop() async throws {
      let clock = SimulatedClock(pace: .stepped)
      // the registers of channel 1, which is at 0x0A
      let bus = LateBus(ModelPCA9685(clock: clock), clock: clock, late: 0x0A...0x0A)
      let axis = try ServoAxis(
        name: "tilt", chip: PCA9685(name: "servos", bus: bus, clock: clock), channel: 1, clock: clock,
        limits: AxisLimits(
          range: .degrees(-45) ... .degrees(45), topSpeed: .degrees(2), acceleration: .degrees(2)))
      try await axis.home()
      let move = Task { try await axis.move(to: .degrees(45), speed: nil) }
      try await eventually { await (axis.position ?? .zero) > .degrees(0.5) }
      while true {
        clock.hold(true)
        try await eventually { clock.sleeperCount == 1 }
        if await bus.waiting == 1 { break }
        clock.hold(false)
        try await clock.sleep(for: .milliseconds(5))
      }
      let stop = Task { await axis.stop() }
      // long enough for a pulse that did not wait to be sent
      for _ in 0..<1000 { await Task.yield() }
      clock.hold(false)
      await stop.value
      _ = await deviceError { try await move.value }
      #expect(await bus.mostWaiting == 1)
    }

    @Test func aBusThatFailsDuringAMoveIsTheAxissError() async throws {
      let rig = try Rigged()
      try await rig.axis.home()
      await rig.model.fail(afterPulses: 10, with: .absent)
      let error = await deviceError { try await rig.axis.move(to: .degrees(30), speed: nil) }
      #expect(error?.kind == .absent)
      #expect(error?.device == "tilt")
      let position = await rig.axis.position ?? .zero
      #expect(position > .zero && position < .degrees(30), "where the last pulse was")
    }

    @Test func anAbsentChipIsAbsentAndStopIsSilent() async throws {
      let clock = SimulatedClock(pace: .stepped)
      let chip = try PCA9685(name: "servos", bus: ModelPCA9685(clock: clock), clock: clock, address: 0x41)
      let axis = try ServoAxis(
        name: "pan", chip: chip, channel: 0, clock: clock,
        limits: AxisLimits(range: .zero ... .degrees(90), topSpeed: .degrees(60), acceleration: .degrees(60)))
      await axis.stop()
      let error = await deviceError { try await axis.home() }
      #expect(error?.kind == .absent)
      #expect(error?.device == "pan")
      await axis.release()
      #expect(await axis.position == nil)
    }

    @Test func aServoThatCannotBeIsRefused() async throws {
      let clock = SimulatedClock(pace: .stepped)
      let chip = try PCA9685(name: "servos", bus: ModelPCA9685(clock: clock), clock: clock)
      func refusal(
        _ range: ClosedRange<Angle>?, topSpeed: Double = 60, acceleration: Double = 60, channel: Int = 0,
        perDegree: Double = 11
      ) async -> DeviceError.Kind? {
        var servo = ServoAxis.Servo()
        servo.pulsePerDegree = perDegree
        let limits = AxisLimits(range: range, topSpeed: .degrees(topSpeed), acceleration: .degrees(acceleration))
        let wanted = servo
        return await deviceError {
          _ = try ServoAxis(
            name: "pan", chip: chip, channel: channel, clock: clock, limits: limits, servo: wanted)
        }?.kind
      }
      let range = Angle.degrees(-45) ... .degrees(45)
      #expect(await refusal(nil) == .outOfRange)
      #expect(await refusal(.degrees(10) ... .degrees(45)) == .outOfRange)
      #expect(await refusal(range, topSpeed: 0) == .outOfRange)
      #expect(await refusal(range, acceleration: 0) == .outOfRange)
      #expect(await refusal(range, channel: 16) == .outOfRange)
      #expect(await refusal(range, perDegree: 50) == .outOfRange, "a pulse of less than nothing at -45°")
      #expect(await refusal(range, perDegree: .nan) == .outOfRange)
    }
  }
}
