import Board
import Imaging
import Rig
import SimulatedRig
import Synchronization

/// Whether a device is plugged in. The test pulls it.
final class Plug: Sendable {
  private let isIn: Mutex<Bool>

  init(isIn: Bool = true) { self.isIn = Mutex(isIn) }

  func pull() { isIn.withLock { $0 = false } }
  func push() { isIn.withLock { $0 = true } }

  /// What the kernel says of a device that is not there.
  func check(_ device: String, _ operation: String) throws(DeviceError) {
    guard isIn.withLock({ $0 }) else {
      throw DeviceError(.absent, device: device, operation: operation, errno: 19, remedy: "plug it in again")
    }
  }
}

/// A real axis behind a plug.
struct PluggedAxis: Axis {
  let axis: any Axis
  let plug: Plug
  var name: String { axis.name }
  var limits: AxisLimits { axis.limits }
  var position: Angle? { get async { await axis.position } }

  func home() async throws(DeviceError) {
    try plug.check(name, "home")
    try await axis.home()
  }
  func move(to target: Angle, speed: Angle?) async throws(DeviceError) {
    try plug.check(name, "move to \(target.inWords)")
    try await axis.move(to: target, speed: speed)
  }
  func spin(velocity: Angle) async throws(DeviceError) {
    try plug.check(name, "spin")
    try await axis.spin(velocity: velocity)
  }
  func stop() async { await axis.stop() }
  func release() async { await axis.release() }
  func check() async throws(DeviceError) { try plug.check(name, "see whether it answers") }
}

/// A line whose chip can be pulled: its edges end then, as those of a line whose descriptor hangs up.
final class PluggedLine: InputLine {
  let name = "button 1"
  private let plug: Plug
  private let streams = Mutex<[AsyncStream<LineEdge>.Continuation]>([])

  init(_ plug: Plug) { self.plug = plug }

  func read() async throws(DeviceError) -> Bool {
    try plug.check(name, "read a line")
    return false
  }

  func edges() async throws(DeviceError) -> AsyncStream<LineEdge> {
    try plug.check(name, "watch the line")
    let (stream, sink) = AsyncStream.makeStream(of: LineEdge.self)
    streams.withLock { $0.append(sink) }
    return stream
  }

  /// An edge for whoever listens; false where nobody does.
  func press(at seconds: Int) -> Bool {
    let streams = streams.withLock { streams in streams.map { $0 } }
    for stream in streams { stream.yield(LineEdge(active: true, at: RigInstant(sinceOrigin: .seconds(seconds)))) }
    return !streams.isEmpty
  }

  func hangUp() {
    for stream in streams.withLock({ streams in streams.map { $0 } }) { stream.finish() }
  }
}

extension Presence {
  /// One whose pauses a test has the patience for.
  static var quick: Presence { Presence(firstPause: .milliseconds(5), longestPause: .milliseconds(20)) }
}

/// The changes of a register, one after the other.
struct Changes {
  private var iterator: AsyncStream<DeviceStatus>.Iterator

  init(of register: DeviceRegister) { iterator = register.changes().makeAsyncIterator() }

  /// The next change to being there, or not; what was told before is passed over.
  mutating func next(isPresent: Bool) async -> DeviceStatus? {
    while let status = await iterator.next() {
      if status.isPresent == isPresent { return status }
    }
    return nil
  }
}

/// What a lamp was set to.
final class LevelsSeen: Sendable {
  private let level = Mutex<Double?>(nil)
  var last: Double? { level.withLock { $0 } }
  func see(_ new: Double) { level.withLock { $0 = new } }
}

/// A lamp behind a plug.
struct PluggedLamp: Lamp {
  let lamp: any Lamp
  let plug: Plug
  let seen: LevelsSeen
  var name: String { lamp.name }

  func set(level: Double) async throws(DeviceError) {
    try plug.check(name, "set the level")
    try await lamp.set(level: level)
    seen.see(level)
  }
}

extension SimulatedRigSettings {
  /// A rig whose pictures cost next to nothing: tiny, and without lamps there are no shadows.
  static var small: SimulatedRigSettings {
    var settings = SimulatedRigSettings()
    settings.mode = CameraMode(width: 96, height: 128, previewWidth: 48, previewHeight: 64, framesPerSecond: 30)
    settings.geometry = RigGeometry.nominal(width: 96, height: 128)
    settings.lamps = []
    settings.roomLight = 1
    settings.reaction = .zero
    return settings
  }
}
