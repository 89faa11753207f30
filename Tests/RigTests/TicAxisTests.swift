import Imaging
import Rig
import RigContract
import SimulatedRig
import Testing

extension RigTests {
  @Suite struct TicAxisTests {
    private struct Rigged {
      let clock = SimulatedClock(pace: .stepped)
      let tic: ModelTic
      let axis: TicAxis

      init(
        range: ClosedRange<Angle>? = nil, topSpeed: Angle = .degrees(30), perDegree: Double = 100,
        origin: TicAxis.Origin = .whereItStands
      ) throws {
        tic = ModelTic(clock: clock)
        axis = try TicAxis(
          name: "turntable", bus: tic, clock: clock,
          limits: AxisLimits(range: range, topSpeed: topSpeed, acceleration: .degrees(60)),
          microstepsPerDegree: perDegree, origin: origin)
      }

      var fixture: AxisFixture { AxisFixture(axis: axis, clock: clock, takesItsTime: true) }

      /// The commands the Tic got since so many, without those that only keep its timeout from passing.
      func commands(after count: Int = 0) async -> [[UInt8]] {
        await tic.commands.dropFirst(count).filter { $0 != [0x8C] }
      }
    }

    private static let range = Angle.degrees(-45) ... .degrees(90)

    @Test(arguments: AxisContract.cases) func endless(_ promise: ContractCase<AxisFixture>) async throws {
      try await promise.check(try Rigged().fixture)
    }

    @Test(arguments: AxisContract.cases) func bounded(_ promise: ContractCase<AxisFixture>) async throws {
      let rig = try Rigged(range: Self.range, perDegree: -80, origin: .limitSwitch(forward: true))
      try await promise.check(rig.fixture)
    }

    @Test(arguments: AxisContract.timedCases) func underWay(_ promise: ContractCase<AxisFixture>) async throws {
      // so slow that no busy machine lets the move end before it is stopped
      try await promise.check(try Rigged(topSpeed: .degrees(2)).fixture)
      try await promise.check(try Rigged(range: Self.range, topSpeed: .degrees(2)).fixture)
    }

    // a look at the motion, variables 0x22 to 0x29: so many microsteps, and how fast
    private func look(_ position: [UInt8], _ velocity: [UInt8] = [0, 0, 0, 0]) -> Exchange {
      .read(0xA1, 0x22, gives: position + velocity)
    }

    /// Limits, power, safe start and timeout, until the operation state is normal.
    private func start(speed: [UInt8]) -> [Exchange] {
      [
        Exchange(messages: [.write([0xE6] + speed)]), .write(0xEA, 0xC0, 0x27, 0x09, 0x00),
        .write(0xE9, 0xC0, 0x27, 0x09, 0x00), .write(0x85), .write(0x8C), .write(0x83),
        .read(0xA1, 0x00, gives: [10, 0x01, 0x00, 0x00])
      ]
    }

    @Test func aMoveByteForByte() async throws {
      let zero: [UInt8] = [0, 0, 0, 0]
      let full: [UInt8] = [0x80, 0xC3, 0xC9, 0x01]  // 30°/s are 30 000 000 microsteps in 10 000 s
      let home = [look(zero)] + start(speed: full) + [.write(0xEC, 0, 0, 0, 0), .read(0xA1, 0x35, gives: [1, 0, 0, 0])]
      var move = [look(zero), .read(0xA1, 0x35, gives: [2, 0, 0, 0]), .read(0xA1, 0x00, gives: [10, 1, 0, 0])]
      move += start(speed: [0x40, 0x42, 0x0F, 0x00])  // 1°/s is a million
      move += [look(zero), .write(0xE0, 0x50, 0xFB, 0xFF, 0xFF)]  // -12° are -1200 microsteps
      let alive: [Exchange] = [.write(0x8C), .read(0xA1, 0x00, gives: [10, 1, 0, 0])]
      move += alive + [look([0xFF, 0xFF, 0xFF, 0xFF], [0x01, 0, 0, 0])]
      // there, but not at rest yet
      move += alive + [look([0x50, 0xFB, 0xFF, 0xFF], [0x01, 0, 0, 0])]
      move += alive + [look([0x50, 0xFB, 0xFF, 0xFF])]
      let bus = ScriptedBus(address: 0x0E, home + move + [look([0x50, 0xFB, 0xFF, 0xFF])])
      let axis = try TicAxis(
        name: "turntable", bus: bus, clock: SimulatedClock(pace: .stepped),
        limits: AxisLimits(range: nil, topSpeed: .degrees(30), acceleration: .degrees(60)), microstepsPerDegree: 100)
      try await axis.home()
      try await axis.move(to: .degrees(-12), speed: .degrees(1))
      #expect(await axis.position == .degrees(-12))
      #expect(await bus.isFinished)
    }

    @Test func homingLooksForTheSwitchInItsDirection() async throws {
      for (forward, byte) in [(false, UInt8(0)), (true, 1)] {
        let rig = try Rigged(range: Self.range, origin: .limitSwitch(forward: forward))
        try await rig.axis.home()
        #expect(await rig.commands().contains([0x97, byte]))
        #expect(rig.clock.now.sinceOrigin >= .seconds(3), "the search takes 3 s")
        #expect(await rig.axis.position == .zero)
      }
    }

    @Test func aSwitchThatIsNotFoundTimesOutAndTheMotorStops() async throws {
      let rig = try Rigged(range: Self.range, origin: .limitSwitch(forward: false))
      await rig.tic.set(searchTime: nil)
      let error = await deviceError { try await rig.axis.home() }
      #expect(error?.kind == .timedOut)
      #expect(error?.remedy?.contains("limit switch") == true)
      #expect(rig.clock.now.sinceOrigin < .seconds(65))
      #expect(await rig.axis.position == nil)
      #expect(await rig.commands().contains([0xE3, 0, 0, 0, 0]), "ramped down")
    }

    @Test func aSpinIsKeptAliveUntilItIsStopped() async throws {
      let rig = try Rigged()
      try await rig.axis.home()
      try await rig.axis.spin(velocity: .degrees(-20))
      let first = await rig.axis.position ?? .zero
      try await rig.clock.sleep(for: .seconds(5))
      let second = await rig.axis.position ?? .zero
      #expect((second - first).degrees < -99, "the Tic stops after a second when nobody speaks to it")
      await rig.axis.stop()
      let commands = await rig.tic.commands.count
      try await rig.clock.sleep(for: .seconds(5))
      #expect(await rig.tic.commands.count == commands, "nothing is sent to an axis that stands")
    }

    @Test func aMoveAfterALongPauseClearsTheTimeout() async throws {
      let rig = try Rigged()
      try await rig.axis.home()
      try await rig.clock.sleep(for: .seconds(100))
      try await rig.axis.move(to: .degrees(200), speed: nil)
      #expect(await rig.axis.position == .degrees(200))
    }

    /// What it says about its position is uncertain then, unless another program has set it since.
    @Test(arguments: [false, true]) func aTicThatWasSwitchedOffMustBeHomedAgain(isSetByOthers: Bool) async throws {
      let rig = try Rigged()
      try await rig.clock.sleep(for: .seconds(1))
      try await rig.axis.home()
      try await rig.clock.sleep(for: .seconds(1))
      await rig.tic.restart()
      if isSetByOthers { _ = try await rig.tic.transact(address: 0x0E, [.write([0xEC, 0, 0, 0, 0])]) }
      try await rig.clock.sleep(for: .seconds(1))
      let error = await deviceError { try await rig.axis.move(to: .degrees(10), speed: nil) }
      #expect(error?.kind == .faulty)
      #expect(error?.remedy?.contains("home it again") == true)
      #expect(await rig.axis.position == nil)
      let targets = await rig.commands().filter { $0.first == 0xE0 }
      #expect(targets.isEmpty, "nothing moves by a count that is wrong")
      try await rig.axis.home()
      try await rig.axis.move(to: .degrees(10), speed: nil)
    }

    @Test func aTicThatLetGoOnItsOwnMustBeHomedAgain() async throws {
      let rig = try Rigged()
      try await rig.axis.home()
      await rig.axis.release()
      try await rig.axis.move(to: .degrees(10), speed: nil)
      await rig.tic.letGo()
      let error = await deviceError { try await rig.axis.move(to: .degrees(20), speed: nil) }
      #expect(error?.kind == .faulty)
      #expect(await rig.axis.position == nil)
    }

    @Test func itsErrorsAreToldInWords() async throws {
      let cases: [(bits: UInt16, words: [String])] = [
        (0x02, ["motor driver error", "cool down"]), (0x04, ["low VIN", "supply"]),
        (0x0C, ["low VIN, kill switch active", "supply"]), (0x08, ["kill switch active", "release"]),
        (0x10, ["required input invalid", "control mode"]), (0x100, ["ERR line high"]), (0x200, ["0x0200"])
      ]
      for (bits, words) in cases {
        let rig = try Rigged()
        await rig.tic.set(lastingErrors: bits)
        let error = await deviceError { try await rig.axis.home() }
        #expect(error?.kind == .faulty)
        for word in words { #expect(error?.remedy?.contains(word) == true, "\(String(describing: error))") }
        #expect(error?.operation.contains("Tic at 0x0E on i2c-7") == true)
      }
    }

    @Test func anErrorDuringAMoveEndsIt() async throws {
      let rig = try Rigged(topSpeed: .degrees(2))
      let axis = rig.axis
      try await axis.home()
      let move = Task { try await axis.move(to: .degrees(180), speed: nil) }
      try await eventually { await (axis.position ?? .zero) > .degrees(1) }
      await rig.tic.set(lastingErrors: 0x04)
      let error = await deviceError { try await move.value }
      #expect(error?.kind == .faulty)
      #expect(error?.remedy?.contains("low VIN") == true)
    }

    @Test func aMotorThatDoesNotTurnTimesOut() async throws {
      let rig = try Rigged()
      try await rig.axis.home()
      let began = rig.clock.now
      await rig.tic.block()
      let error = await deviceError { try await rig.axis.move(to: .degrees(30), speed: nil) }
      #expect(error?.kind == .timedOut)
      // the move should take 1.5 s
      let took = began.duration(to: rig.clock.now)
      #expect(took > .seconds(2) && took < .seconds(6), "\(took)")
    }

    @Test func aMotorThatCannotBeToldToRampDownIsHaltedAndMustBeHomedAgain() async throws {
      let rig = try Rigged()
      try await rig.axis.home()
      try await rig.axis.spin(velocity: .degrees(10))
      await rig.tic.fail(0xE3, with: .faulty)
      await rig.axis.stop()
      #expect(await rig.commands().last == [0x89])
      #expect(await rig.axis.position == nil)
    }

    /// The target reaches the Tic after the stop was asked for, and at that moment the motor does not turn yet.
    @Test func aTargetThatIsOnTheWayIsStoppedToo() async throws {
      let clock = SimulatedClock(pace: .stepped)
      let tic = ModelTic(clock: clock)
      let bus = LateBus(tic, clock: clock, late: 0xE0...0xE0)
      let axis = try TicAxis(
        name: "turntable", bus: bus, clock: clock,
        limits: AxisLimits(range: nil, topSpeed: .degrees(30), acceleration: .degrees(60)), microstepsPerDegree: 100)
      try await axis.home()
      clock.hold(true)
      let move = Task { try await axis.move(to: .degrees(90), speed: nil) }
      try await eventually { await bus.waiting == 1 && clock.sleeperCount == 1 }
      let stop = Task { await axis.stop() }
      // long enough for an order to stop that did not wait to be sent
      for _ in 0..<1000 { await Task.yield() }
      clock.hold(false)
      await stop.value
      let error = await deviceError { try await move.value }
      #expect(error?.kind == .cancelled)
      try await clock.sleep(for: .seconds(1))
      #expect(await axis.position == .zero)
      #expect(await tic.commands.last { $0 != [0x8C] } == [0xE3, 0, 0, 0, 0])
    }

    @Test func whatAnEarlierAgentLeftTurningIsStopped() async throws {
      let rig = try Rigged()
      try await rig.axis.home()
      try await rig.axis.spin(velocity: .degrees(10))
      let next = try TicAxis(
        name: "turntable", bus: rig.tic, clock: rig.clock, limits: rig.axis.limits, microstepsPerDegree: 100)
      await next.stop()
      #expect(await rig.commands().last == [0xE3, 0, 0, 0, 0])
      await rig.axis.stop()
    }

    @Test func anAbsentChipIsAbsentAndStopIsSilent() async throws {
      let clock = SimulatedClock(pace: .stepped)
      let axis = try TicAxis(
        name: "pan", bus: ModelTic(clock: clock), address: 0x0F, clock: clock,
        limits: AxisLimits(range: nil, topSpeed: .degrees(30), acceleration: .degrees(60)), microstepsPerDegree: 100)
      await axis.stop()
      await axis.release()
      let error = await deviceError { try await axis.home() }
      #expect(error?.kind == .absent)
      #expect(error?.device == "pan")
      #expect(error?.description.contains("0x0F") == true)
    }

    @Test func whatATicCannotDoIsRefused() async throws {
      let clock = SimulatedClock(pace: .stepped)
      func refusal(topSpeed: Double = 30, acceleration: Double = 60, perDegree: Double) async -> DeviceError.Kind? {
        let limits = AxisLimits(range: nil, topSpeed: .degrees(topSpeed), acceleration: .degrees(acceleration))
        return await deviceError {
          _ = try TicAxis(
            name: "pan", bus: ModelTic(clock: clock), clock: clock, limits: limits, microstepsPerDegree: perDegree)
        }?.kind
      }
      #expect(await refusal(perDegree: 0) == .outOfRange)
      #expect(await refusal(perDegree: .nan) == .outOfRange)
      #expect(await refusal(perDegree: 1700) == .outOfRange, "51 000 microsteps a second")
      #expect(await refusal(acceleration: 0.001, perDegree: 100) == .outOfRange)
      #expect(await refusal(topSpeed: 0, perDegree: 100) == .outOfRange)
      let rig = try Rigged()
      try await rig.axis.home()
      let error = await deviceError { try await rig.axis.move(to: .degrees(3e7), speed: nil) }
      #expect(error?.kind == .outOfRange, "more microsteps than 32 bits hold")
    }
  }
}
