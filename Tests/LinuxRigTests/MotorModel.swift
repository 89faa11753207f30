import CLinux
import LinuxRig
import Rig
import Synchronization

/// A motor with its driver and a home switch, seen from the driver's pins: counts what a real one would do.
final class MotorModel: StepperPins {
  /// What the driver saw.
  struct Seen {
    /// When each step came, nanoseconds.
    var rises: [Int64] = []
    /// How long each was high.
    var widths: [Int64] = []
    /// From each change of direction to the next step.
    var setUps: [Int64] = []
    /// Where the shaft is, in steps from the switch's edge; it does not turn without current.
    var shaft: Int
    var isEnabled = false
    var isForward = true
    var changedDirection: Int64?
    var losesSteps = false
  }

  private let seen: Mutex<Seen>
  private let timer: any StepTimer
  /// Steps of a turn, where it turns without end: the switch is closed for a tenth of it below the mark.
  private let turn: Int?
  private let hasSwitch: Bool

  init(at shaft: Int, turn: Int?, hasSwitch: Bool = true, timer: any StepTimer = BoardTimer()) {
    seen = Mutex(Seen(shaft: shaft))
    self.turn = turn
    self.hasSwitch = hasSwitch
    self.timer = timer
  }

  /// A copy whose arrays have a storage of their own: the thread sanitizer does not see how arrays are shared.
  var state: Seen {
    seen.withLock { seen in
      var copy = seen
      copy.rises = seen.rises.map { $0 }
      copy.widths = seen.widths.map { $0 }
      copy.setUps = seen.setUps.map { $0 }
      return copy
    }
  }
  func change(_ body: (inout Seen) -> Void) { seen.withLock { body(&$0) } }

  func setStep(_ isHigh: Bool) throws(DeviceError) {
    let now = timer.now
    seen.withLock { seen in
      guard isHigh else {
        if let risen = seen.rises.last { seen.widths.append(now - risen) }
        return
      }
      seen.rises.append(now)
      if let changed = seen.changedDirection { seen.setUps.append(now - changed) }
      seen.changedDirection = nil
      if seen.isEnabled, !seen.losesSteps { seen.shaft += seen.isForward ? 1 : -1 }
    }
  }

  func setDirection(isForward: Bool) throws(DeviceError) {
    let now = timer.now
    seen.withLock { seen in
      if seen.isForward != isForward { seen.changedDirection = now }
      seen.isForward = isForward
    }
  }

  func setEnabled(_ isEnabled: Bool) throws(DeviceError) { seen.withLock { $0.isEnabled = isEnabled } }

  func check() throws(DeviceError) {}

  func isHome() throws(DeviceError) -> Bool? {
    guard hasSwitch else { return nil }
    return seen.withLock { seen in
      guard let turn else { return seen.shaft <= 0 }
      let within = ((seen.shaft % turn) + turn) % turn
      return within == 0 || within > turn - turn / 10
    }
  }
}

/// A motor whose chip can be made to hang: whoever drives a line waits until it is let go.
final class HangingMotor: StepperPins {
  private let motor: MotorModel
  private let hangs = Mutex(false)
  private let lateness = Mutex<Int64>(0)
  private let isStuck = Mutex(false)

  init(_ motor: MotorModel) { self.motor = motor }

  /// Whether somebody waits for it now.
  var holdsSomebodyUp: Bool { isStuck.withLock { $0 } }
  /// Makes every step take so long.
  func delay(by time: Duration) { lateness.withLock { $0 = Int64(time / .nanoseconds(1)) } }
  func hang(_ isSo: Bool) { hangs.withLock { $0 = isSo } }

  private func wait() {
    while hangs.withLock({ $0 }) {
      isStuck.withLock { $0 = true }
      linux_sleep_until(linux_now() + 1_000_000)
    }
    isStuck.withLock { $0 = false }
  }

  func setStep(_ isHigh: Bool) throws(DeviceError) {
    wait()
    linux_sleep_until(linux_now() + lateness.withLock { $0 })
    try motor.setStep(isHigh)
  }
  func setDirection(isForward: Bool) throws(DeviceError) { try motor.setDirection(isForward: isForward) }
  func setEnabled(_ isEnabled: Bool) throws(DeviceError) { try motor.setEnabled(isEnabled) }
  func isHome() throws(DeviceError) -> Bool? { try motor.isHome() }
  func check() throws(DeviceError) { wait() }
}

/// Time that passes only when somebody sleeps, and then a little more than asked for, as `lateness` says.
final class SteppedTime: StepTimer {
  private let moment = Mutex<Int64>(0)
  private let lateness: @Sendable (_ sleep: Int) -> Int64
  private let sleeps = Mutex(0)

  init(lateness: @escaping @Sendable (_ sleep: Int) -> Int64 = { _ in 0 }) { self.lateness = lateness }

  var now: Int64 { moment.withLock { $0 } }

  func sleep(until wanted: Int64) {
    let count = sleeps.withLock { count in
      count += 1
      return count
    }
    let late = lateness(count)
    moment.withLock { $0 = max($0, wanted + late) }
  }
}
