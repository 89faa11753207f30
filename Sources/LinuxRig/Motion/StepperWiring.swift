import Rig

/// Which lines of which chip a step/dir driver hangs on.
public struct StepperWiring: Sendable, Hashable {
  /// The chip's label.
  public var chip: String
  /// A step is made when this line rises.
  public var step: Int
  /// Says which way.
  public var direction: Int
  /// nil where the driver always has current.
  public var enable: Int?
  /// nil where there is no home switch.
  public var home: Int?
  /// Whether the motor has current while the enable line is low, as with A4988, DRV8825 and TMC2209.
  public var isEnableActiveLow = true
  /// Turns the other way.
  public var isReversed = false
  /// A switch to ground with the chip's pull-up is closed when the line is low.
  public var isHomeActiveLow = true
  /// What holds the switch's line while it is open.
  public var homeBias = LineBias.pullUp

  /// A driver with these lines.
  public init(chip: String, step: Int, direction: Int, enable: Int? = nil, home: Int? = nil) {
    self.chip = chip
    self.step = step
    self.direction = direction
    self.enable = enable
    self.home = home
  }
}
