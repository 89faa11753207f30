import Rig

/// Watches all batteries of a rig and says what they mean.
public actor PowerMonitor {
  private let supplies: [any PowerSupply]
  private let clock: any RigClock
  private let limits: PowerLimits
  private var filters: [BatteryFilter]
  private var policy: PowerPolicy
  private var told: [BatteryStatus?]
  private var absentRounds: [Int]
  private var round = 0
  private var hub = EventHub<PowerEvent>(depth: 64)

  /// A monitor of the rig's supplies, on the rig's clock.
  public init(supplies: [any PowerSupply], clock: any RigClock, limits: PowerLimits = PowerLimits()) {
    self.supplies = supplies
    self.clock = clock
    self.limits = limits
    filters = supplies.map { _ in BatteryFilter(staleAfter: limits.staleAfter) }
    policy = PowerPolicy(limits: limits)
    told = supplies.map { _ in nil }
    absentRounds = supplies.map { _ in 0 }
  }

  /// Reads every `interval` (real time) until the task is cancelled.
  public func run(every interval: Duration = .seconds(5)) async {
    while !Task.isCancelled {
      await poll()
      try? await ContinuousClock().sleep(for: interval)
    }
  }

  /// Reads all gauges once. A gauge that does not answer is asked more and more seldom, at most every 12th time.
  public func poll() async {
    round += 1
    var fresh = [BelievedReadings](repeating: [], count: supplies.count)
    for (index, supply) in supplies.enumerated() {
      let wait = min(12, absentRounds[index])
      if wait > 1, !round.isMultiple(of: wait) { continue }
      do throws(DeviceError) {
        let reading = try await supply.read()
        absentRounds[index] = 0
        fresh[index] = filters[index].take(reading, at: clock.now.sinceOrigin)
      } catch {
        absentRounds[index] += 1
        filters[index].miss(error)
      }
    }
    let now = clock.now.sinceOrigin
    let before = policy.condition
    policy.update(
      zip(filters, fresh).map { filter, fresh in
        PowerPolicy.Battery(
          level: filter.level(at: now), volts: filter.voltage(at: now), state: filter.state(at: now), fresh: fresh)
      }, at: now)
    for (index, status) in batteries.enumerated() where Self.isNews(status, after: told[index]) {
      told[index] = status
      hub.send(.battery(status))
    }
    if policy.condition != before { hub.send(.condition(policy.condition, reason: policy.reason)) }
  }

  /// Whether a status differs enough from the last one told: by a whole percent, a tenth of a volt, or in kind.
  private static func isNews(_ status: BatteryStatus, after told: BatteryStatus?) -> Bool {
    guard let told else { return true }
    if status.state != told.state || status.low != told.low || status.error != told.error { return true }
    switch (status.level, told.level) {
    case (nil, nil): break
    case (let a?, let b?): if abs(a - b) >= 0.01 { return true }
    default: return true
    }
    return abs((status.volts ?? 0) - (told.volts ?? 0)) >= 0.1
  }

  /// Every battery as of the last reading.
  public var batteries: [BatteryStatus] {
    let now = clock.now.sinceOrigin
    return zip(supplies, filters).map { supply, filter in
      let level = filter.level(at: now)
      return BatteryStatus(
        name: supply.name, source: supply.source, level: level, state: level == nil ? .unknown : filter.state(at: now),
        volts: filter.voltage(at: now), low: level.map { $0 <= limits.low }, error: filter.error?.description,
        errorKind: filter.error?.kind)
    }
  }

  /// The station's condition.
  public var condition: PowerCondition { policy.condition }

  /// Why it is so, for a person.
  public var reason: String { policy.reason }

  /// Everything from now on, beginning with the present. A reader that falls behind loses the oldest.
  public func events() -> AsyncStream<PowerEvent> {
    var greeting = batteries.map { PowerEvent.battery($0) }
    greeting.append(.condition(policy.condition, reason: policy.reason))
    return hub.subscribe(greeting: greeting) { [weak self] id in
      Task { await self?.forget(id) }
    }
  }

  private func forget(_ id: Int) { hub.remove(id) }
}
