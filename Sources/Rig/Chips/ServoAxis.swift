import Imaging

/// A hobby servo on a channel of a PCA9685 as an axis.
///
/// A servo tells nothing back and has no limit of speed: it runs to wherever its pulse says as fast as it can. So the pulse
/// is moved along a trapezoid, one step in each period. The position is the angle asked for; the servo stands at the
/// nearest tick of the chip (4.88 µs at 50 Hz) as exactly as it can.
public actor ServoAxis: Axis {
  /// How a servo follows its pulses.
  public struct Servo: Sendable, Hashable {
    /// The pulse at 0°, in microseconds.
    public var zeroPulse = 1500.0
    /// Microseconds more for each degree; negative where it turns the other way.
    public var pulsePerDegree = 1000.0 / 90

    /// The usual servo: 1000 µs for 90°.
    public init() {}

    func pulse(at angle: Angle) -> Duration {
      .nanoseconds(Int(((zeroPulse + pulsePerDegree * angle.degrees) * 1000).rounded()))
    }
  }

  /// The axis as the configuration names it.
  public nonisolated let name: String
  /// What it may be asked for.
  public nonisolated let limits: AxisLimits
  private let range: ClosedRange<Angle>
  private let servo: Servo
  private let chip: PCA9685
  private let channel: Int
  private let clock: any RigClock
  private var commanded: Angle?
  private var isPulsed = false
  private var course: Course?
  private var settling: Task<Void, any Error>?
  private var command = 0

  /// A motion under way.
  private struct Course {
    var profile: TrapezoidProfile
    var began: RigInstant
    var isBraking: Bool
    var follower: Task<Result<Void, DeviceError>, Never>
  }

  /// An axis on channel 0…15. Nothing is sent before it is homed. Throws `.outOfRange` where the limits have no range
  /// around 0°, no speed or acceleration, or where a pulse at an end of the range would not fit into a period.
  public init(
    name: String, chip: PCA9685, channel: Int, clock: any RigClock, limits: AxisLimits, servo: Servo = Servo()
  ) throws(DeviceError) {
    self.name = name
    self.chip = chip
    self.channel = channel
    self.clock = clock
    self.limits = limits
    self.servo = servo
    let operation = "set up the servo"
    guard let range = limits.range, range.contains(.zero), limits.areUsable else {
      throw DeviceError(
        .outOfRange, device: name, operation: operation,
        remedy: "a servo needs a range with 0° in it, a speed and an acceleration")
    }
    self.range = range
    guard (0..<PCA9685.channels).contains(channel) else {
      throw DeviceError(
        .outOfRange, device: name, operation: operation, remedy: "channels are 0 to \(PCA9685.channels - 1)")
    }
    for end in [range.lowerBound, range.upperBound] {
      let microseconds = servo.zeroPulse + servo.pulsePerDegree * end.degrees
      guard microseconds > 0, microseconds < chip.period.asSeconds * 1e6 else {
        throw DeviceError(
          .outOfRange, device: name, operation: operation,
          remedy: "\(end.inWords) would be a pulse of \(microseconds.rounded()) µs")
      }
    }
  }

  /// The angle last asked for; nil before the axis has been homed.
  public var position: Angle? { commanded }

  /// Goes to 0°: at a quarter of the top speed where the axis knows where it is, and otherwise at the servo's own speed,
  /// because nobody knows where it stands and a pulse cannot be moved from there. It is then given the time that the whole
  /// range takes at a quarter of the top speed. Whether it has arrived, nobody can tell. Throws what the chip throws, and
  /// `.cancelled` after a `stop()`.
  public func home() async throws(DeviceError) {
    let operation = "home"
    let slow = limits.topSpeed * 0.25
    let mine = try await takeOver(operation)
    if commanded != nil { return try await run(to: .zero, speed: slow, mine, operation) }
    try await write(.zero)
    let longest = range.upperBound - range.lowerBound
    let pause = Task { try await clock.sleep(for: .seconds(longest.radians / slow.radians)) }
    settling = pause
    let waited = await withTaskCancellationHandler {
      await pause.result
    } onCancel: {
      pause.cancel()
    }
    try check(mine, operation)
    if case .failure = waited { throw cancelled(operation) }
    commanded = .zero
  }

  /// Moves and stops there. Throws `.outOfRange`, `.faulty` before it has been homed, what the chip throws, and
  /// `.cancelled` after a `stop()` or another command.
  public func move(to target: Angle, speed: Angle?) async throws(DeviceError) {
    let request = try MoveRequest(to: target, speed: speed, of: name, limits: limits)
    guard commanded != nil else {
      throw DeviceError(.faulty, device: name, operation: request.operation, remedy: "home it first")
    }
    let mine = try await takeOver(request.operation)
    try await run(to: target, speed: request.speed, mine, request.operation)
  }

  /// A servo cannot turn all the way round. Throws `.unsupported`, or `.outOfRange` beyond the top speed.
  public func spin(velocity: Angle) async throws(DeviceError) { try limits.checkSpin(velocity, of: name) }

  /// Ramps down and goes on holding.
  public func stop() async {
    command += 1
    await brake()
  }

  /// Ramps down and lets go: no more pulses. Who turns it by hand then does so unnoticed, and it runs back when it next
  /// moves.
  public func release() async {
    command += 1
    let mine = command
    await brake()
    // one that gets no pulses has let go, and the chip may not even be there
    guard command == mine, isPulsed else { return }
    isPulsed = false
    try? await chip.release(channel: channel)
  }

  /// Asks the chip for a sign of life. Throws `.absent` where none answers.
  public func check() async throws(DeviceError) { try await chip.check() }

  /// Makes a new command the one that counts: what is under way brakes first.
  private func takeOver(_ operation: String) async throws(DeviceError) -> Int {
    command += 1
    let mine = command
    await brake()
    try check(mine, operation)
    do throws(DeviceError) {
      try await chip.prepare()
    } catch {
      throw named(error)
    }
    try check(mine, operation)
    return mine
  }

  private func run(to target: Angle, speed: Angle, _ mine: Int, _ operation: String) async throws(DeviceError) {
    let profile = TrapezoidProfile(
      from: commanded?.radians ?? 0, to: target.radians, topSpeed: speed.radians,
      acceleration: limits.acceleration.radians)
    let follower = begin(profile, isBraking: false)
    let result = await withTaskCancellationHandler {
      await follower.value
    } onCancel: {
      follower.cancel()
    }
    try check(mine, operation)
    if case .failure(let error) = result {
      command += 1
      await brake()
      throw error.kind == .cancelled ? cancelled(operation) : error
    }
  }

  /// Ramps down from whatever it is doing, and waits until it stands. Not cut short by a cancelled task: who stops an axis
  /// gets it stopped.
  private func brake() async {
    settling?.cancel()
    guard let course else { return }
    if course.isBraking {
      _ = await course.follower.value
      return
    }
    let t = course.began.duration(to: clock.now).asSeconds
    let velocity = course.profile.velocity(at: t)
    if velocity == 0 {
      course.follower.cancel()
      _ = await course.follower.value
      return
    }
    let profile = TrapezoidProfile(
      stoppingFrom: course.profile.position(at: t), velocity: velocity, acceleration: limits.acceleration.radians)
    _ = await begin(profile, isBraking: true).value
  }

  /// Follows a motion from now on, in a task of its own.
  private func begin(_ profile: TrapezoidProfile, isBraking: Bool) -> Task<Result<Void, DeviceError>, Never> {
    let previous = course?.follower
    previous?.cancel()
    let began = clock.now
    let follower = Task { () async -> Result<Void, DeviceError> in
      // its last pulse may be on the way still, and must not come after ours
      _ = await previous?.value
      return await self.follow(profile, from: began)
    }
    course = Course(profile: profile, began: began, isBraking: isBraking, follower: follower)
    return follower
  }

  /// Sends one pulse for each period until the motion has ended. Periods that were missed are left out, not made up for.
  private func follow(_ profile: TrapezoidProfile, from began: RigInstant) async -> Result<Void, DeviceError> {
    let period = chip.period.asSeconds
    do throws(DeviceError) {
      while true {
        let t = began.duration(to: clock.now).asSeconds
        let angle = Angle(radians: profile.position(at: t))
        try await write(angle)
        commanded = angle
        if t >= profile.duration { return .success(()) }
        let next = min(profile.duration, ((t / period).rounded(.down) + 1) * period)
        try await sleep(until: began.advanced(by: .seconds(next) + .nanoseconds(1)))
      }
    } catch {
      return .failure(error)
    }
  }

  private func write(_ angle: Angle) async throws(DeviceError) {
    isPulsed = true
    do throws(DeviceError) {
      try await chip.set(channel: channel, pulse: servo.pulse(at: angle))
    } catch {
      throw named(error)
    }
  }

  private func sleep(until deadline: RigInstant) async throws(DeviceError) {
    do {
      try await clock.sleep(until: deadline, tolerance: nil)
    } catch {
      throw cancelled("move")
    }
  }

  private func check(_ mine: Int, _ operation: String) throws(DeviceError) {
    if command != mine { throw cancelled(operation) }
  }

  private func cancelled(_ operation: String) -> DeviceError {
    DeviceError(.cancelled, device: name, operation: operation)
  }

  /// The chip's error as this axis's.
  private func named(_ error: DeviceError) -> DeviceError {
    var told = error
    told.device = name
    return told
  }
}
