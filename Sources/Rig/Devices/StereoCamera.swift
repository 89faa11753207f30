import Imaging

/// A format a camera pair can deliver.
public struct CameraMode: Sendable, Hashable {
  /// Picture size in pixels.
  public var width: Int, height: Int
  /// The viewfinder's size in pixels: a small copy of the same view, cheap to look at often.
  public var previewWidth: Int, previewHeight: Int
  /// Frames a second.
  public var framesPerSecond: Double

  /// A mode from its parts.
  public init(width: Int, height: Int, previewWidth: Int, previewHeight: Int, framesPerSecond: Double) {
    self.width = width
    self.height = height
    self.previewWidth = previewWidth
    self.previewHeight = previewHeight
    self.framesPerSecond = framesPerSecond
  }
}

/// What can be set on both cameras alike, and what a frame's metadata reports back. Nil means: the camera decides.
public struct CameraControls: Sendable, Hashable, Codable {
  /// Exposure time in microseconds.
  public var exposureMicroseconds: Double?
  /// Analogue gain, 1 = none.
  public var gain: Double?
  /// Red and blue gains of the white balance.
  public var redGain: Double?, blueGain: Double?
  /// Lens position in dioptres, where the lens moves.
  public var lensPosition: Double?

  /// Everything automatic unless given.
  public init(
    exposureMicroseconds: Double? = nil, gain: Double? = nil, redGain: Double? = nil, blueGain: Double? = nil,
    lensPosition: Double? = nil
  ) {
    self.exposureMicroseconds = exposureMicroseconds
    self.gain = gain
    self.redGain = redGain
    self.blueGain = blueGain
    self.lensPosition = lensPosition
  }
}

/// One picture in a camera's buffer. Dropping it hands the buffer back, so keep it no longer than needed.
public struct Frame: ~Copyable, Sendable {
  /// The picture.
  public let image: RGBImage
  /// When the sensor started exposing, in nanoseconds on the cameras' common clock.
  public let sensorTimestamp: Int64
  /// The controls that were in force for this very frame, as the metadata reports them.
  public let controls: CameraControls
  private let requeue: @Sendable () -> Void

  /// A frame; `requeue` runs exactly once, when the frame is dropped.
  public init(
    image: RGBImage, sensorTimestamp: Int64, controls: CameraControls, requeue: @escaping @Sendable () -> Void = {}
  ) {
    self.image = image
    self.sensorTimestamp = sensorTimestamp
    self.controls = controls
    self.requeue = requeue
  }

  deinit { requeue() }
}

/// Two frames of the same moment, paired by sensor time.
public struct StereoPair: ~Copyable, Sendable {
  /// The left camera's frame.
  public let left: Frame
  /// The right camera's frame.
  public let right: Frame

  /// A pair of frames.
  public init(left: consuming Frame, right: consuming Frame) {
    self.left = left
    self.right = right
  }

  /// Right minus left sensor time, in nanoseconds.
  public var skew: Int64 { right.sensorTimestamp - left.sensorTimestamp }
}

/// The twin cameras as one device.
public protocol StereoCamera: Sendable {
  /// The camera pair as the configuration names it.
  var name: String { get }
  /// Formats it offers, best first.
  var modes: [CameraMode] { get }
  /// How well the two keep together; nil where that cannot be said.
  var statistics: CameraStatistics? { get }
  /// Starts streaming with automatic controls. Throws `.absent`, `.busy`, `.timedOut`.
  func start(_ mode: CameraMode) async throws(DeviceError)
  /// Sets controls on both cameras and waits until frames report them; returns what the metadata then says.
  func apply(_ controls: CameraControls) async throws(DeviceError) -> CameraControls
  /// Lets each lens focus once on a part of its camera's picture and returns where they then stand, which they keep until the
  /// next `apply`; nil, and nothing done, where there are no lenses that can. A lens that finds no focus in some seconds is no
  /// error. Throws `.cancelled` where controls are applied or the cameras restarted meanwhile.
  func focus(left: PictureWindow, right: PictureWindow) async throws(DeviceError) -> LensFocus?
  /// The next pair whose exposure starts after this call, at full size. Throws `.timedOut` when none comes;
  /// the caller may `restart` and try again.
  func capture() async throws(DeviceError) -> StereoPair
  /// The same at viewfinder size: for settling, detecting and aiming.
  func preview() async throws(DeviceError) -> StereoPair
  /// Tears the pipeline down and builds it up again in the mode and with the controls it had.
  func restart() async throws(DeviceError)
  /// Stops streaming. Never throws and may be called at any time.
  func stop() async
  /// Asks for a sign of life; may be called at any time, also during an exposure, which it does not wait for. Suspends until
  /// whoever drives the cameras has answered: where its thread hangs, for ever. Throws `.absent` where they are gone.
  func check() async throws(DeviceError)
}

extension StereoCamera {
  /// Cameras without a thread of their own always answer.
  public func check() async throws(DeviceError) {}
}

extension StereoCamera {
  /// Lenses that are fixed, or turned by hand, stay as they are.
  public func focus(left: PictureWindow, right: PictureWindow) async throws(DeviceError) -> LensFocus? { nil }
}

extension StereoCamera {
  /// Cameras that cannot be apart have nothing to tell.
  public var statistics: CameraStatistics? { nil }
}
