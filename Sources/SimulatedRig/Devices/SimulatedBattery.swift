import Rig
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// A battery and the chip that gauges it.
final class SimulatedBattery: PowerSupply {
  let name: String
  let source = "simulated"
  private let settings: BatterySettings
  private let clock: SimulatedClock
  private let faults: FaultScript
  private let state: Mutex<State>

  private struct State {
    var random: SeededRandom
    var silentUntil = Duration.zero
  }

  init(_ settings: BatterySettings, clock: SimulatedClock, faults: FaultScript, seed: UInt64) {
    name = settings.name
    self.settings = settings
    self.clock = clock
    self.faults = faults
    state = Mutex(State(random: SeededRandom(seed: seed, stream: "battery " + settings.name)))
  }

  func read() async throws(DeviceError) -> PowerReading {
    let now = clock.now.sinceOrigin
    if let silence = faults.takesSilence(of: name) { state.withLock { $0.silentUntil = now + silence } }
    let (isSilent, jitter) = state.withLock { ($0.silentUntil > now, $0.random.normal(0.001)) }
    if isSilent {
      throw DeviceError(
        .absent, device: name, operation: "read the gauge", errno: ENXIO, remedy: "check the gauge's cable")
    }
    let rate = settings.charging ? 0.5 : -settings.dischargePerHour
    let level = min(1, max(0, settings.level + rate * now.inSeconds / 3600))
    // a lithium cell: flat in the middle, steep at the end
    let volts = 3.0 + 0.75 * (1 - exp(-14 * level)) + 0.42 * level + jitter
    let state: PowerReading.State = !settings.charging ? .discharging : level >= 1 ? .full : .charging
    if faults.takes(.gaugeReadsZero(name: name)) { return PowerReading(level: 0, state: state, volts: volts) }
    return PowerReading(level: (level * 256).rounded() / 256, state: state, volts: volts)
  }
}
