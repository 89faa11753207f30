import Rig
import RigContract
import SimulatedRig
import Testing

extension RigTests {
  @Suite struct PCA9685Tests {
    private static let identity: [Exchange] = [.read(0x02, gives: [0xE2]), .read(0x05, gives: [0xE0])]
    private static let setUp: [Exchange] = [
      .write(0x00, 0x30), .write(0xFA, 0x00, 0x00, 0x00, 0x10), .write(0xFE, 121), .write(0x01, 0x04),
      .write(0x00, 0x20), .write(0x00, 0xA0), .read(0xFE, gives: [121]), .read(0x00, gives: [0x20])
    ]
    private static let runs = Exchange.read(0x00, gives: [0x20])

    private func chip(
      _ bus: any I2CBus, _ clock: SimulatedClock = SimulatedClock(pace: .stepped), frequency: Double = 50
    ) throws -> PCA9685 {
      try PCA9685(name: "servos", bus: bus, clock: clock, frequency: frequency)
    }

    @Test func itIsSetUpAsleepAndWokenUp() async throws {
      let clock = SimulatedClock(pace: .stepped)
      let bus = ScriptedBus(address: 0x40, Self.identity + Self.setUp + [Self.runs])
      try await chip(bus, clock).prepare()
      #expect(await bus.isFinished)
      #expect(clock.now.sinceOrigin == .microseconds(500), "the oscillator needs 500 µs")
    }

    @Test func itIsShutDownWithoutHavingBeenSetUpByUs() async throws {
      let bus = ScriptedBus(
        address: 0x40,
        Self.identity + [
          .write(0x00, 0x20), .write(0xFA, 0x00, 0x00, 0x00, 0x10), .write(0x0E, 0x00, 0x10, 0x00, 0x00),
          .write(0x00, 0x30)
        ])
      // the lamp on channel 2 shines while its channel is off
      try await chip(bus).shutDown(leavingOn: [2])
      #expect(await bus.isFinished)
    }

    @Test func nothingIsWrittenToAnotherChipAtItsAddress() async throws {
      let bus = ScriptedBus(address: 0x40, [.read(0x02, gives: [0x39]), .read(0x05, gives: [0x9F])])
      let chip = try chip(bus)
      #expect(await deviceError { try await chip.shutDown() }?.kind == .faulty)
      #expect(await bus.isFinished)
    }

    @Test func thePrescalerFollowsTheFrequency() throws {
      #expect(PCA9685.prescale(frequency: 50) == 121)
      #expect(PCA9685.prescale(frequency: 60) == 101)
      #expect(PCA9685.prescale(frequency: 200) == 30)
      #expect(PCA9685.prescale(frequency: 1526) == 3)
      #expect(PCA9685.prescale(frequency: 24) == 253)
      for frequency in [0, -50, 23, 1800, .nan, .infinity] {
        #expect(PCA9685.prescale(frequency: frequency) == nil, "\(frequency)")
      }
    }

    @Test func aFrequencyItCannotDoIsRefused() async {
      let error = await deviceError { _ = try self.chip(ScriptedBus(address: 0x40, []), frequency: 10) }
      #expect(error?.kind == .outOfRange)
    }

    @Test func pulsesAreWholeTicksOfThePeriodItReallyHas() throws {
      let chip = try chip(ScriptedBus(address: 0x40, []))
      // 4096 · 122 / 25 MHz
      #expect(chip.period == .nanoseconds(19_988_480))
      #expect(chip.ticks(pulse: .microseconds(1500)) == 307)
      #expect(chip.ticks(pulse: .microseconds(1000)) == 205)
    }

    @Test func aChannelIsSetInOneTransaction() async throws {
      let bus = ScriptedBus(
        address: 0x40,
        [
          .write(0x06, 0x00, 0x00, 0x33, 0x01), .write(0x12, 0x00, 0x00, 0xCD, 0x00),
          .write(0x42, 0x00, 0x00, 0x00, 0x08), .write(0x42, 0x00, 0x10, 0x00, 0x00),
          .write(0x42, 0x00, 0x00, 0x00, 0x10), .write(0x0A, 0x00, 0x00, 0x00, 0x10)
        ])
      let chip = try chip(bus)
      try await chip.set(channel: 0, pulse: .microseconds(1500))
      try await chip.set(channel: 3, pulse: .microseconds(1000))
      for share in [0.5, 1, 0] { try await chip.set(channel: 15, share: share) }
      try await chip.release(channel: 1)
      #expect(await bus.isFinished)
    }

    @Test func whatAChannelCannotDoIsRefused() async throws {
      let chip = try chip(ScriptedBus(address: 0x40, []))
      let requests: [@Sendable () async throws -> Void] = [
        { try await chip.set(channel: 16, share: 0.5) }, { try await chip.set(channel: -1, share: 0.5) },
        { try await chip.set(channel: 0, share: 1.1) }, { try await chip.set(channel: 0, share: .nan) },
        { try await chip.set(channel: 0, pulse: .milliseconds(21)) },
        { try await chip.set(channel: 0, pulse: .milliseconds(-1)) }, { try await chip.release(channel: 16) }
      ]
      for (index, request) in requests.enumerated() {
        let error = await deviceError("request \(index)") { try await request() }
        #expect(error?.kind == .outOfRange, "request \(index)")
      }
    }

    @Test func anotherChipAtTheAddressIsNeverWrittenTo() async throws {
      // an INA219 says the upper byte of its registers
      let bus = ScriptedBus(address: 0x40, [.read(0x02, gives: [0x1F]), .read(0x05, gives: [0x10])])
      let error = await deviceError { try await self.chip(bus).prepare() }
      #expect(error?.kind == .faulty)
      #expect(error?.remedy?.contains("0x1F and 0x10") == true)
      #expect(error?.remedy?.contains("INA219") == true)
      #expect(await bus.isFinished)
    }

    @Test func whatDoesNotStayWrittenIsAFault() async throws {
      let script = Self.identity + Self.setUp.dropLast(2) + [.read(0xFE, gives: [0x1E]), Self.runs]
      let bus = ScriptedBus(address: 0x40, script)
      let error = await deviceError { try await self.chip(bus).prepare() }
      #expect(error?.kind == .faulty)
      #expect(error?.remedy?.contains("0x1E") == true)
    }

    @Test func anAbsentChipIsFoundWhenItComes() async throws {
      let bus = ScriptedBus(
        address: 0x40, [Self.identity[0].failing(.absent)] + Self.identity + Self.setUp + [Self.runs])
      let chip = try chip(bus)
      let error = await deviceError { try await chip.prepare() }
      #expect(error?.kind == .absent)
      try await chip.prepare()
      #expect(await bus.isFinished)
    }

    @Test func manyWhoPrepareItAtOnceSetItUpOnce() async throws {
      let clock = SimulatedClock(pace: .stepped)
      let model = ModelPCA9685(clock: clock)
      let chip = try chip(model, clock)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { try await chip.prepare() } }
        try await group.waitForAll()
      }
      #expect(await model.setUps == 1)
    }

    @Test func aChipThatLostItsSettingsIsSetUpAgain() async throws {
      let clock = SimulatedClock(pace: .stepped)
      let model = ModelPCA9685(clock: clock)
      let lamp = PWMLamp(name: "lamp", chip: try chip(model, clock), channel: 2)
      try await lamp.set(level: 0.25)
      await model.loseSettings()
      try await lamp.set(level: 0.75)
      #expect(await model.pulses(channel: 2).map(\.ticks) == [1024, 3072])
      #expect(await model.setUps == 2)
    }
  }

  @Suite struct PWMLampTests {
    private func fixture(isInverted: Bool = false) throws -> (lamp: PWMLamp, model: ModelPCA9685) {
      let clock = SimulatedClock(pace: .stepped)
      let model = ModelPCA9685(clock: clock)
      let chip = try PCA9685(name: "servos", bus: model, clock: clock)
      return (PWMLamp(name: "lamp", chip: chip, channel: 5, isInverted: isInverted), model)
    }

    @Test(arguments: LampContract.cases) func contract(_ promise: ContractCase<any Lamp>) async throws {
      try await promise.check(try fixture().lamp)
    }

    @Test func itsLevelIsTheShareOfTime() async throws {
      let (lamp, model) = try fixture()
      for level in [0, 0.25, 1, 0] { try await lamp.set(level: level) }
      #expect(await model.pulses(channel: 5).map(\.ticks) == [0, 1024, 4096, 0])
    }

    @Test func anInvertedOneIsOffWhenTheChannelIsOn() async throws {
      let (lamp, model) = try fixture(isInverted: true)
      for level in [0, 0.25, 1] { try await lamp.set(level: level) }
      #expect(await model.pulses(channel: 5).map(\.ticks) == [4096, 3072, 0])
    }

    @Test func itsErrorsAreItsOwn() async throws {
      let clock = SimulatedClock(pace: .stepped)
      let chip = try PCA9685(name: "servos", bus: ModelPCA9685(clock: clock), clock: clock, address: 0x41)
      let error = await deviceError { try await PWMLamp(name: "lamp", chip: chip, channel: 5).set(level: 1) }
      #expect(error?.kind == .absent)
      #expect(error?.device == "lamp")
    }
  }
}
