import Imaging

extension StepperAxis {
  /// What the motor and its gear are like.
  public struct Settings: Sendable, Hashable {
    /// Steps of the driver (microsteps) for a whole turn of the axis.
    public var stepsPerTurn: Double
    /// The play of the gear: so far below a place a move from above goes, to come back up.
    public var backlash: Angle
    /// The axis's angle where the home switch closes.
    public var homeAngle: Angle
    /// How fast the switch is looked for. It is found again at a tenth of that.
    public var homeSpeed: Angle
    /// Whether the switch lies in the direction of rising angles.
    public var homesUpwards: Bool
    /// How long the motor holds its place after a move.
    public var holdsFor: Duration
    /// How long the driver needs after it is enabled.
    public var wakeUp: Duration

    /// A motor that homes at a quarter of a turn in ten seconds and holds for a minute.
    public init(
      stepsPerTurn: Double, backlash: Angle = .zero, homeAngle: Angle = .zero, homeSpeed: Angle = .degrees(9),
      homesUpwards: Bool = false, holdsFor: Duration = .seconds(60), wakeUp: Duration = .milliseconds(2)
    ) {
      self.stepsPerTurn = stepsPerTurn
      self.backlash = backlash
      self.homeAngle = homeAngle
      self.homeSpeed = homeSpeed
      self.homesUpwards = homesUpwards
      self.holdsFor = holdsFor
      self.wakeUp = wakeUp
    }
  }
}
