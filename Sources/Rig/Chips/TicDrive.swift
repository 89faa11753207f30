/// What an axis does with its Tic, one motion at a time. Every wait ends with `.cancelled` when the task is cancelled, and
/// with `.faulty` and the Tic's errors in words when the Tic has stopped the motor.
struct TicDrive: Sendable {
  /// How often the Tic is looked at while it moves.
  private static let interval = Duration.milliseconds(20)

  let tic: Tic
  let clock: any RigClock

  /// A motor's position in microsteps and its velocity in microsteps per 10 000 s.
  typealias Motion = (position: Int32, velocity: Int32)

  /// Sets the limits, energises, and waits until the Tic takes targets. Throws `.faulty` where it does not within half a
  /// second.
  func start(topSpeed: Int32, acceleration: Int32, during operation: String) async throws(DeviceError) {
    try await tic.send(.topSpeed, topSpeed, during: operation)
    try await tic.send(.acceleration, acceleration, during: operation)
    try await tic.send(.deceleration, acceleration, during: operation)
    try await tic.send(.energize, during: operation)
    let deadline = clock.now.advanced(by: .milliseconds(500))
    while true {
      // safe start is lifted for 200 ms only, so both again each time
      try await tic.send(.resetCommandTimeout, during: operation)
      try await tic.send(.exitSafeStart, during: operation)
      let status = try await tic.status(during: operation)
      if status.isNormal { return }
      if clock.now >= deadline { throw tic.chip.fault(operation, status.inWords) }
      try await pause(operation)
    }
  }

  /// Keeps the command timeout from passing. Throws where the Tic has stopped the motor.
  @discardableResult func feed(during operation: String) async throws(DeviceError) -> TicStatus {
    try await tic.send(.resetCommandTimeout, during: operation)
    let status = try await tic.status(during: operation)
    guard status.errors.isEmpty else { throw tic.chip.fault(operation, status.inWords) }
    return status
  }

  /// Looks until the motion is as wanted. Throws `.timedOut` after `limit`.
  func wait(
    limit: Duration, during operation: String, until isDone: (Motion) -> Bool
  ) async throws(DeviceError) {
    let deadline = clock.now.advanced(by: limit)
    while true {
      try await feed(during: operation)
      if isDone(try await tic.motion(during: operation)) { return }
      if clock.now >= deadline {
        throw tic.chip.fault(
          operation, "it should have been there long ago: see whether something blocks it", kind: .timedOut)
      }
      try await pause(operation)
    }
  }

  /// Lets the Tic look for its limit switch, and waits until it counts from there. Throws `.timedOut` after `limit`.
  func search(forward: Bool, limit: Duration, during operation: String) async throws(DeviceError) {
    try await tic.goHome(forward: forward, during: operation)
    let deadline = clock.now.advanced(by: limit)
    while true {
      try await pause(operation)
      let flags = try await feed(during: operation).flags
      if flags.contains(.homingActive) {
        guard clock.now >= deadline else { continue }
        throw tic.chip.fault(operation, "check the motor's cable and the limit switch", kind: .timedOut)
      }
      if !flags.contains(.positionUncertain) { return }
      throw tic.chip.fault(
        operation, "it gave the search up: is a limit switch wired, and set up in the Tic's settings?")
    }
  }

  /// Ramps down, and waits until the motor stands. Throws `.timedOut` where it does not within `limit`.
  func rampDown(limit: Duration, during operation: String) async throws(DeviceError) {
    try await tic.send(.targetVelocity, 0, during: operation)
    let deadline = clock.now.advanced(by: limit)
    while true {
      // not fed: one that has an error is stopping anyway
      try await tic.send(.resetCommandTimeout, during: operation)
      if try await tic.motion(during: operation).velocity == 0 { return }
      if clock.now >= deadline { throw tic.chip.fault(operation, "it does not stop", kind: .timedOut) }
      try await pause(operation)
    }
  }

  /// Ends a motion that was given up before the Tic is told of it.
  func checkNotCancelled(_ operation: String) throws(DeviceError) {
    if Task.isCancelled { throw tic.chip.fault(operation, "it was given up", kind: .cancelled) }
  }

  private func pause(_ operation: String) async throws(DeviceError) {
    do {
      try await clock.sleep(for: Self.interval)
    } catch {
      throw tic.chip.fault(operation, "it was given up", kind: .cancelled)
    }
  }
}
