/// A change on an input line. `active` is the logical level, after active-low.
public struct LineEdge: Sendable, Hashable {
  /// True when the line became active (a button went down).
  public var active: Bool
  /// When it happened, on the rig's clock.
  public var at: RigInstant

  /// An edge.
  public init(active: Bool, at: RigInstant) {
    self.active = active
    self.at = at
  }
}

/// What holds a line where nothing drives it.
public enum LineBias: String, Sendable, Hashable, CaseIterable {
  /// Whatever the chip has.
  case asIs = "as-is"
  /// Nothing: it floats.
  case none
  /// A resistor to the supply.
  case pullUp = "pull-up"
  /// A resistor to ground.
  case pullDown = "pull-down"
}

/// A debounced digital input.
public protocol InputLine: Sendable {
  /// The line as the configuration names it.
  var name: String { get }
  /// Edges from now on, oldest first; a reader that falls behind loses the oldest.
  func edges() async throws(DeviceError) -> AsyncStream<LineEdge>
  /// The level now.
  func read() async throws(DeviceError) -> Bool
}

/// A digital output.
public protocol OutputLine: Sendable {
  /// The line as the configuration names it.
  var name: String { get }
  /// Drives the line to its active or inactive level.
  func set(_ active: Bool) async throws(DeviceError)
}
