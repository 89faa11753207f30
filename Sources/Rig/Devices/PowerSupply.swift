/// What a gauge says. Nil is "unknown", never a made-up 0.
public struct PowerReading: Sendable, Hashable {
  /// Whether charge flows in or out.
  public enum State: String, Sendable, Hashable, Codable {
    /// On mains, filling.
    case charging
    /// On the battery.
    case discharging
    /// On mains, full.
    case full
    /// The gauge does not know.
    case unknown
  }
  /// State of charge, 0…1.
  public var level: Double?
  /// Charge flow.
  public var state: State
  /// Terminal voltage.
  public var volts: Double?

  /// A reading.
  public init(level: Double?, state: State, volts: Double?) {
    self.level = level
    self.state = state
    self.volts = volts
  }
}

/// One battery or mains input, through whatever chip gauges it.
public protocol PowerSupply: Sendable {
  /// The battery as the configuration names it.
  var name: String { get }
  /// The kind of gauge, e.g. `max17048`, `power_supply`, `simulated`.
  var source: String { get }
  /// A raw reading; may be wrong in every way a chip can be (the policy above rejects such).
  func read() async throws(DeviceError) -> PowerReading
}
