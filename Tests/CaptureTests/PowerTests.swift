import Capture
import Rig
import Synchronization
import Testing

@Suite struct BatteryFilterTests {
  private func filter() -> BatteryFilter { BatteryFilter(staleAfter: .seconds(60)) }

  @Test(arguments: [2.56, 655.35, -0.1, .nan, .infinity, 1.2]) func levelsThatCannotBeAreNotBelieved(level: Double) {
    var filter = filter()
    let believed = filter.take(PowerReading(level: level, state: .discharging, volts: 3.7), at: .zero)
    #expect(believed == .voltage)
    #expect(filter.level(at: .zero) == nil)
  }

  @Test func aLittleMoreThanFullIsFull() {
    var filter = filter()
    let believed = filter.take(PowerReading(level: 1.02, state: .full, volts: 4.2), at: .zero)
    #expect(believed == [.level, .voltage])
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
    #expect(filter.state(at: .seconds(60)) == .discharging && filter.state(at: .seconds(61)) == .unknown)
  }
}

@Suite struct PowerPolicyTests {
  private func battery(
    _ level: Double?, _ state: PowerReading.State = .discharging, volts: Double? = nil,
    fresh: BelievedReadings = [.level, .voltage]
  ) -> PowerPolicy.Battery { PowerPolicy.Battery(level: level, volts: volts, state: state, fresh: fresh) }

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
      policy.update([battery(isKnown ? 0.05 : nil, fresh: isKnown ? .level : [])], at: .seconds(now))
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

  @Test(arguments: [(3.75, PowerCondition.low), (3.53, .low), (3.51, .critical), (3.1, .critical)])
  func aLevelThatTheVoltageContradictsIsNotCritical(volts: Double, condition: PowerCondition) {
    var limits = PowerLimits()
    limits.voltageFloor = 3.2
    var policy = PowerPolicy(limits: limits)
    for now in 0..<300 { policy.update([battery(0.02, volts: volts)], at: .seconds(now)) }
    #expect(policy.condition == condition)
    // without a floor nobody has said which voltage is an empty battery's, and without a voltage nothing contradicts
    policy = PowerPolicy(limits: PowerLimits())
    for now in 0..<300 { policy.update([battery(0.02, volts: volts)], at: .seconds(now)) }
    #expect(policy.condition == .critical)
    policy = PowerPolicy(limits: limits)
    for now in 0..<300 { policy.update([battery(0.02)], at: .seconds(now)) }
    #expect(policy.condition == .critical)
  }

  @Test func onlyRoundsThatBroughtTheEvidenceCount() {
    var limits = PowerLimits()
    limits.voltageFloor = 3.2
    // the level was said long ago, and what is new says nothing about being empty; and the other way round
    for (volts, fresh) in [(3.4, BelievedReadings.voltage), (3.1, .level)] {
      var policy = PowerPolicy(limits: limits)
      let level = fresh == .voltage ? 0.02 : 0.5
      for now in 0..<300 { policy.update([battery(level, volts: volts, fresh: fresh)], at: .seconds(now)) }
      #expect(policy.condition < .critical, "\(fresh)")
    }
  }
}

@Suite struct GaugeWatchTests {
  /// A gauge that says what a test puts into it, or nothing at all.
  private final class Gauge: PowerSupply {
    let name = "main"
    let source = "test"
    private let state: Mutex<(reading: PowerReading?, askings: Int)>

    init(_ reading: PowerReading?) { state = Mutex((reading, 0)) }

    var askings: Int { state.withLock { $0.askings } }
    func say(_ reading: PowerReading?) { state.withLock { $0.reading = reading } }
    func read() async throws(DeviceError) -> PowerReading {
      let reading = state.withLock { state in
        state.askings += 1
        return state.reading
      }
      guard let reading else { throw DeviceError(.absent, device: name, operation: "read the gauge") }
      return reading
    }
  }

  /// A clock that stands until a test moves it.
  private final class HandClock: RigClock {
    private let seconds = Mutex(0)
    var now: RigInstant { RigInstant(sinceOrigin: .seconds(seconds.withLock { $0 })) }
    var minimumResolution: Duration { .nanoseconds(1) }
    func sleep(until deadline: RigInstant, tolerance: Duration?) async throws {}
    func pass(_ count: Int) { seconds.withLock { $0 += count } }
  }

  private let clock = HandClock()

  private func limits(floor: Double? = nil) -> PowerLimits {
    var limits = PowerLimits()
    limits.voltageFloor = floor
    return limits
  }

  /// Asks every five seconds, so often.
  private func poll(_ monitor: PowerMonitor, rounds: Int, each: () async -> Void = {}) async {
    for _ in 0..<rounds {
      await monitor.poll()
      await each()
      clock.pass(5)
    }
  }

  @Test(arguments: [nil, 2.56]) func aGaugeThatKnowsOnlyItsVoltageEndsTheStationAtTheFloor(level: Double?) async {
    let gauge = Gauge(PowerReading(level: level, state: .discharging, volts: 3.3))
    let monitor = PowerMonitor(supplies: [gauge], clock: clock, limits: limits(floor: 3.2))
    await poll(monitor, rounds: 60)
    #expect(await monitor.condition == .good)
    gauge.say(PowerReading(level: level, state: .discharging, volts: 3.1))
    // the median of three follows after two rounds; then three readings, ten seconds apart
    await poll(monitor, rounds: 5)
    #expect(await monitor.condition == .good)
    await poll(monitor, rounds: 1)
    #expect(await monitor.condition == .critical)
  }

  @Test(arguments: [PowerReading.State.charging, .full]) func onMainsALowVoltageEndsNothing(
    state: PowerReading.State
  ) async {
    let gauge = Gauge(PowerReading(level: nil, state: state, volts: 3.1))
    let monitor = PowerMonitor(supplies: [gauge], clock: clock, limits: limits(floor: 3.2))
    await poll(monitor, rounds: 60)
    #expect(await monitor.condition == .good)
  }

  @Test func aGaugeThatSticksAtZeroDoesNotEndTheStationWhileItsVoltageIsFine() async {
    let gauge = Gauge(PowerReading(level: 0, state: .discharging, volts: 3.75))
    let monitor = PowerMonitor(supplies: [gauge], clock: clock, limits: limits(floor: 3.2))
    await poll(monitor, rounds: 120)
    #expect(await monitor.condition == .low)
    // and once it does run down, it does
    gauge.say(PowerReading(level: 0, state: .discharging, volts: 3.4))
    await poll(monitor, rounds: 10)
    #expect(await monitor.condition == .critical)
  }

  @Test func mainsOfAGaugeThatFellSilentAreNone() async {
    let dock = Gauge(PowerReading(level: nil, state: .full, volts: nil))
    let main = Gauge(PowerReading(level: 0.03, state: .discharging, volts: nil))
    let monitor = PowerMonitor(supplies: [dock, main], clock: clock, limits: limits())
    await poll(monitor, rounds: 60)
    #expect(await monitor.condition == .good)
    dock.say(nil)
    await poll(monitor, rounds: 30)
    #expect(await monitor.condition == .critical)
  }

  @Test func aSilentGaugeIsAskedMoreAndMoreSeldom() async {
    let gauge = Gauge(nil)
    let monitor = PowerMonitor(supplies: [gauge], clock: clock, limits: limits())
    var rounds: [Int] = []
    var round = 0
    await poll(monitor, rounds: 300) {
      round += 1
      if gauge.askings > rounds.count { rounds.append(round) }
    }
    let gaps = zip(rounds, rounds.dropFirst()).map { $1 - $0 }
    #expect(gaps == gaps.sorted(), "\(gaps)")
    #expect(gaps.max() == 12 && rounds.count < 40, "\(rounds)")
    #expect(await monitor.batteries[0].errorKind == .absent)
    // it is back within a minute, and then asked every time
    gauge.say(PowerReading(level: 0.5, state: .discharging, volts: 3.8))
    await poll(monitor, rounds: 12)
    #expect(await monitor.batteries[0].level == 0.5)
    let before = gauge.askings
    await poll(monitor, rounds: 5)
    #expect(gauge.askings == before + 5)
  }
}
