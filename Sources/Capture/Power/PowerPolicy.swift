import Rig

/// The low-battery policy as a value: readings in, the station's condition out, no clock and no devices.
///
/// Warns at 20 %. Low at 15 % until above 20 %. Critical at 7 % or at the voltage floor, but only when three valid
/// readings ten seconds apart say so, without mains, and not within two minutes of the start: a bad reading never powers
/// the station off, and a station that was switched on with an empty battery stays up long enough to be rescued.
package struct PowerPolicy: Sendable {
  /// What one battery says at a moment.
  package struct Battery: Sendable {
    package var level: Double?
    package var volts: Double?
    package var state: PowerReading.State
    /// Whether this round brought a level or voltage that can be believed.
    package var isFresh: Bool

    package init(level: Double?, volts: Double?, state: PowerReading.State, isFresh: Bool) {
      self.level = level
      self.volts = volts
      self.state = state
      self.isFresh = isFresh
    }
  }

  let limits: PowerLimits
  package private(set) var condition = PowerCondition.good
  /// Why, for a person.
  package private(set) var reason = ""
  private var criticalCount = 0
  private var lastCritical: Duration?
  private var start: Duration?

  package init(limits: PowerLimits) { self.limits = limits }

  /// Takes one round of readings at a time since boot. Batteries stand for one another: the fullest one counts, and mains
  /// on any of them is mains.
  package mutating func update(_ batteries: [Battery], at now: Duration) {
    let begin = start ?? now
    start = begin
    let hasMains = batteries.contains { $0.state == .charging || $0.state == .full }
    let known = batteries.filter { $0.level != nil || $0.volts != nil }
    // nothing known is no reason for anything
    guard !known.isEmpty else { return count(false, at: now, since: begin, fresh: false, hasMains) }
    let best = known.compactMap(\.level).max()
    let isEmpty = known.allSatisfy { battery in
      if let level = battery.level, level > limits.critical { return belowFloor(battery) }
      return battery.level != nil || belowFloor(battery)
    }
    count(isEmpty, at: now, since: begin, fresh: known.contains(where: \.isFresh), hasMains)
    if condition == .critical { return }
    settle(best, hasMains)
  }

  private func belowFloor(_ battery: Battery) -> Bool {
    guard let floor = limits.voltageFloor, let volts = battery.volts else { return false }
    return volts <= floor
  }

  /// Counts rounds in a row that say empty, at least `criticalSpacing` apart.
  private mutating func count(_ isEmpty: Bool, at now: Duration, since begin: Duration, fresh: Bool, _ hasMains: Bool) {
    if !isEmpty || hasMains {
      // an unknown round neither counts nor clears
      if fresh || hasMains {
        criticalCount = 0
        lastCritical = nil
      }
      if condition == .critical, hasMains { set(.low, "mains is back") }
      return
    }
    guard fresh else { return }
    if let last = lastCritical, now - last < limits.criticalSpacing { return }
    lastCritical = now
    criticalCount += 1
    if criticalCount >= limits.criticalReadings, now - begin > limits.bootHoldOff {
      set(.critical, "the battery is empty: the station stops and switches off")
    }
  }

  private mutating func settle(_ level: Double?, _ hasMains: Bool) {
    if hasMains {
      // charging from the bottom: not good yet, but nothing to warn of
      if condition == .low, let level, level <= limits.lowClears { return }
      return set(.good, "on mains")
    }
    guard let level else { return }
    let percent = Int((level * 100).rounded())
    if level <= limits.low || (condition == .low && level <= limits.lowClears) {
      return set(.low, "the battery is at \(percent) %: no new scan until it is above \(Int(limits.lowClears * 100)) %")
    }
    if level <= limits.warning { return set(.warning, "the battery is at \(percent) %: charge it soon") }
    // a little more than the threshold clears the warning, so that it does not flicker
    if condition == .warning, level <= limits.warning + 0.02 { return }
    set(.good, "the battery is at \(percent) %")
  }

  private mutating func set(_ new: PowerCondition, _ why: String) {
    if new == condition { return }
    condition = new
    reason = why
  }
}
