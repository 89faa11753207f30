import Rig

/// What the rig knows about one battery, after doubtful readings were sorted out.
public struct BatteryStatus: Sendable, Hashable {
  /// The battery as the configuration names it.
  public var name: String
  /// The kind of gauge.
  public var source: String
  /// State of charge, 0…1; nil while unknown.
  public var level: Double?
  /// Charge flow.
  public var state: PowerReading.State
  /// Terminal voltage; nil while unknown.
  public var volts: Double?
  /// Whether it is low; nil while unknown.
  public var low: Bool?
  /// Why nothing is known, for a person.
  public var error: String?
  /// The device error behind `error`, where there is one.
  public var errorKind: DeviceError.Kind?
}

/// How the station stands with its power as a whole.
public enum PowerCondition: Int, Sendable, Hashable, Comparable {
  /// Mains, enough charge, or no gauge at all.
  case good
  /// Time to charge.
  case warning
  /// No new session, no reconstruction.
  case low
  /// Finish the frame, park, sync and end.
  case critical

  /// Orders by urgency.
  public static func < (a: PowerCondition, b: PowerCondition) -> Bool { a.rawValue < b.rawValue }
}

/// What the power monitor tells its subscribers.
public enum PowerEvent: Sendable, Hashable {
  /// A battery's status changed noticeably.
  case battery(BatteryStatus)
  /// The condition of the station changed; the text is for a person.
  case condition(PowerCondition, reason: String)
}

/// The low-battery policy's numbers.
public struct PowerLimits: Sendable, Hashable {
  /// Warn at this level.
  public var warning = 0.20
  /// Low at this level …
  public var low = 0.15
  /// … until it is above this one.
  public var lowClears = 0.20
  /// Critical at this level.
  public var critical = 0.07
  /// Critical at this voltage, and no level is while the voltage is more than a tenth above it; nil for none.
  public var voltageFloor: Double?
  /// How many valid readings in a row must say so before it is critical.
  public var criticalReadings = 3
  /// How far apart they must be.
  public var criticalSpacing = Duration.seconds(10)
  /// No power-off so soon after the start.
  public var bootHoldOff = Duration.seconds(120)
  /// A level is unknown when it is older than this.
  public var staleAfter = Duration.seconds(60)

  /// The usual numbers.
  public init() {}
}
