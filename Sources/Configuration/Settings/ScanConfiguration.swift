import Imaging

/// How fine a model is asked for by default.
public enum DetailName: String, Sendable, Hashable, CaseIterable {
  /// A quick look.
  case preview
  /// What a phone shows well.
  case reduced
  /// For a bigger machine.
  case medium
}

/// How a scan is done.
public struct ScanConfiguration: Sendable, Hashable {
  /// Stops of the turntable in a pass.
  public var shots = 36
  /// Passes.
  public var passes = 3
  /// The detail asked for.
  public var detail = DetailName.reduced
  /// Whether more is shot than this board will use.
  public var overcapture = false
  /// Pairs shot at a viewpoint, of which one is kept.
  public var burst = 3
  /// How often a viewpoint is shot again when no pair is good.
  public var retakes = 2
  /// How often the camera is restarted at a viewpoint before the scan pauses.
  public var cameraRestarts = 2
  /// Quality of pictures stored as JPEG.
  public var jpegQuality = 92
  /// Quality of pictures stored as HEIC.
  public var heicQuality = 60
  /// Lamps during a scan, 0…1.
  public var lampLevel = 1.0
  /// Speed of moves, per second; nil for the axis's top speed.
  public var moveSpeed: Angle?
  /// Where the head looks during a scan.
  public var pan = Angle.zero, tilt = Angle.zero
  /// Where the axes go at the end.
  public var parked = Angle.zero
  /// Longest wait for everything to come to rest.
  public var settleLimit = Duration.seconds(3)
  /// Frame difference, in noises of still frames, that counts as motion.
  public var settleRatio = 1.35
  /// Brightness that exposure aims at, 0…1.
  public var targetLuma = 0.42
  /// Longest exposure.
  public var longestExposure = Duration.milliseconds(40)
  /// Highest gain.
  public var highestGain = 8.0
  /// Gain above which light counts as low.
  public var lowLightGain = 4.0
  /// Brightness below which it is too dark.
  public var tooDarkLuma = 0.06
  /// Turntable angles at which the empty table is photographed.
  public var plateStops = 3
  /// Whether a person is asked to clear the table when there are no pictures of it empty.
  public var asksForPlates = true
  /// How long a person may take at a prompt.
  public var promptTimeout = Duration.seconds(600)
  /// How long one step of the work may take.
  public var stepTimeout = Duration.seconds(180)

  /// The defaults.
  public init() {}
}

extension ScanConfiguration: Configurable {
  static var fields: [Field<Self>] {
    requested + taking + light + people
  }

  private static var requested: [Field<Self>] {
    [
      .value("shots", \.shots, .whole(4...400), "Stops of the turntable in a pass, where a start says nothing else."),
      .value("passes", \.passes, .whole(1...9), "Passes, where a start says nothing else."),
      .value("detail", \.detail, .choice, "The model's detail, where a start says nothing else."),
      .value(
        "overcapture", \.overcapture, .flag,
        "Whether to shoot more than this board will use and keep it in the session, for a bigger machine.")
    ]
  }

  private static var taking: [Field<Self>] {
    [
      .value("burst", \.burst, .whole(1...16), "Pairs shot at a stop; the sharpest well-exposed one is kept."),
      .value("retakes", \.retakes, .whole(0...10), "How often a stop is shot again when no pair of a burst is good."),
      .value(
        "camera_restarts", \.cameraRestarts, .whole(0...10),
        "How often the camera is restarted at a stop before the scan pauses, to be resumed."),
      .value("jpeg_quality", \.jpegQuality, .whole(50...100), "Quality of pictures that are stored as JPEG."),
      .value(
        "heic_quality", \.heicQuality, .whole(20...95),
        "Quality of pictures that are stored as HEIC; another scale: 60 is about as good as a JPEG of 90."),
      .optional(
        "move_speed_deg_s", \.moveSpeed, .degrees(0.1...720, unit: "°/s"),
        "Speed of the moves between stops; not set: each axis's top speed."),
      .value("pan_deg", \.pan, .degrees(-180...180), "Where the head looks during a scan: pan."),
      .value("tilt_deg", \.tilt, .degrees(-90...90), "Where the head looks during a scan: tilt."),
      .value("park_deg", \.parked, .degrees(-360...360), "Where the axes go at the end."),
      .value(
        "settle_limit_s", \.settleLimit, .seconds(0.05...60),
        "The longest wait after a move for table and head to come to rest."),
      .value(
        "settle_ratio", \.settleRatio, .number(1.01...10),
        "A frame difference of so many times that of two still frames counts as motion.")
    ]
  }

  private static var light: [Field<Self>] {
    [
      .value("lamp_level", \.lampLevel, .number(0...1), "The lamps during a scan, 1 = as bright as they get."),
      .value("target_luma", \.targetLuma, .number(0.05...0.9), "The mean brightness exposure aims at, 1 = white."),
      .value("longest_exposure_s", \.longestExposure, .seconds(0.001...1), "The longest exposure that is chosen."),
      .value("highest_gain", \.highestGain, .number(1...64), "The highest gain that is chosen, 1 = none."),
      .value("low_light_gain", \.lowLightGain, .number(1...64), "A gain above this counts as low light."),
      .value(
        "too_dark_luma", \.tooDarkLuma, .number(0...0.9),
        "A mean brightness below this is too dark: the scan pauses until there is light, 1 = white.")
    ]
  }

  private static var people: [Field<Self>] {
    [
      .value(
        "plate_stops", \.plateStops, .whole(1...36), "Table angles at which the empty table is photographed."),
      .value(
        "asks_for_plates", \.asksForPlates, .flag,
        "Whether a person is asked to clear the table when there are no pictures of it empty for this head position."),
      .value(
        "prompt_timeout_s", \.promptTimeout, .seconds(1...86400),
        "How long a person may take at a prompt; then the scan ends with what there is."),
      .value(
        "step_timeout_s", \.stepTimeout, .seconds(1...3600),
        "How long one step of the work may take before it counts as hung. Devices have shorter limits of their own.")
    ]
  }
}
