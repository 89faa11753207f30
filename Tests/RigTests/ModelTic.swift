import Rig

/// A Pololu Tic with a motor, as the user's guide describes it: it ramps, counts, forgets, and stops when nobody speaks to
/// it for a second.
actor ModelTic: I2CBus {
  nonisolated let name = "i2c-7"
  private let clock: any RigClock
  private var motion = Motion.standing(at: 0)
  private var began = Duration.zero
  private var switchedOn = Duration.zero
  private var fed = Duration.zero
  private var errors: UInt16 = 0x81  // de-energised, and safe start
  private var isUncertain = true
  private var homing: Duration?
  private var topSpeed = 1.0
  private var acceleration = 1.0
  private(set) var commands: [[UInt8]] = []
  private var failing: (command: UInt8, kind: DeviceError.Kind)?

  /// When a search for the limit switch ends; nil for never.
  var searchTime: Duration? = .seconds(3)
  /// A motor that does not turn.
  var isBlocked = false
  /// Errors that do not go away by commands, as the user's guide numbers their bits.
  var lastingErrors: UInt16 = 0

  private enum Motion {
    case standing(at: Double)
    case to(TrapezoidProfile)
    case turning(from: Double, velocity: Double, to: Double, acceleration: Double)
  }

  init(clock: any RigClock) { self.clock = clock }

  func set(searchTime: Duration?) { self.searchTime = searchTime }
  func block() { isBlocked = true }
  func set(lastingErrors: UInt16) { self.lastingErrors = lastingErrors }
  /// From now on transactions that begin with this command fail.
  func fail(_ command: UInt8, with kind: DeviceError.Kind) { failing = (command, kind) }

  /// Power off and on again: everything is forgotten.
  func restart() {
    motion = .standing(at: 0)
    switchedOn = now
    errors = 0x81
    isUncertain = true
  }

  /// Lets go of the motor on its own, as for an over-heated driver.
  func letGo() {
    settle()
    stand()
    errors |= 0x01
    isUncertain = true
  }

  private var now: Duration { clock.now.sinceOrigin }
  private var time: Double { (now - began) / .seconds(1) }

  func transact(address: UInt8, _ messages: [I2CMessage]) async throws(DeviceError) -> [[UInt8]] {
    guard address == 0x0E, case .write(let bytes) = messages.first, let command = bytes.first else {
      throw DeviceError(.absent, device: name, operation: "transact")
    }
    if let failing, failing.command == command { throw DeviceError(failing.kind, device: name, operation: "transact") }
    settle()
    if command == 0xA1, messages.count == 2, case .read(let count) = messages[1], count <= 15 {
      let offset = Int(bytes[1])
      return [Array(variables[offset..<(offset + count)])]
    }
    commands.append(bytes)
    obey(command, bytes)
    return []
  }

  private func obey(_ command: UInt8, _ bytes: [UInt8]) {
    let value = bytes.count == 5 ? Int32(bitPattern: bytes[1...].reversed().reduce(0) { $0 << 8 | UInt32($1) }) : 0
    switch command {
    case 0x83: errors &= ~0x80
    case 0x85: errors &= ~0x01
    case 0x86: letGo()
    case 0x89: halt(at: position, isCertain: false)
    case 0x8C: feed()
    case 0x97: search()
    case 0xE0: feed { self.aim(at: Double(value)) }
    case 0xE3: feed { self.turn(at: Double(value) / 10_000) }
    case 0xE6: topSpeed = Double(value) / 10_000
    case 0xE9, 0xEA: acceleration = Double(value) / 100
    case 0xEC: halt(at: Double(value), isCertain: true)
    default: break
    }
  }

  private func feed(_ then: () -> Void = {}) {
    fed = now
    errors &= ~0x40
    then()
  }

  private func aim(at target: Double) {
    guard allErrors == 0 else { return }
    let profile = TrapezoidProfile(
      from: position, velocity: velocity, to: target, topSpeed: topSpeed, acceleration: acceleration)
    begin(.to(profile))
  }

  private func turn(at wanted: Double) {
    guard allErrors == 0 else { return }
    begin(.turning(from: position, velocity: velocity, to: wanted, acceleration: acceleration))
  }

  private func search() {
    guard allErrors == 0 else { return }
    isUncertain = true
    homing = searchTime.map { now + $0 } ?? .seconds(1_000_000_000)
    turn(at: topSpeed / 2)
  }

  private func halt(at position: Double, isCertain: Bool) {
    begin(.standing(at: position))
    isUncertain = !isCertain
    homing = nil
  }

  private func begin(_ next: Motion) {
    motion = next
    began = now
  }

  private func stand() { begin(.standing(at: position)) }

  /// What has come about by itself since the last transaction.
  private func settle() {
    if let end = homing, now >= end {
      halt(at: 0, isCertain: true)
    }
    if now - fed > .seconds(1), errors & 0x41 == 0 {
      errors |= 0x40
      homing = nil
      begin(.to(TrapezoidProfile(stoppingFrom: position, velocity: velocity, acceleration: acceleration)))
    }
    if lastingErrors != 0 {
      homing = nil
      stand()
    }
  }

  private var position: Double {
    switch motion {
    case .standing(let x): return x
    case .to(let profile): return isBlocked ? profile.start : profile.position(at: time)
    case .turning(let x, let v, let wanted, let a):
      let ramp = abs(wanted - v) / a
      let t = min(time, ramp)
      return isBlocked ? x : x + (v + (wanted < v ? -a : a) * t / 2) * t + wanted * max(0, time - ramp)
    }
  }

  private var velocity: Double {
    if isBlocked { return 0 }
    switch motion {
    case .standing: return 0
    case .to(let profile): return profile.velocity(at: time)
    case .turning(_, let v, let wanted, let a):
      return time >= abs(wanted - v) / a ? wanted : v + (wanted < v ? -a : a) * time
    }
  }

  private var allErrors: UInt16 { errors | lastingErrors }

  private var variables: [UInt8] {
    var all = [UInt8](repeating: 0, count: 64)
    func put(_ offset: Int, _ value: UInt32, _ count: Int) {
      for i in 0..<count { all[offset + i] = UInt8(truncatingIfNeeded: value >> (8 * i)) }
    }
    put(0x00, allErrors == 0 ? 10 : allErrors & 1 != 0 ? 2 : 4, 1)
    put(0x01, (errors & 1 == 0 ? 1 : 0) | (isUncertain ? 2 : 0) | (homing != nil ? 16 : 0), 1)
    put(0x02, UInt32(allErrors), 2)
    put(0x22, UInt32(bitPattern: Int32(position.rounded())), 4)
    put(0x26, UInt32(bitPattern: Int32((velocity * 10_000).rounded())), 4)
    put(0x35, UInt32((now - switchedOn) / .milliseconds(1)), 4)
    return all
  }
}
