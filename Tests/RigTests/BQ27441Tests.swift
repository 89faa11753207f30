import Rig
import RigContract
import SimulatedRig
import Testing

extension RigTests {
  @Suite struct BQ27441Tests {
    private static let identity: [Exchange] = [.write(0x00, 0x01, 0x00), .read(0x00, gives: [0x21, 0x04])]

    /// A read: voltage and flags, then current and charge.
    private func round(
      volts: [UInt8] = [0xA6, 0x0E], flags: [UInt8] = [0x08, 0x00], current: [UInt8] = [0, 0], charge: [UInt8] = [81, 0]
    ) -> [Exchange] {
      [
        .read(0x04, gives: volts + flags), .read(0x10, gives: current), .read(0x1C, gives: charge)
      ]
    }

    private func gauge(_ bus: ScriptedBus, capacity: UInt16? = nil) -> BQ27441 {
      BQ27441(name: "battery", bus: bus, clock: SimulatedClock(pace: .stepped), designCapacity: capacity)
    }

    private func reading(_ round: [Exchange]) async throws -> PowerReading {
      let bus = ScriptedBus(address: 0x55, Self.identity + round)
      let reading = try await gauge(bus).read()
      #expect(await bus.isFinished)
      return reading
    }

    @Test func voltageAndChargeAreRead() async throws {
      #expect(try await reading(round()) == PowerReading(level: 0.81, state: .unknown, volts: 3.75))
    }

    @Test func flagsAndCurrentSayWhichWayChargeFlows() async throws {
      let cases: [(flags: [UInt8], current: [UInt8], state: PowerReading.State)] = [
        ([0x09, 0x00], [0x0C, 0xFE], .discharging), ([0x08, 0x02], [0, 0], .full),
        // full until it has fallen a little, but in use
        ([0x09, 0x02], [0x0C, 0xFE], .discharging), ([0x08, 0x00], [0xF4, 0x01], .charging),
        // 20 mA are within the dead band, 21 are not
        ([0x08, 0x00], [0x14, 0x00], .unknown), ([0x08, 0x00], [0x15, 0x00], .charging)
      ]
      for (flags, current, state) in cases {
        #expect(try await reading(round(flags: flags, current: current)).state == state, "\(flags) \(current)")
      }
    }

    @Test func withoutABatteryNothingIsKnownOfItsCharge() async throws {
      let reading = try await reading(round(flags: [0x00, 0x02], current: [0xF4, 0x01]))
      #expect(reading.level == nil)
      #expect(reading.state == .unknown)
    }

    @Test func allBitsSetIsUnknown() async throws {
      let all: [UInt8] = [0xFF, 0xFF]
      let reading = try await reading(round(volts: all, flags: all, current: all, charge: all))
      #expect(reading == PowerReading(level: nil, state: .unknown, volts: nil))
    }

    @Test func nonsenseIsPassedOnAsItIs() async throws {
      #expect(try await reading(round(charge: [0x00, 0x01])).level == 2.56)
      #expect(try await reading(round(charge: [101, 0])).level == 1.01)
    }

    @Test func anotherChipIsNamed() async throws {
      let bus = ScriptedBus(address: 0x55, [.write(0x00, 0x01, 0x00), .read(0x00, gives: [0x27, 0x04])])
      let error = await deviceError { _ = try await self.gauge(bus, capacity: 1200).read() }
      #expect(error?.kind == .faulty)
      #expect(error?.remedy?.contains("0x0427") == true)
    }

    @Test func anAbsentChipIsAbsent() async throws {
      let bus = ScriptedBus(address: 0x55, [Self.identity[0].failing(.absent)])
      let error = await deviceError { _ = try await self.gauge(bus).read() }
      #expect(error?.kind == .absent)
    }

    // the technical reference's example: from 1000 to 1200 mAh, checksum 0xE8 becomes 0x1F
    private static let select: [Exchange] = [.write(0x61, 0x00), .write(0x3E, 0x52), .write(0x3F, 0x00)]
    private static let enter: [Exchange] = [
      .write(0x00, 0x13, 0x00), .read(0x04, gives: [0xA6, 0x0E, 0x28, 0x00]),
      .read(0x04, gives: [0xA6, 0x0E, 0x38, 0x00])
    ]
    private static let change: [Exchange] = [
      .read(0x60, gives: [0xE8]), .read(0x4A, gives: [0x03, 0xE8]), .write(0x4A, 0x04, 0xB0), .write(0x60, 0x1F)
    ]
    private static let leave: [Exchange] = [
      .write(0x00, 0x42, 0x00), .read(0x04, gives: [0xA6, 0x0E, 0x38, 0x00]),
      .read(0x04, gives: [0xA6, 0x0E, 0x08, 0x00])
    ]
    private static let lost = Exchange.read(0x04, gives: [0xA6, 0x0E, 0x28, 0x00])

    private static func status(_ high: UInt8) -> [Exchange] {
      [.write(0x00, 0x00, 0x00), .read(0x00, gives: [0x00, high])]
    }

    /// One after the other; long sums of arrays keep the type checker busy.
    private static func joined(_ parts: [Exchange]...) -> [Exchange] { parts.flatMap { $0 } }

    /// What is said to a gauge that has lost its memory, whose status has this high byte, up to the parts that follow.
    private static func unconfigured(_ high: UInt8, _ parts: [Exchange]...) -> [Exchange] {
      joined(identity, [lost], status(high)) + parts.flatMap { $0 }
    }

    @Test func aGaugeThatLostItsMemoryIsToldTheCapacity() async throws {
      var script = Self.unconfigured(0x00, Self.enter, Self.select, Self.change)
      script += Self.joined(Self.select, [.read(0x4A, gives: [0x04, 0xB0])], Self.leave, round())
      let bus = ScriptedBus(address: 0x55, script)
      #expect(try await gauge(bus, capacity: 1200).read().level == 0.81)
      #expect(await bus.isFinished)
    }

    @Test func aSealedGaugeIsSealedAgain() async throws {
      let unseal: [Exchange] = [.write(0x00, 0x00, 0x80), .write(0x00, 0x00, 0x80)]
      var script = Self.unconfigured(0x20, unseal, Self.enter, Self.select, Self.change)
      let seal = [Exchange.write(0x00, 0x20, 0x00)]
      script += Self.joined(Self.select, [.read(0x4A, gives: [0x04, 0xB0])], Self.leave, seal, round())
      let bus = ScriptedBus(address: 0x55, script)
      _ = try await gauge(bus, capacity: 1200).read()
      #expect(await bus.isFinished)
    }

    @Test func aCapacityThatIsThereAlreadyIsNotWritten() async throws {
      var script = Self.unconfigured(0x00, Self.enter, Self.select)
      script += Self.joined([.read(0x60, gives: [0x1F]), .read(0x4A, gives: [0x04, 0xB0])], Self.leave, round())
      let bus = ScriptedBus(address: 0x55, script)
      _ = try await gauge(bus, capacity: 1200).read()
      #expect(await bus.isFinished)
    }

    @Test func aCapacityThatDoesNotStayIsAFaultAndTheModeIsLeft() async throws {
      var script = Self.unconfigured(0x00, Self.enter, Self.select, Self.change)
      script += Self.joined(Self.select, [.read(0x4A, gives: [0x03, 0xE8]), .write(0x00, 0x42, 0x00)])
      let bus = ScriptedBus(address: 0x55, script)
      let error = await deviceError { _ = try await self.gauge(bus, capacity: 1200).read() }
      #expect(error?.kind == .faulty)
      #expect(error?.remedy?.contains("1000 mAh") == true)
      #expect(await bus.isFinished)
    }

    @Test func aGaugeThatDoesNotEnterTheModeTimesOut() async throws {
      // asked at once and every 20 ms for a second
      let never = [Exchange](repeating: .read(0x04, gives: [0xA6, 0x0E, 0x28, 0x00]), count: 51)
      let script = Self.unconfigured(0x00, [.write(0x00, 0x13, 0x00)], never)
      let bus = ScriptedBus(address: 0x55, script)
      let error = await deviceError { _ = try await self.gauge(bus, capacity: 1200).read() }
      #expect(error?.kind == .timedOut)
      #expect(await bus.isFinished)
    }

    @Test func withoutACapacityTheGaugeIsLeftAsItIs() async throws {
      #expect(try await reading(round(flags: [0x28, 0x00])).level == 0.81)
    }

    @Test(arguments: PowerContract.cases) func contract(_ promise: ContractCase<any PowerSupply>) async throws {
      let rounds = (0..<10).flatMap { _ in round(charge: [0xFF, 0xFF]) }
      try await promise.check(gauge(ScriptedBus(address: 0x55, Self.identity + rounds)))
    }
  }
}
