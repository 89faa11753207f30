/// How far the true rig is from the one configured, as standard deviations.
public struct SimulatedErrorsConfiguration: Sendable, Hashable {
  /// Relative error of the focal lengths.
  public var focal = 0.001
  /// Error of the principal points, pixels at 1200 columns.
  public var principalPoint = 0.8
  /// Error of k1, and of p1 and p2.
  public var distortion = 0.001, tangential = 0.0002
  /// Relative error of the baseline.
  public var baseline = 0.0005
  /// Error of the right camera's direction, degrees.
  public var stereoAngle = 0.01
  /// Error of the table axis: millimetres, degrees.
  public var axisPosition = 0.3, axisAngle = 0.1
  /// Error of the head's axes: millimetres, degrees.
  public var headPosition = 0.5, headAngle = 0.1

  /// The defaults.
  public init() {}
}

extension SimulatedErrorsConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value("focal", \.focal, .number(0...0.1), "Focal lengths, relative."),
      .value(
        "principal_point_px", \.principalPoint, .number(0...50, unit: "px"), "Principal points, at 1200 columns."),
      .value("distortion", \.distortion, .number(0...0.1), "Radial distortion k1."),
      .value("tangential", \.tangential, .number(0...0.01), "Tangential distortion p1 and p2."),
      .value("baseline", \.baseline, .number(0...0.1), "The baseline, relative: this becomes the error of scale."),
      .value("stereo_angle_deg", \.stereoAngle, .number(0...5, unit: "°"), "The right camera's direction."),
      .value("axis_position_mm", \.axisPosition, .number(0...20, unit: "mm"), "Where the table's axis stands."),
      .value("axis_angle_deg", \.axisAngle, .number(0...5, unit: "°"), "The direction of the table's axis."),
      .value("head_position_mm", \.headPosition, .number(0...20, unit: "mm"), "Where the head's axes are."),
      .value("head_angle_deg", \.headAngle, .number(0...5, unit: "°"), "The direction of the head's axes.")
    ]
  }
}

/// The simulated cameras' sensors.
public struct SimulatedSensorConfiguration: Sendable, Hashable {
  /// Full well and read noise in electrons.
  public var fullWell = 8000.0, readNoise = 4.0
  /// The longest exposure.
  public var longestExposure = Duration.milliseconds(33)
  /// The highest analogue gain.
  public var highestGain = 8.0
  /// Frames until a control shows in the metadata.
  public var controlLatency = 2
  /// How much later the right sensor starts.
  public var skew = Duration.microseconds(180)
  /// The share of light lost in the corner.
  public var vignetting = 0.08

  /// The defaults.
  public init() {}
}

extension SimulatedSensorConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value("full_well", \.fullWell, .number(100...1_000_000, unit: "electrons"), "Full well: less is noisier."),
      .value("read_noise", \.readNoise, .number(0...1000, unit: "electrons"), "Read noise."),
      .value("longest_exposure_s", \.longestExposure, .seconds(0.0001...10), "The longest exposure."),
      .value("highest_gain", \.highestGain, .number(1...64), "The highest analogue gain, 1 = none."),
      .value(
        "control_latency", \.controlLatency, .whole(0...30, unit: "frames"),
        "Until a control that was set shows in the metadata."),
      .value("skew_s", \.skew, .seconds(0...0.1), "How much later the right sensor starts."),
      .value("vignetting", \.vignetting, .number(0...1), "The share of light lost in the corner.")
    ]
  }
}

/// Something that goes wrong in the simulated world.
public struct FaultConfiguration: Sendable, Hashable {
  /// What can go wrong.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The camera pipeline dies until it is restarted.
    case cameraTimeout = "camera-timeout"
    /// One pair never arrives.
    case droppedFrame = "dropped-frame"
    /// An axis does not move and the driver notices.
    case stall
    /// An axis falls behind and nobody notices.
    case lostSteps = "lost-steps"
    /// A gauge does not answer for a while.
    case gaugeSilent = "gauge-silent"
    /// A gauge reads 0 % once.
    case gaugeReadsZero = "gauge-reads-zero"
    /// The process ends as by `kill -9`.
    case powerCut = "power-cut"
  }

  /// What.
  public var kind = Kind.cameraTimeout
  /// When: at the n-th shot, at the n-th move, or so long after the beginning. One of them.
  public var shot: Int?, move: Int?, after: Duration?
  /// The axis, for `stall` and `lost-steps`.
  public var axis = "turntable"
  /// The angle, for `lost-steps`.
  public var angle = 1.0
  /// The battery, for `gauge-silent` and `gauge-reads-zero`.
  public var battery = "main"
  /// How long, for `gauge-silent`.
  public var duration = Duration.seconds(120)

  /// A camera time-out without a moment.
  public init() {}
}

extension FaultConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value(
        "kind", \.kind, .choice,
        "What. \"camera-timeout\": no frames until the camera is restarted. \"dropped-frame\": one pair never arrives. "
          + "\"stall\": the axis does not move, and its driver notices. \"lost-steps\": it falls behind and nobody "
          + "notices. \"gauge-silent\": the gauge does not answer for a while. \"gauge-reads-zero\": it reads 0 % once. "
          + "\"power-cut\": the agent ends as by kill -9."),
      .optional(
        "shot", \.shot, .whole(1...100_000),
        "When: at this full-size picture, counted from 1. Each fault has one of shot, move and after_s."),
      .optional("move", \.move, .whole(1...100_000), "When: at this move of the axis, counted from 1."),
      .optional("after_s", \.after, .seconds(0...86400), "When: so long after the beginning."),
      .value("axis", \.axis, .text(limit: 16), "The axis of \"stall\" and \"lost-steps\": turntable, pan or tilt."),
      .value("angle_deg", \.angle, .number(-360...360, unit: "°"), "How far \"lost-steps\" makes it fall behind."),
      .value("battery", \.battery, .text(limit: 32), "The battery of \"gauge-silent\" and \"gauge-reads-zero\"."),
      .value("duration_s", \.duration, .seconds(0...86400), "How long \"gauge-silent\" lasts.")
    ]
  }
}
