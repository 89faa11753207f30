import Rig
import RigContract
import Testing

extension RigTests {
  @Suite struct INA219Tests {
    private static let identity = Exchange.read(0x00, gives: [0x39, 0x9F])
    private static let isCalibrated = Exchange.read(0x05, gives: [0x10, 0x00])

    private func round(bus: [UInt8], current: [UInt8]) -> [Exchange] {
      [Self.isCalibrated, .read(0x02, gives: bus), .read(0x04, gives: current)]
    }

    private func reading(
      _ script: [Exchange], _ change: (inout INA219.Wiring) -> Void = { _ in }
    ) async throws -> PowerReading {
      var wiring = INA219.Wiring()
      change(&wiring)
      let bus = ScriptedBus(address: 0x40, script)
      let reading = try await INA219(name: "battery", bus: bus, wiring: wiring).read()
      #expect(await bus.isFinished)
      return reading
    }

    @Test func aFreshChipIsCalibratedForItsShuntAndRead() async throws {
      // 0.04096 / (100 µA · 0.1 Ω) = 4096 = 0x1000; 960 steps of 4 mV; -5000 steps of 100 µA
      let reading = try await reading([
        Self.identity, .read(0x05, gives: [0x00, 0x00]), .write(0x05, 0x10, 0x00), Self.isCalibrated,
        .read(0x02, gives: [0x1E, 0x02]), .read(0x04, gives: [0xEC, 0x78])
      ])
      #expect(reading == PowerReading(level: 0.5, state: .discharging, volts: 3.84))
    }

    @Test func theCalibrationFollowsTheShunt() async throws {
      // 0.04096 / (1 mA · 0.01 Ω) = 4096; 0.04096 / (0.05 mA · 0.033 Ω) = 24824.2
      let reading = try await reading([
        Self.identity, .read(0x05, gives: [0x00, 0x00]), .write(0x05, 0x60, 0xF8), .read(0x05, gives: [0x60, 0xF8]),
        .read(0x02, gives: [0x1E, 0x02]), .read(0x04, gives: [0x00, 0x00])
      ]) {
        $0.shunt = 0.033
        $0.currentStep = 50e-6
      }
      #expect(reading.state == .unknown)
    }

    @Test func aChipThatForgotItsCalibrationIsToldAgain() async throws {
      let first = [Self.identity] + round(bus: [0x1E, 0x02], current: [0x10, 0x00])
      let second = [
        Exchange.read(0x05, gives: [0x00, 0x00]), .write(0x05, 0x10, 0x00), Self.isCalibrated,
        .read(0x02, gives: [0x1E, 0x02]), .read(0x04, gives: [0x10, 0x00])
      ]
      let bus = ScriptedBus(address: 0x40, first + second)
      let gauge = try INA219(name: "battery", bus: bus)
      #expect(try await gauge.read().state == .charging)
      #expect(try await gauge.read().state == .charging)
      #expect(await bus.isFinished)
    }

    @Test func theSignIsTheBoards() async throws {
      let script = [Self.identity] + round(bus: [0x1E, 0x02], current: [0x0F, 0xA0])
      #expect(try await reading(script).state == .charging)
      #expect(try await reading(script) { $0.currentSign = -1 }.state == .discharging)
    }

    @Test func aSmallCurrentSaysNothing() async throws {
      // 200 steps of 100 µA are within the dead band, 201 are not
      let cases: [([UInt8], PowerReading.State)] = [
        ([0x00, 0xC8], .unknown), ([0x00, 0xC9], .charging), ([0xFF, 0x38], .unknown), ([0xFF, 0x37], .discharging)
      ]
      for (current, state) in cases {
        let reading = try await reading([Self.identity] + round(bus: [0x1E, 0x02], current: current))
        #expect(reading.state == state, "\(current)")
      }
    }

    @Test func anOverflowIsNoReading() async throws {
      let reading = try await reading([Self.identity] + round(bus: [0x1E, 0x03], current: [0x7F, 0xFF]))
      #expect(reading == PowerReading(level: nil, state: .unknown, volts: nil))
    }

    @Test func aVoltageThatNoSuchBatteryHasIsNoLevel() async throws {
      // 7.68 V is no single cell, and two half-full ones; 0 V is no cell
      let two: [Exchange] = [Self.identity] + round(bus: [0x3C, 0x02], current: [0, 0])
      let single = try await reading(two)
      #expect(single.level == nil)
      #expect(single.volts == 7.68)
      #expect(try await reading(two) { $0.cells = 2 }.level == 0.5)
      let none = try await reading([Self.identity] + round(bus: [0x00, 0x00], current: [0, 0]))
      #expect(none.level == nil)
    }

    /// A PCA9685 at the same address: without auto-increment it repeats MODE1, with it MODE2 follows.
    @Test(arguments: [UInt16(0x1111), 0x2104, 0x0104, 0xFFFF, 0x0000])
    func anotherChipIsNamedAndNeverWrittenTo(configuration: UInt16) async throws {
      let bytes = [UInt8(configuration >> 8), UInt8(configuration & 0xFF)]
      let bus = ScriptedBus(address: 0x40, [.read(0x00, gives: bytes)])
      let gauge = try INA219(name: "battery", bus: bus)
      let error = await deviceError { _ = try await gauge.read() }
      #expect(error?.kind == .faulty)
      let digits = String(configuration, radix: 16, uppercase: true)
      #expect(error?.remedy?.contains(digits) == true, "\(String(describing: error))")
      #expect(error?.remedy?.contains("PCA9685") == true)
    }

    @Test func aCalibrationThatDoesNotStayIsAFault() async throws {
      let bus = ScriptedBus(
        address: 0x40,
        [
          Self.identity, .read(0x05, gives: [0x00, 0x00]), .write(0x05, 0x10, 0x00), .read(0x05, gives: [0x00, 0x00])
        ])
      let gauge = try INA219(name: "battery", bus: bus)
      let error = await deviceError { _ = try await gauge.read() }
      #expect(error?.kind == .faulty)
      #expect(error?.remedy?.contains("0x1000") == true)
    }

    @Test func anAbsentChipIsAbsent() async throws {
      let bus = ScriptedBus(address: 0x40, [Self.identity.failing(.absent)])
      let gauge = try INA219(name: "battery", bus: bus)
      let error = await deviceError { _ = try await gauge.read() }
      #expect(error?.kind == .absent)
    }

    @Test func aWiringThatCannotBeIsRefused() async {
      let changes: [@Sendable (inout INA219.Wiring) -> Void] = [
        { $0.shunt = 0 }, { $0.shunt = -0.1 }, { $0.currentStep = 1e-9 }, { $0.shunt = .nan }, { $0.cells = 0 },
        { $0.currentSign = 0 }, { $0.deadBand = -1 }, { $0.shunt = 1000 }
      ]
      for (index, change) in changes.enumerated() {
        var wiring = INA219.Wiring()
        change(&wiring)
        let impossible = wiring
        let error = await deviceError("change \(index)") {
          _ = try INA219(name: "battery", bus: ScriptedBus(address: 0x40, []), wiring: impossible)
        }
        #expect(error?.kind == .outOfRange)
      }
    }

    @Test(arguments: PowerContract.cases) func contract(_ promise: ContractCase<any PowerSupply>) async throws {
      let rounds = (0..<10).flatMap { _ in round(bus: [0x00, 0x00], current: [0x80, 0x00]) }
      try await promise.check(INA219(name: "battery", bus: ScriptedBus(address: 0x40, [Self.identity] + rounds)))
    }
  }

  @Suite struct OpenCircuitCurveTests {
    @Test func itsPointsAreMetAndBetweenThemItIsStraight() {
      let curve = OpenCircuitCurve.lithiumIon
      for point in curve.points { #expect(curve.level(volts: point.volts) == point.level) }
      #expect(abs((curve.level(volts: 3.71) ?? 0) - 0.15) < 1e-12)
    }

    @Test func beyondItsEndsItIsEmptyOrFullAndBeyondReasonUnknown() {
      let curve = OpenCircuitCurve.lithiumIon
      #expect(curve.level(volts: 2.9) == 0)
      #expect(curve.level(volts: 4.3) == 1)
      #expect(curve.level(volts: 1.99) == nil)
      #expect(curve.level(volts: 4.41) == nil)
      #expect(curve.level(volts: .nan) == nil)
    }

    @Test func pointsMustRise() {
      func curve(_ points: [(Double, Double)]) -> OpenCircuitCurve? {
        OpenCircuitCurve(points: points.map { OpenCircuitCurve.Point(volts: $0.0, level: $0.1) }, plausible: 0...5)
      }
      #expect(curve([(3, 0), (4, 1)]) != nil)
      #expect(curve([(3, 0)]) == nil)
      #expect(curve([(3, 0), (3, 1)]) == nil)
      #expect(curve([(3, 1), (4, 0)]) == nil)
      #expect(curve([(3, 0), (.nan, 1)]) == nil)
    }
  }
}
