import Rig

/// What of a reading could be believed.
package struct BelievedReadings: OptionSet, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The state of charge.
  package static let level = BelievedReadings(rawValue: 1)
  /// The terminal voltage.
  package static let voltage = BelievedReadings(rawValue: 2)
}

/// Sorts out one gauge's readings. Gauges say more than 100 %, 256 %, 0xFFFF, 0 % for one reading, or nothing at all; what
/// cannot be is not believed, and what is believed is the median of three, so that one odd reading never shows.
package struct BatteryFilter: Sendable {
  /// Levels believed, with their time, newest last; at most three.
  private var levels: [(value: Double, at: Duration)] = []
  /// Voltages believed, newest last; at most three.
  private var volts: [(value: Double, at: Duration)] = []
  private var flow: (state: PowerReading.State, at: Duration)?
  private(set) var error: DeviceError?
  private let staleAfter: Duration

  package init(staleAfter: Duration) { self.staleAfter = staleAfter }

  /// Takes a reading. Returns what of it could be believed: some gauges know a voltage and no level.
  package mutating func take(_ reading: PowerReading, at now: Duration) -> BelievedReadings {
    error = nil
    flow = (reading.state, now)
    var believed: BelievedReadings = []
    if let level = Self.plausible(level: reading.level) {
      believed.insert(.level)
      levels = (levels + [(level, now)]).suffix(3)
    }
    if let volt = reading.volts, volt.isFinite, volt > 0.5, volt < 80 {
      believed.insert(.voltage)
      volts = (volts + [(volt, now)]).suffix(3)
    }
    return believed
  }

  /// The gauge did not answer.
  package mutating func miss(_ error: DeviceError) { self.error = error }

  /// The level now: the median of the last three that are not stale. A lone first reading counts, except for 0 %, which
  /// a gauge also says when it means nothing.
  package func level(at now: Duration) -> Double? {
    let fresh = levels.filter { now - $0.at <= staleAfter }.map(\.value)
    if fresh.isEmpty || (fresh.count < 3 && fresh.allSatisfy { $0 == 0 }) { return nil }
    if fresh.count == 2 { return max(fresh[0], fresh[1]) }
    return fresh.sorted()[fresh.count / 2]
  }

  /// The voltage now: the median of the last three that are not stale.
  package func voltage(at now: Duration) -> Double? {
    let fresh = volts.filter { now - $0.at <= staleAfter }.map(\.value)
    return fresh.isEmpty ? nil : fresh.sorted()[fresh.count / 2]
  }

  /// Which way the charge flows, unless that is stale: mains that were there once are no mains now.
  package func state(at now: Duration) -> PowerReading.State {
    guard let flow, now - flow.at <= staleAfter else { return .unknown }
    return flow.state
  }

  /// A fuel gauge may say a little more than full; anything else beyond 0…1 is nonsense.
  private static func plausible(level: Double?) -> Double? {
    guard let level, level.isFinite, level >= 0, level <= 1.1 else { return nil }
    return min(1, level)
  }
}
