/// What stands on the simulated table.
public enum SimulatedObjectName: String, Sendable, Hashable, CaseIterable {
  /// The well-textured, asymmetric one.
  case demo
  /// Hardly any texture.
  case plain
  /// The same from all sides.
  case symmetric
  /// The OBJ file named in `[simulation.model]`.
  case model
}

/// What the person beside a simulated rig does.
public enum SimulatedPersonName: String, Sendable, Hashable, CaseIterable {
  /// What the signal asks for, and presses the answer button.
  case flipsAndAnswers = "flips-and-answers"
  /// The same, starts a scan when the rig is ready, and goes on with one that stopped.
  case startsAndAnswers = "starts-and-answers"
  /// What the signal asks for; somebody else answers.
  case flips
  /// There is nobody.
  case absent
}

/// How waiting on the simulated clock is done.
public enum SimulatedPaceName: String, Sendable, Hashable, CaseIterable {
  /// The clock jumps.
  case jumping
  /// A second takes a second.
  case realTime = "real-time"
}

/// The world around simulated devices.
public struct SimulationConfiguration: Sendable, Hashable {
  /// Where all chance comes from.
  public var seed: UInt64 = 1
  /// What is to be scanned.
  public var object = SimulatedObjectName.demo
  /// The OBJ file, when `object` is `model`.
  public var model = SimulatedModelConfiguration()
  /// Whether it stands on the table from the beginning.
  public var objectPresent = true
  /// The person.
  public var person = SimulatedPersonName.flipsAndAnswers
  /// How long the person takes, in real time.
  public var reaction = Duration.milliseconds(250)
  /// Light no lamp switches, as a share of one lamp's.
  public var roomLight = 0.02
  /// How waiting is done.
  public var pace = SimulatedPaceName.jumping
  /// Threads that render; 0 for all processors.
  public var threads = 0
  /// Where the truth is written, for measuring; nil for nowhere.
  public var truthFile: String?
  /// How far the true rig is from the one configured.
  public var errors = SimulatedErrorsConfiguration()
  /// The cameras' sensors.
  public var sensor = SimulatedSensorConfiguration()
  /// What goes wrong, and when.
  public var faults: [FaultConfiguration] = []

  /// The defaults.
  public init() {}
}

extension SimulationConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value("seed", \.seed, .seed, "Where all chance in the world comes from."),
      .value(
        "object", \.object, .choice,
        "What is to be scanned. \"demo\": well textured, with an underside worth seeing. \"plain\": hardly any texture. "
          + "\"symmetric\": the same from all sides. \"model\": the file named in [simulation.model]."),
      .value(
        "object_present", \.objectPresent, .flag,
        "Whether it stands on the table from the beginning; if not, the person puts it there when asked."),
      .value(
        "person", \.person, .choice,
        "The person beside the rig. \"flips-and-answers\": does what the signal asks for and presses the answer "
          + "button. \"starts-and-answers\": also presses the shutter when the rig is ready, and the answer button, three "
          + "times at most, when a scan stopped. \"flips\": does it, but leaves the answer to the socket. \"absent\": nobody is there."
      ),
      .value("reaction_s", \.reaction, .seconds(0...3600), "How long the person takes to act, in real time."),
      .value("room_light", \.roomLight, .number(0...10), "Light that no lamp switches, as a share of one lamp's."),
      .value(
        "pace", \.pace, .choice,
        "Waiting for a move or an exposure: \"jumping\" takes no time, \"real-time\" as long as on a real rig."),
      .value("threads", \.threads, .whole(0...256), "Threads that render; 0: one for each processor."),
      .optional(
        "truth_file", \.truthFile, .text(limit: 4000),
        "A PLY file to write the true mesh to, for measuring a model with twinrig-bench. The agent never reads it."),
      .table("model", \.model, "The object when it is \"model\": an OBJ file."),
      .table("errors", \.errors, "How far the true rig is from the one configured: standard deviations."),
      .table("sensor", \.sensor, "The cameras' sensors."),
      .tables("fault", \.faults, atMost: 1000, "What goes wrong, and when. Each fault happens once.")
    ]
  }
}

/// The axis of an OBJ file that points up.
public enum SimulatedUpName: String, Sendable, Hashable, CaseIterable {
  /// The second.
  case y
  /// The third.
  case z
}

/// An OBJ file as the object.
public struct SimulatedModelConfiguration: Sendable, Hashable {
  /// The file.
  public var path: String?
  /// Its texture; nil for the one its material names.
  public var texture: String?
  /// The length of the file's unit in millimetres.
  public var unitMillimetres = 1.0
  /// Which of its axes points up.
  public var up = SimulatedUpName.y

  /// The defaults.
  public init() {}
}

extension SimulatedModelConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .optional("path", \.path, .text(limit: 4000), "The Wavefront OBJ file; relative to the file that says so."),
      .optional(
        "texture", \.texture, .text(limit: 4000),
        "Its texture, a PNG or JPEG file; not set: the one picture its materials name."),
      .value(
        "unit_mm", \.unitMillimetres, .number(0.001...10000, unit: "mm"),
        "The length of the file's unit: 10 for centimetres, 1000 for metres."),
      .value("up", \.up, .choice, "Which axis of the file points up when the object stands as it is meant to.")
    ]
  }
}
