import Rig

/// A frame that a camera has finished, in one of its buffers.
package struct CompletedFrame: Sendable {
  /// What became of it.
  package enum Status: Sendable {
    /// It can be used.
    case good
    /// The picture is damaged, its buffer is not.
    case damaged
    /// The pipeline gave it up.
    case cancelled
    /// It is from before the automatics had settled.
    case early
  }

  /// How far a lens is that was asked to focus.
  package enum Focusing: Sendable {
    /// It is looking for it.
    case scanning
    /// The picture is sharp; where the lens stands is in the controls.
    case focused
    /// It has found nothing.
    case failed
  }

  /// The buffer's number.
  package var buffer: Int
  /// What became of it.
  package var status: Status
  /// When it was exposed.
  package var time: FrameTime
  /// What its metadata report; nil where they do not.
  package var controls: CameraControls
  /// What came of the focusing that was asked for last; nil in frames from before that.
  package var focusing: Focusing?

  /// A frame.
  package init(buffer: Int, status: Status, time: FrameTime, controls: CameraControls, focusing: Focusing? = nil) {
    self.buffer = buffer
    self.status = status
    self.time = time
    self.controls = controls
    self.focusing = focusing
  }
}

/// Two cameras as the thread that serves them sees them: frames come in buffers that have to be given back. All calls come
/// from that one thread and may block.
package protocol TwinSource: AnyObject {
  /// Finds both cameras, makes them ours and gives them buffers. Throws `.absent`, `.busy` with who has one, `.denied`,
  /// `.unsupported` with what they offer.
  func open(_ mode: CameraMode) throws(DeviceError)
  /// The cameras' names, left and right; known when open.
  var names: [String] { get }
  /// What both can be set to; known when open.
  var limits: ControlLimits { get }
  /// Starts both, the right one `lag` nanoseconds after the left one.
  func start(_ controls: CameraControls, lag: Int64) throws(DeviceError)
  /// Sets controls of both; they are in force some frames later.
  func set(_ controls: CameraControls)
  /// Lets both lenses focus once, each in its window, left and right, and then keep still until controls are set. Asked only of
  /// cameras that have autofocus.
  func focus(in windows: [PictureWindow])
  /// Waits until there may be a frame, `waker` is readable, or it is later than `deadline` (nanoseconds, CLOCK_MONOTONIC).
  func wait(with waker: Int32, until deadline: Int64)
  /// The next frame of a camera.
  func next(_ side: Side) -> CompletedFrame?
  /// Whether a camera was unplugged.
  func isGone(_ side: Side) -> Bool
  /// The picture in a buffer.
  func copy(_ side: Side, _ buffer: Int) throws(DeviceError) -> RawPicture
  /// Lets a buffer be filled again.
  func giveBack(_ side: Side, _ buffer: Int) throws(DeviceError)
  /// Stops both and gives them back; `wholly`: and forgets which cameras there are.
  func close(wholly: Bool)
}
