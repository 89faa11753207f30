import Imaging

/// Something that goes wrong in the simulated world at a chosen moment. Each happens once.
public struct SimulatedFault: Sendable, Hashable {
  /// When it happens.
  public enum Trigger: Sendable, Hashable {
    /// At the n-th full-size capture since the world began; the first is 1.
    case shot(Int)
    /// At the n-th move of the axis concerned (of the turntable where none is); the first is 1. Homing does not count.
    case move(Int)
    /// So long after the world began, on the rig's clock.
    case time(Duration)
  }

  /// What happens.
  public enum Kind: Sendable, Hashable {
    /// The camera pipeline dies: every capture times out until it is restarted.
    case cameraTimeout
    /// One pair never arrives; the next one does.
    case droppedFrame
    /// The axis of this name does not move although it is driven, once, and the driver notices.
    case stall(axis: String)
    /// The axis of this name falls behind by an angle and nobody notices.
    case lostSteps(axis: String, by: Angle)
    /// The battery gauge of this name does not answer for so long.
    case gaugeSilent(name: String, for: Duration)
    /// The battery gauge of this name reads 0 % once.
    case gaugeReadsZero(name: String)
    /// The board loses power: the process ends at once, as by `kill -9`.
    case powerCut
  }

  /// When.
  public var at: Trigger
  /// What.
  public var kind: Kind

  /// A fault.
  public init(at: Trigger, kind: Kind) {
    self.at = at
    self.kind = kind
  }
}
