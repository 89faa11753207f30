import Imaging

/// A stepper behind a Pololu Tic as an axis.
///
/// The Tic ramps and counts the steps itself; the driver tells it where to go and watches. While it watches, it keeps
/// resetting the Tic's command timeout, so that a motor whose agent has died stops within a second. Between moves the
/// timeout passes, which is as it should be: the motor holds (unless the Tic's settings say otherwise), and the next move
/// begins by clearing it. The Tic must be set to the control mode “Serial/I2C/USB”. It stretches the bus's clock, which
/// boards before the Raspberry Pi 5 do not bear on their own controller: Pololu advises the overlay `i2c-gpio` there.
public actor TicAxis: Axis {
  /// Where the axis gets its origin from.
  public enum Origin: Sendable, Hashable {
    /// Wherever it stands when it is homed: for a table that may begin anywhere.
    case whereItStands
    /// A limit switch wired to the Tic and set up there, in the direction of rising or falling positions.
    case limitSwitch(forward: Bool)
  }

  /// The axis as the configuration names it.
  public nonisolated let name: String
  /// What it may be asked for.
  public nonisolated let limits: AxisLimits
  private let tic: Tic
  private let drive: TicDrive
  private let clock: any RigClock
  private let scale: TicScale
  private let origin: Origin
  private let homingLimit: Duration
  private var isHomed = false
  private var wasReleased = false
  private var lastPosition = Angle.zero
  private var lastUp = TicUpTime(seconds: 0, at: RigInstant(sinceOrigin: .zero))
  private var command = 0
  /// Whether the Tic was told to move and not seen standing since.
  private var mayMove = false
  private var running: Task<Result<Void, DeviceError>, Never>?
  private var braking: Task<Void, Never>?
  private var keeper: Task<Void, Never>?

  /// An axis. Nothing is sent before it is used. `microstepsPerDegree` is negative where rising positions of the Tic turn
  /// the other way; homing may take `homingLimit`. Throws `.outOfRange` for limits that the Tic cannot keep.
  public init(
    name: String, bus: any I2CBus, address: UInt8 = 0x0E, clock: any RigClock, limits: AxisLimits,
    microstepsPerDegree: Double, origin: Origin = .whereItStands, homingLimit: Duration = .seconds(60)
  ) throws(DeviceError) {
    self.name = name
    self.clock = clock
    self.limits = limits
    self.origin = origin
    self.homingLimit = homingLimit
    tic = Tic(chip: AddressedChip(device: name, model: "Tic", bus: bus, address: address))
    drive = TicDrive(tic: tic, clock: clock)
    guard limits.areUsable, let scale = TicScale(microstepsPerDegree: microstepsPerDegree, limits: limits) else {
      throw DeviceError(
        .outOfRange, device: name, operation: "set up the stepper",
        remedy: "a Tic makes up to 50 000 microsteps a second, and needs a speed and an acceleration of at least one")
    }
    self.scale = scale
  }

  /// Where the Tic counts that the axis is; where it was last seen while the Tic does not answer; nil before it has been
  /// homed.
  public var position: Angle? {
    get async {
      guard isHomed else { return nil }
      if let seen = try? await tic.motion(during: "read the position") { lastPosition = scale.angle(seen.position) }
      return isHomed ? lastPosition : nil
    }
  }

  /// Finds the origin, or takes where it stands for it. Throws `.timedOut` when the switch is not found in time, `.faulty`
  /// with the Tic's errors in words, what the bus throws, and `.cancelled` after a `stop()` or another command.
  public func home() async throws(DeviceError) {
    try await perform("home") { () async throws(DeviceError) in try await self.findOrigin() }
  }

  /// Moves and stops there. Throws `.outOfRange`, `.faulty` before it has been homed, after the Tic has lost its position
  /// and with the Tic's errors in words, `.timedOut` when it takes much longer than it should, what the bus throws, and
  /// `.cancelled` after a `stop()` or another command.
  public func move(to target: Angle, speed: Angle?) async throws(DeviceError) {
    let request = try MoveRequest(to: target, speed: speed, of: name, limits: limits)
    let operation = request.operation
    guard let steps = scale.position(target) else {
      throw DeviceError(
        .outOfRange, device: name, operation: operation, remedy: "home it again: a Tic counts to 2³¹ microsteps")
    }
    try requireHomed(operation)
    try await perform(operation) { () async throws(DeviceError) in try await self.go(to: steps, request) }
  }

  /// Turns at a constant velocity until `stop()`; returns once it is reached. Throws `.outOfRange`, `.unsupported` on an
  /// axis with a range, `.faulty` before it has been homed and with the Tic's errors in words, what the bus throws, and
  /// `.cancelled` after a `stop()` or another command.
  public func spin(velocity: Angle) async throws(DeviceError) {
    let operation = "spin at \(velocity.inWords)/s"
    try limits.checkSpin(velocity, of: name)
    try requireHomed(operation)
    let mine = try await perform(operation) { () async throws(DeviceError) in
      try await self.turn(at: velocity, operation)
    }
    keep(mine, operation)
  }

  /// Ramps down and goes on holding.
  public func stop() async {
    command += 1
    await brake()
  }

  /// Ramps down and lets go: no current in the motor. Who turns it by hand then does so unnoticed.
  public func release() async {
    command += 1
    let mine = command
    await brake()
    guard command == mine else { return }
    wasReleased = true
    try? await tic.send(.deEnergize, during: "let go")
  }

  /// Asks the Tic for a sign of life. Throws `.absent` where none answers.
  public func check() async throws(DeviceError) { _ = try await tic.motion(during: "see whether it answers") }

  // MARK: - One command after the other

  /// Stops what is under way, then runs a command's body in a task that whoever overtakes it can end. Where it fails
  /// without having been overtaken, the motor is stopped before the error is told. Returns the command's number.
  @discardableResult private func perform(
    _ operation: String, _ body: @escaping @Sendable () async throws(DeviceError) -> Void
  ) async throws(DeviceError) -> Int {
    command += 1
    let mine = command
    await brake()
    try check(mine, operation)
    let task = Task { () async -> Result<Void, DeviceError> in
      do throws(DeviceError) {
        try await body()
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    running = task
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    try check(mine, operation)
    if case .failure(let error) = result {
      command += 1
      await brake()
      throw error
    }
    return mine
  }

  private func check(_ mine: Int, _ operation: String) throws(DeviceError) {
    if command != mine { throw DeviceError(.cancelled, device: name, operation: operation) }
  }

  private func requireHomed(_ operation: String) throws(DeviceError) {
    if !isHomed { throw DeviceError(.faulty, device: name, operation: operation, remedy: "home it first") }
  }

  // MARK: - The bodies

  private func findOrigin() async throws(DeviceError) {
    let operation = "home"
    try await start(limits.topSpeed, operation)
    isHomed = false
    switch origin {
    case .whereItStands:
      try await tic.send(.haltAndSetPosition, 0, during: operation)
    case .limitSwitch(let forward):
      mayMove = true
      try await drive.search(forward: forward, limit: homingLimit, during: operation)
      mayMove = false
    }
    lastUp = try await upTime(operation)
    lastPosition = .zero
    wasReleased = false
    isHomed = true
  }

  private func go(to steps: Int32, _ request: MoveRequest) async throws(DeviceError) {
    let operation = request.operation
    try await checkPosition(operation)
    try await start(request.speed, operation)
    let began = try await tic.motion(during: operation).position
    let limit = scale.patience(from: began, to: steps, speed: request.speed, limits: limits)
    try drive.checkNotCancelled(operation)
    mayMove = true
    try await tic.send(.targetPosition, steps, during: operation)
    try await drive.wait(limit: limit, during: operation) { $0.position == steps && $0.velocity == 0 }
    mayMove = false
    lastPosition = scale.angle(steps)
  }

  private func turn(at velocity: Angle, _ operation: String) async throws(DeviceError) {
    try await checkPosition(operation)
    try await start(limits.topSpeed, operation)
    let wanted = scale.velocity(velocity)
    try drive.checkNotCancelled(operation)
    mayMove = true
    try await tic.send(.targetVelocity, wanted, during: operation)
    try await drive.wait(limit: brakingLimit, during: operation) { $0.velocity == wanted }
  }

  /// Feeds a Tic that spins on its own until another command comes.
  private func keep(_ mine: Int, _ operation: String) {
    let drive = drive
    let clock = clock
    keeper = Task {
      while !Task.isCancelled, self.command == mine {
        // a Tic that has stopped for an error says so to the next command
        guard (try? await drive.feed(during: operation)) != nil else { return }
        try? await clock.sleep(for: .milliseconds(200))
      }
    }
  }

  private func start(_ speed: Angle, _ operation: String) async throws(DeviceError) {
    try await drive.start(
      topSpeed: scale.speed(speed), acceleration: scale.acceleration(limits.acceleration), during: operation)
    try drive.checkNotCancelled(operation)
  }

  /// The Tic may have been without power since it was homed, or let go of the motor on its own. When it was us who let
  /// go, the position is taken for what it was: setting it clears the flag that says it is uncertain.
  private func checkPosition(_ operation: String) async throws(DeviceError) {
    let up = try await upTime(operation)
    let flags = try await tic.status(during: operation).flags
    let isLost = up.hasRestarted(since: lastUp) || (flags.contains(.positionUncertain) && !wasReleased)
    if isLost {
      isHomed = false
      throw tic.chip.fault(operation, "it was without power or let go of the motor meanwhile: home it again")
    }
    lastUp = up
    guard wasReleased else { return }
    let position = try await tic.motion(during: operation).position
    try await tic.send(.haltAndSetPosition, position, during: operation)
    wasReleased = false
  }

  private func upTime(_ operation: String) async throws(DeviceError) -> TicUpTime {
    let milliseconds = try await tic.upTime(during: operation)
    return TicUpTime(seconds: Double(milliseconds) / 1000, at: clock.now)
  }

  // MARK: - Stopping

  /// Twice the time that the top speed takes to rise or fall, and a second.
  private var brakingLimit: Duration {
    .seconds(2 * limits.topSpeed.radians / limits.acceleration.radians + 1)
  }

  /// Ramps down from whatever it is doing, and waits until it stands; a second one waits for the first. In a task of its
  /// own: who stops an axis gets it stopped, cancelled or not.
  private func brake() async {
    keeper?.cancel()
    running?.cancel()
    let task = braking ?? Task { await self.rampDown() }
    braking = task
    await task.value
    if braking == task { braking = nil }
  }

  private func rampDown() async {
    let operation = "stop"
    // what it has on the way to the Tic must not come after the order to stop
    _ = await running?.value
    do throws(DeviceError) {
      // an earlier agent may have left it turning
      if !mayMove, try await tic.motion(during: operation).velocity == 0 { return }
      try await drive.rampDown(limit: brakingLimit, during: operation)
      mayMove = false
    } catch {
      guard mayMove else { return }
      // a halt may lose steps, but a motor that runs on is worse
      mayMove = false
      isHomed = false
      try? await tic.send(.haltAndHold, during: operation)
    }
  }
}
