import CCamera
import CLinux
import Rig

#if canImport(Glibc)
  import Glibc
#endif

/// Two cameras of libcamera. Lives on one thread.
final class LibcameraSource: TwinSource {
  private let device: String
  private let left: String, right: String
  private var hub: OpaquePointer?
  private var cameras: [OpaquePointer] = []
  private var layouts: [PictureLayout] = []
  private(set) var names: [String] = []
  private(set) var limits = ControlLimits()

  /// Four is what keeps a pipeline busy while one is read and one waits for its twin.
  private static let bufferCount: UInt32 = 4

  /// Cameras by what the configuration calls them.
  init(left: String, right: String, device: String) {
    self.left = left
    self.right = right
    self.device = device
  }

  deinit { close(wholly: true) }

  /// Which two cameras of those that libcamera lists now are meant.
  func choose() throws(DeviceError) -> CameraChoice {
    let hub = try openHub()
    var listed: [ListedCamera] = []
    for index in 0..<camera_hub_count(hub) {
      var description = camera_description()
      guard camera_hub_describe(hub, index, &description) == 0 else { continue }
      listed.append(
        ListedCamera(
          id: withUnsafeBytes(of: description.id) { Self.text($0) },
          model: withUnsafeBytes(of: description.model) { Self.text($0) }))
    }
    if listed.isEmpty, let refusal = CameraNodes.refusal {
      throw DeviceError(.denied, device: device, operation: "find the cameras", errno: EACCES, remedy: refusal)
    }
    return try CameraChoice(left: left, right: right, among: listed, device: device)
  }

  func open(_ mode: CameraMode) throws(DeviceError) {
    let choice = try choose()
    let hub = try openHub()
    names = [choice.left.id, choice.right.id]
    var wanted = camera_mode(
      width: UInt32(mode.width), height: UInt32(mode.height), buffers: Self.bufferCount,
      frame_ns: Int64(1e9 / mode.framesPerSecond))
    for listed in [choice.left, choice.right] {
      var opened: OpaquePointer?
      let (result, why) = Self.explained { camera_open(hub, listed.id, &wanted, &opened, $0, $1) }
      guard result == 0, let opened else {
        close(wholly: result == -ENODEV)
        throw failure("open \(listed.text) at \(mode.width)×\(mode.height)", -result, why)
      }
      cameras.append(opened)
      layouts.append(Self.layout(of: opened))
    }
    limits = Self.limits(of: cameras)
  }

  func start(_ controls: CameraControls, lag: Int64) throws(DeviceError) {
    var raw = camera_controls(controls)
    for (camera, name) in zip(cameras, names) {
      if lag > 0, camera == cameras.last { linux_sleep_until(linux_now() + lag) }
      let (result, why) = Self.explained { camera_start(camera, &raw, $0, $1) }
      guard result == 0 else { throw failure("start \"\(name)\"", -result, why) }
    }
  }

  func set(_ controls: CameraControls) {
    var raw = camera_controls(controls)
    for camera in cameras { _ = camera_set(camera, &raw) }
  }

  func focus(in windows: [PictureWindow]) {
    for (camera, window) in zip(cameras, windows) {
      var raw = camera_window(x: window.x, y: window.y, width: window.width, height: window.height)
      _ = camera_focus(camera, &raw)
    }
  }

  func wait(with waker: Int32, until deadline: Int64) {
    // closed cameras have no frames, but there may be commands; poll passes over negative descriptors
    var entries = [
      linux_poll_entry(descriptor: waker, wanted: Int16(LINUX_POLL_IN), got: 0),
      linux_poll_entry(descriptor: hub.map(camera_hub_descriptor) ?? -1, wanted: Int16(LINUX_POLL_IN), got: 0)
    ]
    let left = max(0, deadline - linux_now())
    linux_poll(&entries, entries.count, Int32(clamping: (left + 999_999) / 1_000_000))
    if entries[1].got != 0, let hub { camera_hub_clear(hub) }
  }

  func next(_ side: Side) -> CompletedFrame? {
    var frame = camera_frame()
    guard cameras.count == 2, camera_next(cameras[side.rawValue], &frame) == 1 else { return nil }
    let status: CompletedFrame.Status =
      switch Int(frame.status) {
      case Int(CAMERA_FRAME_GOOD.rawValue): .good
      case Int(CAMERA_FRAME_DAMAGED.rawValue): .damaged
      case Int(CAMERA_FRAME_EARLY.rawValue): .early
      default: .cancelled
      }
    let time = FrameTime(
      sensor: frame.sensor_ns, buffer: frame.buffer_ns, monotonicArrival: frame.arrival_monotonic_ns,
      bootArrival: frame.arrival_boot_ns)
    return CompletedFrame(
      buffer: Int(frame.buffer), status: status, time: time, controls: CameraControls(frame.controls),
      focusing: Self.focusing(frame.focus))
  }

  func isGone(_ side: Side) -> Bool { cameras.count == 2 && camera_is_gone(cameras[side.rawValue]) == 1 }

  func copy(_ side: Side, _ buffer: Int) throws(DeviceError) -> RawPicture {
    let layout = layouts[side.rawValue]
    var result: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: layout.byteCount) { target, count in
      result = camera_copy(cameras[side.rawValue], Int32(buffer), target.baseAddress, target.count)
      count = result == 0 ? layout.byteCount : 0
    }
    guard result == 0 else { throw failure("read a picture of \"\(names[side.rawValue])\"", -result, "") }
    return RawPicture(layout: layout, bytes: bytes)
  }

  func giveBack(_ side: Side, _ buffer: Int) throws(DeviceError) {
    let result = camera_give_back(cameras[side.rawValue], Int32(buffer))
    guard result == 0 else { throw failure("give a buffer back to \"\(names[side.rawValue])\"", -result, "") }
  }

  func close(wholly: Bool) {
    for camera in cameras { camera_close(camera) }
    cameras = []
    layouts = []
    if wholly, let hub {
      camera_hub_close(hub)
      self.hub = nil
    }
  }

  private func openHub() throws(DeviceError) -> OpaquePointer {
    if let hub { return hub }
    var opened: OpaquePointer?
    let (result, why) = Self.explained { camera_hub_open(&opened, $0, $1) }
    guard result == 0, let opened else { throw failure("start libcamera", -result, why) }
    hub = opened
    return opened
  }

  private func failure(_ operation: String, _ number: Int32, _ why: String) -> DeviceError {
    let kind: DeviceError.Kind =
      switch number {
      case EBUSY: .busy
      case ENODEV, ENXIO: .absent
      case EACCES, EPERM: .denied
      case ENOTSUP: .unsupported
      case ETIMEDOUT: .timedOut
      default: .faulty
      }
    var remedy = why
    if kind == .busy, let holders = CameraNodes.holders { remedy = "\(holders); end that first" }
    if kind == .denied, let refusal = CameraNodes.refusal { remedy = refusal }
    return DeviceError(kind, device: device, operation: operation, errno: number, remedy: remedy.isEmpty ? nil : remedy)
  }
}
