import Codecs
import Imaging
import Rig
import Session

/// How this rig scans: what the configuration says, with defaults that suit most rigs.
public struct ScanSettings: Sendable {
  /// The mains' frequency in hertz, 50 or 60: exposures are whole half-waves (10 or 8.333 ms).
  public var mainsHertz = 50.0
  /// Pairs shot at a viewpoint; the sharpest well-exposed one is kept.
  public var burst = 3
  /// How often a viewpoint is shot again when no pair of a burst is good.
  public var retakes = 2
  /// How often the camera is restarted at a viewpoint before the scan pauses.
  public var cameraRestarts = 2
  /// How the pictures are stored.
  public var pictureFormat = PictureFormat.jpeg
  /// Quality of pictures stored as JPEG, 1…100.
  public var jpegQuality = 92
  /// Quality of pictures stored as HEIC, 0…100; not the same scale.
  public var heicQuality = HEIC.usualQuality
  /// The lenses' aperture, focal length over diameter, where it is known.
  public var fNumber: Double?
  /// Distance of the picture's pixels on the sensor in micrometres, where it is known.
  public var pixelPitch: Double?
  /// Where the lenses stand, in dioptres; nil: they focus once before a scan, where they can.
  public var lensPosition: Double?
  /// Lamps during a scan, 0…1.
  public var lampLevel = 1.0
  /// Speed of moves between viewpoints, per second; nil for the axis's top speed.
  public var moveSpeed: Angle?
  /// Head angles during a scan.
  public var pan = Angle.zero
  /// Head angles during a scan.
  public var tilt = Angle.zero
  /// Where the axes go at the end.
  public var parked = Angle.zero
  /// Longest wait for the table and the head to come to rest, on the rig's clock.
  public var settleLimit = Duration.seconds(3)
  /// Frame difference at rest: this many times the noise of two still frames counts as motion.
  public var settleRatio = 1.35
  /// Brightness that automatic exposure aims at for the mean of the picture's middle, 0…1.
  public var targetLuma = 0.42
  /// Longest exposure that is chosen, in microseconds.
  public var longestExposure = 40_000.0
  /// Highest gain that is chosen.
  public var highestGain = 8.0
  /// Gain above which light counts as low.
  public var lowLightGain = 4.0
  /// Mean brightness below which it is too dark even so.
  public var tooDarkLuma = 0.06
  /// Turntable angles at which the empty table is photographed.
  public var plateStops = 3
  /// Whether a person is asked to clear the table when there are no plates for this rig and head.
  public var asksForPlates = true
  /// How long a person may take at a prompt, in real time.
  public var promptTimeout = Duration.seconds(600)
  /// How long one step of the work may take in real time before it counts as hung. Devices have their own, shorter limits.
  public var stepTimeout = Duration.seconds(180)
  /// The camera's format; nil for its best.
  public var mode: CameraMode?
  /// What a scan that is started by a button is asked for.
  public var buttonRequest = ScanRequest()

  /// The usual values.
  public init() {}
}
