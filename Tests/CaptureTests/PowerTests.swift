import Capture
import Rig
import Testing

@Suite struct BatteryFilterTests {
  private func filter() -> BatteryFilter { BatteryFilter(staleAfter: .seconds(60)) }

  @Test(arguments: [2.56, 655.35, -0.1, .nan, .infinity, 1.2]) func levelsThatCannotBeAreNotBelieved(level: Double) {
    var filter = filter()
    let isBelieved = filter.take(PowerReading(level: level, state: .discharging, volts: 3.7), at: .zero)
    #expect(!isBelieved)
    #expect(filter.level(at: .zero) == nil)
  }

  @Test func aLittleMoreThanFullIsFull() {
    var filter = filter()
    let isBelieved = filter.take(PowerReading(level: 1.02, state: .full, volts: 4.2), at: .zero)
    #expect(isBelieved)
    #expect(filter.level(at: .zero) == 1)
  }

  @Test func oneReadingOfZeroDoesNotShow() {
    var filter = filter()
    for (second, level) in [0.5, 0.5, 0, 0.5].enumerated() {
      _ = filter.take(PowerReading(level: level, state: .discharging, volts: 3.7), at: .seconds(second))
      #expect(filter.level(at: .seconds(second)) == 0.5)
    }
  }

  @Test func zeroAsTheFirstReadingIsUnknownUntilItIsConfirmed() {
    var filter = filter()
    for second in 0..<3 {
      _ = filter.take(PowerReading(level: 0, state: .discharging, volts: 3.0), at: .seconds(second))
      #expect(filter.level(at: .seconds(second)) == (second < 2 ? nil : 0))
    }
  }

  @Test func anOldReadingIsUnknown() {
    var filter = filter()
    _ = filter.take(PowerReading(level: 0.6, state: .discharging, volts: 3.8), at: .zero)
    #expect(filter.level(at: .seconds(60)) == 0.6)
    #expect(filter.level(at: .seconds(61)) == nil)
    #expect(filter.voltage(at: .seconds(61)) == nil)
  }
}

@Suite struct PowerPolicyTests {
  private func battery(
    _ level: Double?, _ state: PowerReading.State = .discharging, volts: Double? = nil, fresh: Bool = true
  ) -> PowerPolicy.Battery { PowerPolicy.Battery(level: level, volts: volts, state: state, isFresh: fresh) }

  /// The condition after one battery's levels, each held for so many seconds at one reading a second.
  private func condition(_ course: [(level: Double?, seconds: Int)], mains: Bool = false) -> PowerCondition {
    var policy = PowerPolicy(limits: PowerLimits())
    var now = 0
    for (level, seconds) in course {
      for _ in 0..<seconds {
        policy.update([battery(level, mains ? .charging : .discharging)], at: .seconds(now))
        now += 1
      }
    }
    return policy.condition
  }

  @Test func thresholdsAndHysteresis() {
    #expect(condition([(0.21, 5)]) == .good)
    #expect(condition([(0.20, 5)]) == .warning)
    #expect(condition([(0.15, 5)]) == .low)
    #expect(condition([(0.15, 5), (0.19, 5)]) == .low)
    #expect(condition([(0.15, 5), (0.205, 5)]) == .good)
    #expect(condition([(0.20, 5), (0.21, 5)]) == .warning)
    #expect(condition([(0.20, 5), (0.23, 5)]) == .good)
  }

  @Test func criticalNeedsThreeReadingsTenSecondsApartAndTwoMinutesSinceTheStart() {
    #expect(condition([(0.5, 130), (0.06, 20)]) == .low)
    #expect(condition([(0.5, 130), (0.06, 21)]) == .critical)
    #expect(condition([(0.06, 120)]) == .low)
    #expect(condition([(0.06, 135)]) == .critical)
    #expect(condition([(0.5, 130), (0.06, 15), (0.5, 1), (0.06, 15)]) == .low)
  }

  @Test func mainsAndIgnoranceNeverSwitchOff() {
    #expect(condition([(0.02, 400)], mains: true) == .good)
    #expect(condition([(nil, 400)]) == .good)
    #expect(condition([(0.5, 10), (nil, 400)]) == .good)
    #expect(condition([(0.14, 10), (nil, 400)]) == .low)
  }

  @Test func unknownRoundsBetweenNeitherCountNorClear() {
    var policy = PowerPolicy(limits: PowerLimits())
    for now in stride(from: 0, to: 200, by: 5) {
      let isKnown = (now / 5).isMultiple(of: 2)
      policy.update([battery(isKnown ? 0.05 : nil, fresh: isKnown)], at: .seconds(now))
    }
    #expect(policy.condition == .critical)
  }

  @Test func theFullestBatteryCounts() {
    var policy = PowerPolicy(limits: PowerLimits())
    for now in 0..<300 { policy.update([battery(0.03), battery(0.6)], at: .seconds(now)) }
    #expect(policy.condition == .good)
  }

  @Test func theVoltageFloorCountsWithoutALevel() {
    var limits = PowerLimits()
    limits.voltageFloor = 3.2
    var policy = PowerPolicy(limits: limits)
    for now in 0..<150 { policy.update([battery(nil, volts: 3.3)], at: .seconds(now)) }
    #expect(policy.condition == .good)
    for now in 150..<180 { policy.update([battery(nil, volts: 3.1)], at: .seconds(now)) }
    #expect(policy.condition == .critical)
    // a level that lies is overruled by the floor
    policy = PowerPolicy(limits: limits)
    for now in 0..<180 { policy.update([battery(0.9, volts: 3.0)], at: .seconds(now)) }
    #expect(policy.condition == .critical)
  }
}
