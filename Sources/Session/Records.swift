import Imaging

/// The head of a session folder: what was asked for, and the rig as it was believed to be. Written once.
public struct SessionManifest: Sendable, Codable, Hashable {
  /// The version of this format.
  public static let currentFormat = 1

  /// The format's version; a reader refuses a newer one.
  public var format = SessionManifest.currentFormat
  /// The session's name on the socket, e.g. `20261130-0007`.
  public var id: String
  /// What the person called it.
  public var name: String
  /// When it was started, ISO 8601 in UTC.
  public var created: String
  /// The rig's name.
  public var rig: String
  /// The geometry in force, and where it came from: `nominal` or a calibration's date.
  public var geometry: RigGeometry
  /// Where `geometry` came from.
  public var calibration: String
  /// Shots planned for a pass.
  public var shotsPerPass: Int
  /// Passes planned.
  public var passes: Int
  /// The detail level asked for.
  public var detail: String
  /// Whether more is shot than this device will use.
  public var overcapture: Bool

  /// A manifest from its parts.
  public init(
    id: String, name: String, created: String, rig: String, geometry: RigGeometry, calibration: String,
    shotsPerPass: Int, passes: Int, detail: String, overcapture: Bool = false
  ) {
    self.id = id
    self.name = name
    self.created = created
    self.rig = rig
    self.geometry = geometry
    self.calibration = calibration
    self.shotsPerPass = shotsPerPass
    self.passes = passes
    self.detail = detail
    self.overcapture = overcapture
  }
}

/// How a pass came about.
public enum PassKind: String, Sendable, Codable, Hashable {
  /// The first pass.
  case first
  /// The object was turned over by hand: its pose on the table is unknown.
  case flip
  /// The head was set to another height by hand: its pose is unknown, the object's is kept.
  case height
}

/// One pass: everything shot without a person's hand in between.
public struct PassRecord: Sendable, Codable, Hashable {
  /// 1, 2, 3, …
  public var index: Int
  /// How it came about.
  public var kind: PassKind

  /// A pass.
  public init(index: Int, kind: PassKind) {
    self.index = index
    self.kind = kind
  }
}

/// One picture of a pair.
public struct FrameRecord: Sendable, Codable, Hashable {
  /// The file, relative to the session folder.
  public var file: String
  /// Sensor time in nanoseconds.
  public var sensorTimestamp: Int64
  /// Controls read back from the frame's metadata.
  public var controls: CameraReadback
  /// Sharpness of the measured region: see `Imaging`.
  public var sharpness: Double
  /// Mean brightness 0…1.
  public var meanLuma: Double
  /// Share of clipped pixels 0…1.
  public var clipped: Double

  /// A frame's record.
  public init(
    file: String, sensorTimestamp: Int64, controls: CameraReadback, sharpness: Double, meanLuma: Double, clipped: Double
  ) {
    self.file = file
    self.sensorTimestamp = sensorTimestamp
    self.controls = controls
    self.sharpness = sharpness
    self.meanLuma = meanLuma
    self.clipped = clipped
  }
}

/// Exposure, gain, white balance and focus as metadata reported them.
public struct CameraReadback: Sendable, Codable, Hashable {
  /// Exposure time in microseconds.
  public var exposureMicroseconds: Double?
  /// Analogue gain.
  public var gain: Double?
  /// White-balance gains.
  public var redGain: Double?, blueGain: Double?
  /// Lens position in dioptres; nil where the lens is fixed, and in older sessions.
  public var lensPosition: Double?

  /// A read-back.
  public init(
    exposureMicroseconds: Double?, gain: Double?, redGain: Double?, blueGain: Double?, lensPosition: Double? = nil
  ) {
    self.exposureMicroseconds = exposureMicroseconds
    self.gain = gain
    self.redGain = redGain
    self.blueGain = blueGain
    self.lensPosition = lensPosition
  }
}

/// Where the axes stood (as commanded and confirmed).
public struct AxisAngles: Sendable, Codable, Hashable {
  /// Degrees in the file.
  public var turntable: Angle, pan: Angle, tilt: Angle

  /// Angles of all axes.
  public init(turntable: Angle, pan: Angle, tilt: Angle) {
    self.turntable = turntable
    self.pan = pan
    self.tilt = tilt
  }
}

/// One kept stereo pair of the object.
public struct ShotRecord: Sendable, Codable, Hashable {
  /// 1, 2, 3, … over the whole session, never reused.
  public var sequence: Int
  /// The pass it belongs to.
  public var pass: Int
  /// The viewpoint of the pass's plan it serves; nil for a manual shot.
  public var viewpoint: Int?
  /// Where the axes stood.
  public var axes: AxisAngles
  /// The two pictures.
  public var left: FrameRecord, right: FrameRecord

  /// A shot.
  public init(
    sequence: Int, pass: Int, viewpoint: Int?, axes: AxisAngles, left: FrameRecord, right: FrameRecord
  ) {
    self.sequence = sequence
    self.pass = pass
    self.viewpoint = viewpoint
    self.axes = axes
    self.left = left
    self.right = right
  }
}

/// A pair of the empty table, for telling the object from what is always there. The table turns, the room does not:
/// a plate is good for the room at any turntable angle and for the disc at its own.
public struct PlateRecord: Sendable, Codable, Hashable {
  /// Where the axes stood.
  public var axes: AxisAngles
  /// The two pictures, relative to the session folder.
  public var left: String, right: String

  /// A plate.
  public init(axes: AxisAngles, left: String, right: String) {
    self.axes = axes
    self.left = left
    self.right = right
  }
}

/// The metric box around the object in the object frame (see `RigGeometry`), axis-aligned, millimetres.
public struct BoxRecord: Sendable, Hashable {
  /// The pass whose object frame it is in.
  public var pass: Int
  /// Kept as single numbers: a vector of three doubles wants addresses that are multiples of 32, and the compiler
  /// (Swift 6.3.1) reserves too little memory for asynchronous functions that hold an optional of such a thing.
  private var lowest: Corner, highest: Corner
  /// Whether a person set it.
  public var byHand: Bool

  private struct Corner: Sendable, Hashable {
    var x: Double, y: Double, z: Double

    init(_ p: SIMD3<Double>) { (x, y, z) = (p.x, p.y, p.z) }
    var point: SIMD3<Double> { SIMD3(x, y, z) }
  }

  /// The lowest corner.
  public var min: SIMD3<Double> {
    get { lowest.point }
    set { lowest = Corner(newValue) }
  }
  /// The highest corner.
  public var max: SIMD3<Double> {
    get { highest.point }
    set { highest = Corner(newValue) }
  }

  /// A box.
  public init(pass: Int, min: SIMD3<Double>, max: SIMD3<Double>, byHand: Bool) {
    self.pass = pass
    lowest = Corner(min)
    highest = Corner(max)
    self.byHand = byHand
  }
}

extension BoxRecord: Codable {
  private enum Key: CodingKey { case pass, min, max, byHand }

  /// Reads what `encode` writes.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    self.init(
      pass: try values.decode(Int.self, forKey: .pass), min: try values.decode(SIMD3<Double>.self, forKey: .min),
      max: try values.decode(SIMD3<Double>.self, forKey: .max), byHand: try values.decode(Bool.self, forKey: .byHand))
  }

  /// Corners are lists of three numbers.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(pass, forKey: .pass)
    try values.encode(min, forKey: .min)
    try values.encode(max, forKey: .max)
    try values.encode(byHand, forKey: .byHand)
  }
}
