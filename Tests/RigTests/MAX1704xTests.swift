import Rig
import RigContract
import Testing

extension RigTests {
  @Suite struct MAX1704xTests {
    /// What a MAX17048 of version 0x0012 says about its cell's voltage, charge and rate.
    private func newer(_ voltage: [UInt8], _ charge: [UInt8], rate: [UInt8] = [0, 0]) -> [Exchange] {
      [
        .read(0x08, gives: [0x00, 0x12]), .read(0x02, gives: voltage + charge), .read(0x16, gives: rate)
      ]
    }

    private func reading(_ variant: MAX1704x.Variant, _ script: [Exchange]) async throws -> PowerReading {
      let bus = ScriptedBus(address: 0x36, script)
      let reading = try await MAX1704x(name: "battery", variant: variant, bus: bus).read()
      #expect(await bus.isFinished)
      return reading
    }

    @Test func theDataSheetsExample() async throws {
      let reading = try await reading(.max17048, newer([0xBB, 0x80], [0x5A, 0x80]))
      #expect(reading == PowerReading(level: 0.905, state: .unknown, volts: 3.75))
    }

    @Test func theOlderChipHasTwelveBitsOfVoltageAndNoRate() async throws {
      // 3000 steps of 1.25 mV; the lower four bits mean nothing
      let reading = try await reading(
        .max17043, [.read(0x08, gives: [0x00, 0x03]), .read(0x02, gives: [0xBB, 0x8F, 0x32, 0x00])])
      #expect(reading == PowerReading(level: 0.5, state: .unknown, volts: 3.75))
    }

    @Test func theRateSaysWhichWayChargeFlows() async throws {
      // 10 and 9 steps of 0.208 % an hour: above and below 2
      let cases: [([UInt8], PowerReading.State)] = [
        ([0x00, 0x0A], .charging), ([0x00, 0x09], .unknown), ([0xFF, 0xF6], .discharging), ([0xFF, 0xF7], .unknown)
      ]
      for (rate, state) in cases {
        let reading = try await reading(.max17048, newer([0xBB, 0x80], [0x5A, 0x80], rate: rate))
        #expect(reading.state == state, "\(rate)")
      }
    }

    @Test func aLittleMoreThanFullIsPassedOn() async throws {
      let reading = try await reading(.max17048, newer([0xD0, 0x00], [0x66, 0x00]))
      #expect(reading.level == 1.02)
    }

    @Test func nonsenseIsPassedOnAsItIs() async throws {
      // 255 % is for the policy to reject, not for the driver to clamp into a full battery
      let reading = try await reading(.max17048, newer([0xBB, 0x80], [0xFF, 0x00]))
      #expect(reading.level == 2.55)
    }

    @Test func allBitsSetIsUnknown() async throws {
      let reading = try await reading(.max17048, newer([0xFF, 0xFF], [0xFF, 0xFF], rate: [0xFF, 0xFF]))
      #expect(reading == PowerReading(level: nil, state: .unknown, volts: nil))
    }

    @Test func theChipIsIdentifiedOnce() async throws {
      let script = newer([0xBB, 0x80], [0x5A, 0x80])
      let bus = ScriptedBus(address: 0x36, script + script.dropFirst())
      let gauge = MAX1704x(name: "battery", variant: .max17048, bus: bus)
      _ = try await gauge.read()
      _ = try await gauge.read()
      #expect(await bus.isFinished)
    }

    @Test(arguments: [UInt16(0x0003), 0x0000, 0xFFFF, 0x0110])
    func anotherChipIsNamedAndNeverRead(version: UInt16) async throws {
      let bytes = [UInt8(version >> 8), UInt8(version & 0xFF)]
      let bus = ScriptedBus(address: 0x36, [.read(0x08, gives: bytes), .read(0x08, gives: bytes)])
      let gauge = MAX1704x(name: "battery", variant: .max17048, bus: bus)
      for _ in 0..<2 {
        let error = await deviceError { _ = try await gauge.read() }
        #expect(error?.kind == .faulty)
        #expect(error?.device == "battery")
        let digits = String(version, radix: 16, uppercase: true)
        #expect(error?.remedy?.contains(digits) == true, "\(String(describing: error))")
      }
      #expect(await bus.isFinished)
    }

    @Test func aNewerChipThatIsConfiguredAsTheOlderOneIsSaidToBe() async throws {
      let bus = ScriptedBus(address: 0x36, [.read(0x08, gives: [0x00, 0x11])])
      let error = await deviceError { _ = try await MAX1704x(name: "battery", variant: .max17043, bus: bus).read() }
      #expect(error?.kind == .faulty)
      #expect(error?.remedy?.contains("MAX17048") == true)
    }

    @Test func anAbsentChipIsAbsentAndFoundWhenItComes() async throws {
      let script = newer([0xBB, 0x80], [0x5A, 0x80])
      let bus = ScriptedBus(address: 0x36, [script[0].failing(.absent)] + script)
      let gauge = MAX1704x(name: "battery", variant: .max17048, bus: bus)
      let error = await deviceError { _ = try await gauge.read() }
      #expect(error?.kind == .absent)
      #expect(error?.device == "battery")
      #expect(error?.errno == 121)
      let text = error?.description ?? ""
      #expect(text.contains("MAX17048 at 0x36 on i2c-7"), "\(text)")
      #expect(text.contains("wiring"), "\(text)")
      #expect(try await gauge.read().level == 0.905)
    }

    @Test func tooFewBytesAreAFault() async throws {
      var short = Exchange.read(0x08, gives: [0x00, 0x12])
      short.answer = [[0x00]]
      let bus = ScriptedBus(address: 0x36, [short])
      let error = await deviceError { _ = try await MAX1704x(name: "battery", variant: .max17048, bus: bus).read() }
      #expect(error?.kind == .faulty)
    }

    @Test(arguments: PowerContract.cases) func contract(_ promise: ContractCase<any PowerSupply>) async throws {
      let script = newer([0xBB, 0x80], [0xFF, 0xFF])
      let rounds = (0..<10).flatMap { $0 == 0 ? script : Array(script.dropFirst()) }
      let bus = ScriptedBus(address: 0x36, rounds)
      try await promise.check(MAX1704x(name: "battery", variant: .max17048, bus: bus))
    }
  }
}
