import Imaging
import Rig

/// One motorised axis of the world, as its driver sees it.
actor SimulatedAxis: Axis {
  nonisolated let name: String
  nonisolated let limits: AxisLimits
  private let mechanics: AxisMechanics
  private let clock: SimulatedClock
  private let faults: FaultScript
  private var isHomed = false
  /// What the mechanics count where the axis has its zero, radians: whole turns for an axis that turns without end.
  private var zero = 0.0
  private var command = 0
  private var wait: Task<Void, any Error>?

  init(name: String, mechanics: AxisMechanics, clock: SimulatedClock, faults: FaultScript) {
    self.name = name
    self.mechanics = mechanics
    self.clock = clock
    self.faults = faults
    limits = mechanics.settings.limits
  }

  private var time: Duration { clock.now.sinceOrigin }
  private var acceleration: Double { limits.acceleration.radians }

  var position: Angle? { isHomed ? Angle(radians: mechanics.drive(at: time).position - zero) : nil }

  /// Fast towards the endstop, back off, and slowly onto it from below: backlash always lies on the same side. An axis
  /// that turns without end meets its mark once in every turn, and counts from the one it meets first.
  func home() async throws(DeviceError) {
    let operation = "home"
    command += 1
    let mine = command
    await brake()
    try check(mine, operation)
    if faults.takes(.stall(axis: name)) {
      try await pause(.seconds(10), mine, operation)
      throw DeviceError(
        .timedOut, device: name, operation: operation, remedy: "check the motor's cable and the endstop")
    }
    mechanics.forgetSlip()
    let top = limits.topSpeed.radians
    let turn = 2 * Double.pi
    let mark = limits.range == nil ? (mechanics.drive(at: time).position / turn).rounded() * turn : 0
    for (target, share) in [(mark - 0.0035, 0.5), (mark, 0.1)] {
      try await run(to: target, speed: top * share, mine, operation)
    }
    zero = mark
    isHomed = true
  }

  func move(to target: Angle, speed: Angle?) async throws(DeviceError) {
    let request = try MoveRequest(to: target, speed: speed, of: name, limits: limits)
    let operation = request.operation
    guard isHomed else {
      throw DeviceError(.faulty, device: name, operation: operation, remedy: "home it first")
    }
    command += 1
    let mine = command
    await brake()
    try check(mine, operation)
    faults.noteMove(of: name, at: time)
    if faults.takes(.stall(axis: name)) {
      try await pause(.seconds(2), mine, operation)
      throw DeviceError(
        .faulty, device: name, operation: operation, remedy: "it does not turn: see whether something blocks it")
    }
    if let lost = faults.takesLostSteps(of: name) { mechanics.slip(by: lost) }
    try await run(to: target.radians + zero, speed: request.speed.radians, mine, operation)
  }

  func spin(velocity: Angle) async throws(DeviceError) {
    let operation = "spin at \(velocity.inWords)/s"
    try limits.checkSpin(velocity, of: name)
    command += 1
    let mine = command
    wait?.cancel()
    if mechanics.drive(at: time).velocity * velocity.radians < 0 {
      await brake()
      try check(mine, operation)
    }
    let motion = mechanics.begin(time) {
      .change(
        from: $0, axis: $1, velocity: $2, to: velocity.radians, acceleration: acceleration, at: time)
    }
    try await pause(motion.duration, mine, operation)
  }

  func stop() async {
    command += 1
    await brake()
  }

  func release() async {
    command += 1
    await brake()
  }

  /// Ramps down from whatever it is doing, and waits until it stands.
  private func brake() async {
    wait?.cancel()
    let now = time
    guard mechanics.drive(at: now).velocity != 0 else { return }
    let motion = mechanics.begin(now) {
      .change(from: $0, axis: $1, velocity: $2, to: 0, acceleration: acceleration, at: now)
    }
    let clock = clock
    // who stops an axis gets it stopped, cancelled or not
    await Task.detached { try? await clock.sleep(until: RigInstant(sinceOrigin: motion.end), tolerance: nil) }.value
  }

  private func run(to target: Double, speed: Double, _ mine: Int, _ operation: String) async throws(DeviceError) {
    let now = time
    let motion = mechanics.begin(now) { position, axis, _ in
      .move(from: position, axis: axis, to: target, speed: speed, acceleration: acceleration, at: now)
    }
    try await pause(motion.duration, mine, operation)
  }

  /// Lets so much of the rig's time pass, unless the command is overtaken by another or its task is cancelled.
  private func pause(_ duration: Duration, _ mine: Int, _ operation: String) async throws(DeviceError) {
    let clock = clock
    let end = clock.now.advanced(by: duration)
    let task = Task { try await clock.sleep(until: end, tolerance: nil) }
    wait = task
    let finished = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    try check(mine, operation)
    if case .failure = finished {
      command += 1
      await brake()
      throw DeviceError(.cancelled, device: name, operation: operation)
    }
  }

  private func check(_ mine: Int, _ operation: String) throws(DeviceError) {
    if command != mine { throw DeviceError(.cancelled, device: name, operation: operation) }
  }
}
