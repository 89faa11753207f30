import Imaging
import Rig
import Synchronization

/// Sees what a scan does to the rig's lamps, motors and signal, which the devices do not tell.
final class RigWatch: Sendable {
  private struct State {
    var lamps: [String: Double] = [:]
    var powered: Set<String> = []
    var patterns: [SignalPattern] = []
  }
  private let state = Mutex(State())

  /// What the LED and the buzzer showed.
  var patterns: [SignalPattern] { state.withLock { $0.patterns } }
  /// Whether any lamp is on.
  var isLit: Bool { state.withLock { $0.lamps.values.contains { $0 > 0 } } }
  /// Axes whose motor has power.
  var powered: Set<String> { state.withLock { $0.powered } }

  /// The rig with every such device watched.
  func watched(_ rig: CaptureRig) -> CaptureRig {
    var rig = rig
    rig.turntable = WatchedAxis(inner: rig.turntable, watch: self)
    rig.pan = rig.pan.map { WatchedAxis(inner: $0, watch: self) }
    rig.tilt = rig.tilt.map { WatchedAxis(inner: $0, watch: self) }
    rig.lamps = rig.lamps.map { WatchedLamp(inner: $0, watch: self) }
    rig.signal = rig.signal.map { WatchedSignal(inner: $0, watch: self) }
    return rig
  }

  fileprivate func power(_ axis: String, _ on: Bool) {
    state.withLock { state in
      if on { state.powered.insert(axis) } else { state.powered.remove(axis) }
    }
  }
  fileprivate func set(_ lamp: String, _ level: Double) { state.withLock { $0.lamps[lamp] = level } }
  fileprivate func show(_ pattern: SignalPattern) { state.withLock { $0.patterns.append(pattern) } }
}

private struct WatchedAxis: Axis {
  let inner: any Axis
  let watch: RigWatch
  var name: String { inner.name }
  var limits: AxisLimits { inner.limits }
  var position: Angle? { get async { await inner.position } }

  func home() async throws(DeviceError) {
    watch.power(name, true)
    try await inner.home()
  }
  func move(to target: Angle, speed: Angle?) async throws(DeviceError) {
    watch.power(name, true)
    try await inner.move(to: target, speed: speed)
  }
  func spin(velocity: Angle) async throws(DeviceError) {
    watch.power(name, true)
    try await inner.spin(velocity: velocity)
  }
  func stop() async { await inner.stop() }
  func release() async {
    await inner.release()
    watch.power(name, false)
  }
}

private struct WatchedLamp: Lamp {
  let inner: any Lamp
  let watch: RigWatch
  var name: String { inner.name }

  func set(level: Double) async throws(DeviceError) {
    try await inner.set(level: level)
    watch.set(name, level)
  }
}

private struct WatchedSignal: Signal {
  let inner: any Signal
  let watch: RigWatch

  func show(_ pattern: SignalPattern) async {
    watch.show(pattern)
    await inner.show(pattern)
  }
}
