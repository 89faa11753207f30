import CCamera
import CLinux
import Imaging
import Rig
import Synchronization
import Threads

/// Twin cameras through libcamera, in one process and one camera manager. A thread of their own opens them, takes every frame
/// and pairs frames by the sensors' timestamps; pictures are converted on another one.
public final class LibcameraPair: StereoCamera {
  /// The camera pair as the configuration names it.
  public let name = LibcameraPair.device
  /// The configured format.
  public let modes: [CameraMode]
  private let makeSource: @Sendable () -> any TwinSource
  private let state: Shared

  /// The version of libcamera that this was compiled with, e.g. `0.4.0`.
  public static var libraryVersion: String { String(cString: camera_version()) }

  private static let device = "cameras"

  /// What the cameras' thread has in common with callers.
  private final class Shared: Sendable {
    struct State {
      var mailbox: TwinMailbox?
      var statistics: CameraStatistics?
    }
    let state = Mutex(State())
  }

  /// Cameras by a number in libcamera's list, an id, or a part of an id or model; an empty text takes the list's order.
  /// Looks whether they are there, which blocks for some tenths of a second: throws `.absent`, `.denied`, and `.outOfRange`
  /// where it is not clear which are meant.
  public convenience init(_ mode: CameraMode, left: String = "", right: String = "") throws(DeviceError) {
    let looking = LibcameraSource(left: left, right: right, device: Self.device)
    defer { looking.close(wholly: true) }
    let choice = try looking.choose()
    self.init(mode) { LibcameraSource(left: left, right: right, device: Self.device) }
    var found = CameraStatistics()
    found.left = choice.left.id
    found.right = choice.right.id
    state.state.withLock { [found] in $0.statistics = found }
  }

  /// Cameras of any make; `makeSource` is called on the thread that will use what it makes.
  package init(_ mode: CameraMode, makeSource: @escaping @Sendable () -> any TwinSource) {
    modes = [mode]
    self.makeSource = makeSource
    state = Shared()
  }

  deinit {
    // nobody is left who could stop them
    let mailbox = state.state.withLock { $0.mailbox }
    _ = mailbox?.post(.stop(Reply { _ in }))
  }

  private var mode: CameraMode { modes[0] }

  /// How well they keep together; nil where they were never found.
  public var statistics: CameraStatistics? { state.state.withLock { $0.statistics } }

  /// Opens and starts the cameras; returns with the first pair. Throws `.absent`, `.busy` with who has one of them, `.denied`,
  /// `.unsupported` with what they offer, `.timedOut` where no pair comes.
  public func start(_ mode: CameraMode) async throws(DeviceError) {
    let operation = "start \(mode.width)×\(mode.height)"
    guard mode == self.mode else {
      throw DeviceError(
        .unsupported, device: name, operation: operation, remedy: "it offers \(self.mode.width)×\(self.mode.height)")
    }
    let mailbox = try TwinMailbox(device: name)
    let isFree = state.state.withLock { state in
      guard state.mailbox == nil else { return false }
      state.mailbox = mailbox
      return true
    }
    guard isFree else { throw DeviceError(.busy, device: name, operation: operation, remedy: "stop it first") }
    let result: Result<Void, DeviceError> = await withCheckedContinuation { continuation in
      launch(mailbox, Reply { continuation.resume(returning: $0) })
    }
    try result.mapError { $0.operation == "start" ? $0.during(operation) : $0 }.get()
  }

  /// The cameras' thread; the mailbox is forgotten when they are closed.
  private func launch(_ mailbox: TwinMailbox, _ started: Reply<Void>) {
    let (mode, state, makeSource) = (mode, state, makeSource)
    let result = BlockingThread.start("cameras") {
      let past = state.state.withLock { $0.statistics } ?? CameraStatistics()
      let stream = TwinStream(
        device: Self.device, mode: mode, source: makeSource(), mailbox: mailbox, past: past
      ) { statistics in state.state.withLock { $0.statistics = statistics } }
      stream.run(started) { state.state.withLock { $0.mailbox = nil } }
    }
    guard result != 0 else { return }
    state.state.withLock { $0.mailbox = nil }
    started.send(.failure(DeviceError(.faulty, device: name, operation: "start a thread", errno: -result)))
  }

  /// Sets controls on both cameras, manual modes first, and waits until the metadata of both report them; returns what the
  /// left one's do. What the cameras do not have is left out, and nil then. Throws `.outOfRange`, `.timedOut` where a camera
  /// keeps other values.
  public func apply(_ controls: CameraControls) async throws(DeviceError) -> CameraControls {
    try await ask("apply controls") { .apply(controls, $0) }
  }

  /// Lets both lenses focus once, each on a part of its picture, and waits for them: up to five seconds, or as long as 240 frames
  /// take. Nil where one of the cameras has no autofocus. Throws `.cancelled` where controls are applied meanwhile.
  public func focus(left: PictureWindow, right: PictureWindow) async throws(DeviceError) -> LensFocus? {
    try await ask("focus") { .focus([left, right], $0) }
  }

  /// The next pair whose exposure starts after this call, at full size.
  public func capture() async throws(DeviceError) -> StereoPair {
    try await take("capture", width: mode.width, height: mode.height)
  }

  /// The same, shrunk: each pixel is the mean of those it covers.
  public func preview() async throws(DeviceError) -> StereoPair {
    try await take("preview", width: mode.previewWidth, height: mode.previewHeight)
  }

  /// Closes the cameras and opens them again, with libcamera as a whole where one was unplugged; returns with the first pair
  /// that has the controls from before. Throws as `start` does; what is waited for meanwhile is cancelled.
  public func restart() async throws(DeviceError) { try await ask("restart") { .restart($0) } }

  /// Whether the cameras' thread answers; those that are not streaming owe no answer. Throws `.absent` where a camera is gone.
  public func check() async throws(DeviceError) {
    guard state.state.withLock({ $0.mailbox }) != nil else { return }
    try await ask("check") { .check($0) }
  }

  /// Stops streaming and gives the cameras back, so that other programs can have them.
  public func stop() async {
    do throws(DeviceError) { try await ask("stop") { .stop($0) } } catch {
      // they were not streaming
    }
  }

  private func take(_ operation: String, width: Int, height: Int) async throws(DeviceError) -> StereoPair {
    let asked = linux_now()
    let raw: RawPair = try await ask(operation) { .take(asked: asked, operation: operation, $0) }
    let images = await BlockingThread.result("camera-pixels") {
      [raw.left, raw.right].map { half in
        let full = half.picture.rgb()
        return (width, height) == (full.width, full.height) ? full : full.resized(width: width, height: height)
      }
    }
    return StereoPair(
      left: Frame(image: images[0], sensorTimestamp: raw.left.time, controls: raw.left.controls),
      right: Frame(image: images[1], sensorTimestamp: raw.right.time, controls: raw.right.controls))
  }

  /// Hands a command to the cameras' thread and waits for its answer.
  private func ask<Value: Sendable>(
    _ operation: String, _ command: @Sendable (Reply<Value>) -> TwinCommand
  ) async throws(DeviceError) -> Value {
    guard let mailbox = state.state.withLock({ $0.mailbox }) else {
      throw DeviceError(.faulty, device: name, operation: operation, remedy: "start it first")
    }
    let device = name
    let result: Result<Value, DeviceError> = await withCheckedContinuation { continuation in
      let reply = Reply<Value> { continuation.resume(returning: $0) }
      if !mailbox.post(command(reply)) {
        reply.send(.failure(DeviceError(.cancelled, device: device, operation: operation)))
      }
    }
    return try result.get()
  }
}
