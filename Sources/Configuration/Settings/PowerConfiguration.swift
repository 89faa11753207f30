/// What is done about low batteries.
public struct PowerConfiguration: Sendable, Hashable {
  /// Levels, 0…1: warn, low, no longer low, critical.
  public var warning = 0.20, low = 0.15, lowClears = 0.20, critical = 0.07
  /// Critical at this voltage, and no level is while the voltage is more than a tenth above it; nil for none.
  public var voltageFloor: Double?
  /// Valid readings in a row that must say so before it is critical.
  public var criticalReadings = 3
  /// How far apart they must be.
  public var criticalSpacing = Duration.seconds(10)
  /// No power-off so soon after the start.
  public var bootHoldOff = Duration.seconds(120)
  /// A level is unknown when it is older.
  public var staleAfter = Duration.seconds(60)
  /// How often gauges are read.
  public var interval = Duration.seconds(5)
  /// Whether the computer is powered off once everything has ended at the critical level.
  public var powersOff = false

  /// The defaults.
  public init() {}
}

extension PowerConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value("warning", \.warning, .number(0...1), "Warn at this level, 1 = full."),
      .value("low", \.low, .number(0...1), "Low at this level: no new scan, no reconstruction."),
      .value("low_clears", \.lowClears, .number(0...1), "Low no longer above this level."),
      .value(
        "critical", \.critical, .number(0...1),
        "Critical at this level: finish the shot, park, motors and lamps off, and end."),
      .optional(
        "voltage_floor_v", \.voltageFloor, .number(0.5...100, unit: "V"),
        "Critical at this voltage too. And no level is critical while the voltage is more than a tenth above it: gauges "
          + "stick at 0 %. Not set: the level decides alone."),
      .value(
        "critical_readings", \.criticalReadings, .whole(1...100),
        "So many valid readings in a row must say so before anything is powered off."),
      .value(
        "critical_spacing_s", \.criticalSpacing, .seconds(0...3600), "How far apart these readings must be at least."),
      .value(
        "boot_hold_off_s", \.bootHoldOff, .seconds(0...3600),
        "No power-off so soon after the start: a bad gauge must not make a boot loop."),
      .value("stale_after_s", \.staleAfter, .seconds(1...3600), "A level is unknown when its reading is older."),
      .value("interval_s", \.interval, .seconds(0.1...3600), "How often the gauges are read."),
      .value(
        "power_off", \.powersOff, .flag,
        "Whether the computer is then powered off, through logind: for a station on a battery that is not simulated.")
    ]
  }
}

/// How models are made.
public struct ReconstructionConfiguration: Sendable, Hashable {
  /// Whether a finished scan is made a model of at once.
  public var automatic = true
  /// Memory the reconstruction may take, in megabytes.
  public var memoryLimitMegabytes = 1500
  /// Threads; 0 for all processors.
  public var threads = 0
  /// How much other work goes first, as `nice` counts.
  public var niceness = 10

  /// The defaults.
  public init() {}
}

extension ReconstructionConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value("automatic", \.automatic, .flag, "Whether a model is made of a scan as soon as it is completed."),
      .value(
        "memory_limit_mb", \.memoryLimitMegabytes, .whole(256...1_000_000, unit: "MB (millions of bytes)"),
        "Memory a reconstruction may take; one that wants more ends with an error, the agent goes on."),
      .value("threads", \.threads, .whole(0...256), "Threads; 0: one for each processor. The model is the same."),
      .value("niceness", \.niceness, .whole(0...19), "How much other work goes first, as nice(1) counts.")
    ]
  }
}
