import Capture
import Imaging
import Rig

/// Motions that people ask for, one at a time, and never beside a scan.
actor MotionJobs {
  /// One target of a move.
  struct Target: Sendable {
    let axis: any Axis
    let angle: Angle
  }

  private struct Control: JobControl {
    let motion: MotionJobs
    func pause() async throws(JobRefusal) { throw JobRefusal(.badState, "a motion cannot be paused; cancel it") }
    func resume() async throws(JobRefusal) { throw JobRefusal(.badState, "a motion is not paused") }
    func cancel() async throws(JobRefusal) { await motion.halt() }
  }

  /// How long axes stay energised after the last motion: a holding motor gets hot.
  private static let holding = Duration.seconds(60)

  /// Slower than that nobody sees an axis turn, in degrees a second.
  private static let slowest = 0.01

  private let rig: CaptureRig
  private let jobs: JobTable
  private let occupant: @Sendable () async -> RigOccupant?
  private var current: (job: Int, task: Task<Void, Never>)?
  private var isBeginning = false
  private var isHalted = false
  private var letGo: Task<Void, Never>?

  init(rig: CaptureRig, jobs: JobTable, occupant: @escaping @Sendable () async -> RigOccupant?) {
    self.rig = rig
    self.jobs = jobs
    self.occupant = occupant
  }

  /// Whether an axis moves at somebody's wish.
  var isBusy: Bool { current != nil || isBeginning }

  /// The axis of a name.
  nonisolated func axis(_ name: String) throws(JobRefusal) -> any Axis {
    guard let axis = rig.axes.first(where: { $0.name == name }) else {
      throw JobRefusal(
        .noDevice, "this rig has no axis \(name); it has \(rig.axes.map(\.name).joined(separator: ", "))")
    }
    return axis
  }

  /// Moves axes at the same time.
  func move(_ targets: [Target], speed: Angle?) async throws(JobRefusal) -> Int {
    for target in targets {
      if let range = target.axis.limits.range, !range.contains(target.angle) {
        throw JobRefusal(
          .badArgument,
          "\(target.axis.name) goes from \(range.lowerBound.degrees)° to \(range.upperBound.degrees)°")
      }
      // An axis that does not know where it is cannot be sent anywhere.
      if await target.axis.position == nil {
        throw JobRefusal(.badState, "\(target.axis.name) does not know where it is; home it first")
      }
    }
    return try await begin("moving") { () async throws(DeviceError) in
      try await Self.atOnce(targets.map(\.axis)) { axis throws(DeviceError) in
        guard let target = targets.first(where: { $0.axis.name == axis.name }) else { return }
        let top = axis.limits.topSpeed
        try await axis.move(to: target.angle, speed: speed.map { min($0, top) })
      }
    }
  }

  /// Finds the origins of axes.
  func home(_ axes: [any Axis]) async throws(JobRefusal) -> Int {
    try await begin("homing") { () async throws(DeviceError) in
      try await Self.atOnce(axes) { axis throws(DeviceError) in try await axis.home() }
    }
  }

  /// Turns an axis at constant velocity until it is stopped.
  func spin(_ axis: any Axis, velocity: Angle) async throws(JobRefusal) -> Int {
    let top = axis.limits.topSpeed
    if let range = axis.limits.range {
      throw JobRefusal(
        .badArgument,
        "\(axis.name) cannot turn all the way round: it goes from \(range.lowerBound.degrees)° to "
          + "\(range.upperBound.degrees)°; move it")
    }
    guard velocity.degrees.magnitude >= Self.slowest else {
      throw JobRefusal(.badArgument, "velocity is at least \(Self.slowest)°/s either way; stop ends a turning")
    }
    guard velocity.degrees.magnitude <= top.degrees else {
      throw JobRefusal(.badArgument, "\(axis.name) turns at most \(top.degrees)°/s")
    }
    return try await begin("spinning") { () async throws(DeviceError) in
      try await axis.spin(velocity: velocity)
      // Until somebody stops it.
      while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }
  }

  /// Stops every axis at once, whatever moves it.
  func halt() async {
    isHalted = true
    current?.task.cancel()
    let axes = rig.axes
    await withTaskGroup(of: Void.self) { group in
      for axis in axes { group.addTask { await axis.stop() } }
    }
  }

  private func begin(
    _ phase: String, _ work: @escaping @Sendable () async throws(DeviceError) -> Void
  ) async throws(JobRefusal) -> Int {
    guard !isBusy else { throw JobRefusal(.busy, "an axis moves already; stop it first") }
    isBeginning = true
    defer { isBeginning = false }
    if let other = await occupant() { throw JobRefusal(.busy, other.refusal(of: "axes")) }
    isHalted = false
    letGo?.cancel()
    let id = await jobs.open(.motion, phase: phase, control: Control(motion: self))
    let task = Task {
      do throws(DeviceError) {
        try await work()
        await self.end(id, nil)
      } catch {
        await self.end(id, error)
      }
    }
    current = (id, task)
    return id
  }

  private func end(_ id: Int, _ error: DeviceError?) async {
    if current?.job == id { current = nil }
    if isHalted || error?.kind == .cancelled {
      await jobs.move(id, to: .cancelled, reason: "stopped")
    } else if let error {
      await jobs.move(id, to: .failed, reason: error.description)
    } else {
      await jobs.move(id, to: .completed)
    }
    letGo = Task { [weak self] in
      do { try await ContinuousClock().sleep(for: Self.holding) } catch { return }
      await self?.release()
    }
  }

  private func release() async {
    guard await occupant() == nil, !isBusy else { return }
    for axis in rig.axes { await axis.release() }
  }

  private static func atOnce(
    _ axes: [any Axis], _ work: @escaping @Sendable (any Axis) async throws(DeviceError) -> Void
  ) async throws(DeviceError) {
    let failure = await withTaskGroup(of: DeviceError?.self) { group -> DeviceError? in
      for axis in axes {
        group.addTask {
          do throws(DeviceError) {
            try await work(axis)
            return nil
          } catch {
            return error
          }
        }
      }
      var first: DeviceError?
      for await error in group where first == nil {
        first = error
        // One axis in trouble stops the others.
        if error != nil { for axis in axes { await axis.stop() } }
      }
      return first
    }
    if let failure { throw failure }
  }
}
