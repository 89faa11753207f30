/// Everything that can be said about a station, with the defaults of a simulated rig: the values of one TOML file over
/// those of a board profile. `config/twinrig.toml` shows every key.
public struct TwinrigConfiguration: Sendable, Hashable {
  /// The board profile the rest builds on: `board/NAME.toml`; empty for none.
  public var board = ""
  /// The agent as a program.
  public var agent = AgentConfiguration()
  /// The station as a whole.
  public var rig = RigConfiguration()
  /// The twin cameras.
  public var cameras = CameraConfiguration()
  /// Where cameras, axes and table stand.
  public var geometry = GeometryConfiguration()
  /// The turntable.
  public var turntable = AxisConfiguration.turntable
  /// The head's pan axis.
  public var pan = AxisConfiguration.pan
  /// The head's tilt axis.
  public var tilt = AxisConfiguration.tilt
  /// Lamps.
  public var lamps = LampConfiguration.standard
  /// Buttons and what they do.
  public var buttons = ButtonConfiguration.standard
  /// LED and buzzer.
  public var signal = SignalConfiguration()
  /// Batteries.
  public var batteries = BatteryConfiguration.standard
  /// How a scan is done.
  public var scan = ScanConfiguration()
  /// What is done about low batteries.
  public var power = PowerConfiguration()
  /// How models are made.
  public var reconstruction = ReconstructionConfiguration()
  /// The world around simulated devices.
  public var simulation = SimulationConfiguration()

  /// The defaults.
  public init() {}

  /// The axes, by name.
  public var axes: [(name: String, axis: AxisConfiguration)] {
    [("turntable", turntable), ("pan", pan), ("tilt", tilt)]
  }
}

extension TwinrigConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value(
        "board", \.board, .text(allowEmpty: true, limit: 64),
        "The board profile to build on: its keys hold where this file has none. Looked for as board/NAME.toml beside "
          + "this file, one folder up, and in /usr/share/twinrig. Empty: none."),
      .table("agent", \.agent, "The agent as a program."),
      .table("rig", \.rig, "The station as a whole."),
      .table("cameras", \.cameras, "The twin cameras: both alike, and what their lenses are by design."),
      .table(
        "geometry", \.geometry,
        "Where everything stands, as built. What a calibration finds later takes its place."),
      .table("turntable", \.turntable, "The turntable."),
      .table("pan", \.pan, "The head's pan axis. A positive angle turns the cameras to their left."),
      .table("tilt", \.tilt, "The head's tilt axis. A positive angle raises the view."),
      .tables("lamp", \.lamps, atMost: 8, "Lamps; a file with any replaces them all."),
      .tables("button", \.buttons, atMost: 32, "Buttons and what they do; a file with any replaces them all."),
      .table("signal", \.signal, "The LED and the buzzer that tell a person without a screen what is wanted."),
      .tables("battery", \.batteries, atMost: 8, "Batteries and their gauges; a file with any replaces them all."),
      .table("scan", \.scan, "How a scan is done."),
      .table("power", \.power, "What is done about low batteries. Readings that cannot be right are never acted on."),
      .table("reconstruction", \.reconstruction, "How models are made of sessions."),
      .table("simulation", \.simulation, "The world around devices whose driver is \"simulated\".")
    ]
  }
}
