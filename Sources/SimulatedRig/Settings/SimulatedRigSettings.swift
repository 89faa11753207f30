import Imaging
import Rig

/// Everything that can be said about a simulated world. The defaults are the rig of `config/simulated.toml`.
public struct SimulatedRigSettings: Sendable, Hashable {
  /// The rig's name.
  public var name = "simulated"
  /// Where all chance in the world comes from: two worlds with equal settings differ in nothing but timing.
  public var seed: UInt64 = 1
  /// The geometry the rig is believed to have; the agent sees this one. Its lenses are of the size of `mode`.
  public var geometry = RigGeometry.nominal()
  /// How far the true geometry is off.
  public var errors = GeometryErrors()
  /// The cameras' only format.
  public var mode = CameraMode(width: 1200, height: 1600, previewWidth: 300, previewHeight: 400, framesPerSecond: 30)
  /// The cameras' sensors.
  public var sensor = SensorSettings()
  /// What is to be scanned.
  public var object = SimulatedObject.demo
  /// Whether the object stands on the table when the world begins; if not, the person puts it there when asked.
  public var objectPresent = true
  /// What the person beside the rig does.
  public var person = SimulatedPerson.flipsAndAnswers
  /// How long the person takes to hear a prompt and act, in real time.
  public var reaction = Duration.milliseconds(250)
  /// The turntable.
  public var turntable = AxisSettings.turntable
  /// The head's pan axis; nil for a rig without.
  public var pan: AxisSettings? = AxisSettings.pan
  /// The head's tilt axis; nil for a rig without.
  public var tilt: AxisSettings? = AxisSettings.tilt
  /// The lamps, at most three: to the left, to the right and above. They are off at first.
  public var lamps = ["left", "right"]
  /// Light of the room that no lamp switches, as a share of one lamp's.
  public var roomLight = 0.02
  /// Buttons by number and action.
  public var buttons: [ButtonSettings] = [
    ButtonSettings(id: 1, action: "shutter"), ButtonSettings(id: 2, action: "answer"),
    ButtonSettings(id: 3, action: "stop")
  ]
  /// Batteries.
  public var batteries: [BatterySettings] = [BatterySettings(name: "main")]
  /// What goes wrong, and when.
  public var faults: [SimulatedFault] = []
  /// Whether waiting on the rig's clock costs real time.
  public var pace = ClockPace.jumping
  /// Threads that render; 0 means one for each processor. The pictures do not depend on it.
  public var threads = 0
  /// A PLY file to write the true mesh to, in millimetres in the object frame of the first pass, whenever a scan begins;
  /// poses go to the same name with `.json` added. For measuring only: nothing in the agent reads them.
  public var truthFile: String?

  /// A file that keeps what people have done to the world: built anew with the same object and rig, the world is as it was
  /// left. Without one it begins as it is at first.
  public var memoryFile: String?

  /// The default world.
  public init() {}
}

/// How time passes on the simulated clock.
public enum ClockPace: String, Sendable, Hashable, CaseIterable {
  /// The clock runs along with real time, and what is waited for is there at once: the clock jumps to it.
  case jumping
  /// The clock does nothing but jump: what nobody waits for takes no time, so that two runs are alike.
  case stepped
  /// A second takes a second.
  case realTime = "real-time"
}

/// How far the true geometry of a rig is from the nominal one, as standard deviations unless stated: what is left
/// after a careful calibration.
public struct GeometryErrors: Sendable, Hashable {
  /// Relative error of the focal lengths, common to both cameras and their axes.
  public var focal = 0.001
  /// Error of the principal points, pixels at 1200 columns (scaled with the picture).
  public var principalPoint = 0.8
  /// Error of k1.
  public var distortion = 0.001
  /// Error of p1 and p2.
  public var tangential = 0.0002
  /// Relative error of the baseline; this becomes the error of scale.
  public var baseline = 0.0005
  /// Error of the right camera's direction, degrees about each axis.
  public var stereoAngle = 0.01
  /// Error of where the table's axis stands, millimetres along each direction.
  public var axisPosition = 0.3
  /// Error of the table axis' direction, degrees about each axis.
  public var axisAngle = 0.1
  /// Error of the pan and tilt axes' position, millimetres.
  public var headPosition = 0.5
  /// Error of the pan and tilt axes' direction, degrees.
  public var headAngle = 0.1

  /// A well calibrated rig.
  public init() {}

  /// A rig that is exactly as it is believed to be.
  public static var none: GeometryErrors {
    var e = GeometryErrors()
    e.focal = 0
    e.principalPoint = 0
    e.tangential = 0
    e.distortion = 0
    e.baseline = 0
    e.stereoAngle = 0
    e.axisPosition = 0
    e.axisAngle = 0
    e.headPosition = 0
    e.headAngle = 0
    return e
  }
}

/// The two cameras' sensors.
public struct SensorSettings: Sendable, Hashable {
  /// Full well in electrons: shot noise at gain 1 is the square root of the collected electrons.
  public var fullWell = 8000.0
  /// Read noise in electrons.
  public var readNoise = 4.0
  /// The longest exposure, microseconds.
  public var longestExposure = 33_000.0
  /// The highest analogue gain.
  public var highestGain = 8.0
  /// Frames until a control that was set shows in the metadata.
  public var controlLatency = 2
  /// How much later the right sensor starts, microseconds.
  public var skew = 180.0
  /// Darkening towards the corners: the share of light lost in the corner.
  public var vignetting = 0.08

  /// A small global-shutter sensor.
  public init() {}
}

/// A push button of the world.
public struct ButtonSettings: Sendable, Hashable {
  /// The number scripts name it by.
  public var id: Int
  /// What it does, see `Button.action`.
  public var action: String

  /// A button.
  public init(id: Int, action: String) {
    self.id = id
    self.action = action
  }
}

/// A battery of the world.
public struct BatterySettings: Sendable, Hashable {
  /// Its name.
  public var name: String
  /// Its level at the beginning, 0…1.
  public var level: Double
  /// Share of a full charge lost per hour.
  public var dischargePerHour: Double
  /// Whether it hangs on mains and fills instead.
  public var charging: Bool

  /// A battery that lasts some five hours.
  public init(name: String, level: Double = 0.9, dischargePerHour: Double = 0.2, charging: Bool = false) {
    self.name = name
    self.level = level
    self.dischargePerHour = dischargePerHour
    self.charging = charging
  }
}

/// The person beside the simulated rig.
public enum SimulatedPerson: String, Sendable, Hashable, CaseIterable {
  /// Does what the signal asks for and presses the answer button.
  case flipsAndAnswers = "flips-and-answers"
  /// The same, and starts a scan when the rig is ready, and goes on three times with one that stopped.
  case startsAndAnswers = "starts-and-answers"
  /// Does what the signal asks for; the answer has to come from elsewhere.
  case flips
  /// Nobody is there.
  case absent
}
