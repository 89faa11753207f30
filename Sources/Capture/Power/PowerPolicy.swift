import Rig

/// The low-battery policy as a value: readings in, the station's condition out, no clock and no devices.
///
/// Warns at 20 %. Low at 15 % until above 20 %. Critical at 7 % or at the voltage floor, but only when three valid
/// readings ten seconds apart say so, without mains, and not within two minutes of the start: a bad reading never powers
/// the station off, and a station that was switched on with an empty battery stays up long enough to be rescued.
///
/// A level that the voltage contradicts is not critical: some gauges stick at 0 %. What contradicts is a voltage more than
/// a tenth above the floor, so a person has to have said what empty means. The cells of a pack, and what they are made of,
/// are nothing to guess at: without a floor, or without a voltage, the level decides alone. Nothing is risked by waiting:
/// the voltage of a battery that does run down comes near the floor before it is there.
package struct PowerPolicy: Sendable {
  /// What one battery says at a moment.
  package struct Battery: Sendable {
    package var level: Double?
    package var volts: Double?
    package var state: PowerReading.State
    /// What of it this round brought.
    package var fresh: BelievedReadings

    package init(level: Double?, volts: Double?, state: PowerReading.State, fresh: BelievedReadings) {
      self.level = level
      self.volts = volts
      self.state = state
      self.fresh = fresh
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
    let witnesses = known.map(emptiness)
    let isEmpty = witnesses.allSatisfy { !$0.isEmpty }
    let evidence = zip(known, witnesses).map { isEmpty ? $1 : $0.fresh }
    let isFresh = zip(known, evidence).contains { !$0.fresh.isDisjoint(with: $1) }
    count(isEmpty, at: now, since: begin, fresh: isFresh, hasMains)
    if condition == .critical { return }
    settle(best, hasMains)
  }

  /// What says that a battery is empty; nothing where it is not.
  private func emptiness(_ battery: Battery) -> BelievedReadings {
    var witnesses: BelievedReadings = []
    if let level = battery.level, level <= limits.critical, !isContradicted(battery) { witnesses.insert(.level) }
    if let floor = limits.voltageFloor, let volts = battery.volts, volts <= floor { witnesses.insert(.voltage) }
    return witnesses
  }

  /// Whether a voltage is too high for an empty battery.
  private func isContradicted(_ battery: Battery) -> Bool {
    guard let floor = limits.voltageFloor, let volts = battery.volts else { return false }
    return volts > floor * 1.1
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
