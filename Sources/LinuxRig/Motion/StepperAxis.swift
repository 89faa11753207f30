import CLinux
import Imaging
import Rig
import Threads

/// An axis on a step/dir driver, with or without a home switch.
///
/// Places are always approached from below, so that the gear's play lies on the same side. The motor has current from its
/// first move until `release()`, or until nobody has moved it for a while: one that holds for hours gets hot.
public actor StepperAxis: Axis {
  /// The axis as the configuration names it.
  public nonisolated let name: String
  /// What it may be asked for.
  public nonisolated let limits: AxisLimits
  private nonisolated let settings: Settings
  private nonisolated let pins: any StepperPins
  private let timer: any StepTimer
  private nonisolated let train: StepTrain
  private var isHomed = false
  private var isEnabled = false
  private var command = 0
  private var running: Task<StepTrain.End, Never>?

  package init(
    name: String, limits: AxisLimits, settings: Settings, timing: StepTrain.Timing = .init(), pins: any StepperPins,
    timer: any StepTimer
  ) {
    self.name = name
    self.limits = limits
    self.settings = settings
    self.pins = pins
    self.timer = timer
    train = StepTrain(
      pins: pins, timer: timer, timing: timing,
      acceleration: limits.acceleration.degrees * settings.stepsPerTurn / 360)
  }

  deinit { try? pins.setEnabled(false) }

  /// Where the drive is by its steps, homed or not, also during a move.
  public nonisolated var drivePosition: Angle { .degrees(Double(train.position) * 360 / settings.stepsPerTurn) }
  /// Where the steps say it is; nil before it has been homed.
  public var position: Angle? { isHomed ? drivePosition : nil }

  // MARK: commands

  /// Looks for the home switch: fast, back off, slowly. An axis without a switch takes the place where it stands for its
  /// origin. Throws `.timedOut` where the switch is not found within a turn, or the axis's range and a tenth, or within twice
  /// the time that takes.
  public func home() async throws(DeviceError) {
    let mine = try await begin("home")
    isHomed = false
    let hasSwitch = try pins.isHome() != nil
    let place = hasSwitch ? try await findSwitch(mine) : train.position
    train.renumber(place, as: steps(settings.homeAngle))
    isHomed = true
    // as every other place: from below
    try await approach(settings.homeAngle, speed: settings.homeSpeed, mine, "home")
    hold(mine)
  }

  /// Energises, moves and stops there, coming from below.
  public func move(to target: Angle, speed: Angle?) async throws(DeviceError) {
    let request = try MoveRequest(to: target, speed: speed, of: name, limits: limits)
    guard isHomed else {
      throw DeviceError(.faulty, device: name, operation: request.operation, remedy: "home it first")
    }
    let mine = try await begin(request.operation)
    try await approach(target, speed: request.speed, mine, request.operation)
    hold(mine)
  }

  /// Turns at constant velocity until `stop()`.
  public func spin(velocity: Angle) async throws(DeviceError) {
    let operation = "spin at \(velocity.inWords)/s"
    try limits.checkSpin(velocity, of: name)
    let wanted = stepRate(velocity)
    if case .velocity = train.goal, running != nil, train.velocity * wanted > 0 {
      // it spins already: only faster or slower
      command += 1
      train.goal = .velocity(wanted)
    } else {
      _ = try await begin(operation)
      train.goal = .velocity(wanted)
      start()
    }
    let mine = command
    await train.reachVelocity()
    try check(mine, operation)
    if train.velocity == 0, wanted != 0, case .failed(let error) = await running?.value {
      isHomed = false
      throw error
    }
  }

  /// Ramps down and stays energised.
  public func stop() async {
    command += 1
    let mine = command
    await brake()
    hold(mine)
  }

  /// Lets go: no holding current.
  public func release() async {
    command += 1
    let mine = command
    await brake()
    if mine == command { letGo() }
  }

  /// Asks the thread that makes the steps, or, where none runs, the chip. Throws `.absent` where that has gone.
  public nonisolated func check() async throws(DeviceError) {
    guard let round = train.round else {
      // on a thread of its own: a driver of the kernel that hangs must hold nobody else up
      return try await BlockingThread.result("axis-\(name)") { [pins] in
        Result { () throws(DeviceError) in try pins.check() }
      }.get()
    }
    while train.round == round, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(20)) }
  }

  // MARK: the way there

  /// Becomes the command that counts, with the motor standing and under current.
  private func begin(_ operation: String) async throws(DeviceError) -> Int {
    command += 1
    let mine = command
    await brake()
    try check(mine, operation)
    if !isEnabled {
      try pins.setEnabled(true)
      isEnabled = true
      let ready = timer.now + Int64(settings.wakeUp / .nanoseconds(1))
      await BlockingThread.result("axis-\(name)") { [timer] in timer.sleep(until: ready) }
      try check(mine, operation)
    }
    return mine
  }

  private func approach(_ target: Angle, speed: Angle, _ mine: Int, _ operation: String) async throws(DeviceError) {
    let place = steps(target)
    if settings.backlash > .zero, train.position > place {
      var below = target - settings.backlash
      if let range = limits.range { below = max(below, range.lowerBound) }
      try await run(to: steps(below), speed, mine, operation)
    }
    try await run(to: place, speed, mine, operation)
  }

  private func run(to place: Int, _ speed: Angle, _ mine: Int, _ operation: String) async throws(DeviceError) {
    _ = try await run(.place(place, speed: stepRate(speed)), mine, operation)
  }

  /// Runs until the goal is reached or the switch says `isHome`; returns where that was.
  private func run(
    _ goal: StepPlanner.Goal, untilHomeIs isHome: Bool? = nil, _ mine: Int, _ operation: String
  ) async throws(DeviceError) -> Int? {
    train.goal = goal
    start(untilHomeIs: isHome)
    let (train, running) = (train, running)
    let end = await withTaskCancellationHandler {
      await running?.value
    } onCancel: {
      train.stop()
    }
    try check(mine, operation)
    self.running = nil
    switch end {
    case .failed(let error):
      isHomed = false
      throw error
    case .switched(let place): return place
    case .rest, nil:
      if Task.isCancelled { throw DeviceError(.cancelled, device: name, operation: operation) }
      return nil
    }
  }

  private func start(untilHomeIs isHome: Bool? = nil) {
    let (train, name) = (train, name)
    running = Task.detached {
      await BlockingThread.result("axis-\(name)") {
        // where that is not allowed, steps are a little less even
        _ = linux_run_in_real_time(40)
        return train.run(untilHomeIs: isHome)
      }
    }
  }

  /// Ramps down from whatever it is doing, and waits until it stands.
  private func brake() async {
    guard let running else { return }
    train.stop()
    _ = await running.value
    if self.running == running { self.running = nil }
  }

  // MARK: home

  /// The place where the switch closes, found slowly from outside.
  private func findSwitch(_ mine: Int) async throws(DeviceError) -> Int {
    let inwards = settings.homesUpwards ? 1 : -1
    let all = limits.range.map { steps($0.upperBound - $0.lowerBound) } ?? Int(settings.stepsPerTurn.rounded(.up))
    let far = all + all / 10 + 1
    let aside = max(steps(.degrees(2)), 1)
    let stoodOnIt = try pins.isHome() == true
    if !stoodOnIt, try await seek(inwards * far, isHome: true, settings.homeSpeed, mine) == nil {
      throw lost("was not found", remedy: "check the motor's cable, its current and the home switch")
    }
    guard let left = try await seek(-inwards * far, isHome: false, settings.homeSpeed, mine) else {
      let why = stoodOnIt ? "its line is inverted" : "the axis does not turn"
      throw lost("stays closed", remedy: "check the home switch: it is stuck, or \(why)")
    }
    try await run(to: train.position - inwards * aside, settings.homeSpeed, mine, "home")
    // it cannot be much further away than where it was just left
    let near = abs(train.position - left) + aside + steps(settings.backlash)
    guard let place = try await seek(inwards * near, isHome: true, settings.homeSpeed * 0.1, mine) else {
      throw lost("was lost again", remedy: "the motor misses steps: slow it down, or give it more current")
    }
    return place
  }

  /// Moves so many steps at most until the switch is closed or open; nil where it never is. Steps that come late make it take
  /// longer: throws `.timedOut` where it takes more than twice its time.
  private func seek(_ way: Int, isHome: Bool, _ speed: Angle, _ mine: Int) async throws(DeviceError) -> Int? {
    if try pins.isHome() == isHome { return train.position }
    let patience = Duration.seconds(2 * Double(way.magnitude) / stepRate(speed) + 2)
    let alarm = Task { [train] in
      try await ContinuousClock().sleep(for: patience)
      train.stop()
      return true
    }
    let place = try await run(
      .place(train.position + way, speed: stepRate(speed)), untilHomeIs: isHome, mine, "home")
    alarm.cancel()
    if place == nil, (try? await alarm.value) == true {
      let remedy = "its steps come far too slowly: does something keep the processors busy?"
      throw lost("was not found in \(patience)", remedy: remedy)
    }
    return place
  }

  private func lost(_ what: String, remedy: String) -> DeviceError {
    DeviceError(.timedOut, device: name, operation: "home: the switch \(what)", remedy: remedy)
  }

  // MARK: current

  /// Lets go of the motor when nobody has moved it for a while.
  private func hold(_ mine: Int) {
    guard mine == command, isEnabled else { return }
    let patience = settings.holdsFor
    Task { [weak self] in
      try? await Task.sleep(for: patience)
      await self?.letGo(unlessMovedSince: mine)
    }
  }

  private func letGo(unlessMovedSince mine: Int) {
    if mine == command { letGo() }
  }

  private func letGo() {
    guard isEnabled else { return }
    // whoever has lost the chip has lost the current, too
    try? pins.setEnabled(false)
    isEnabled = false
  }

  // MARK: numbers

  private func check(_ mine: Int, _ operation: String) throws(DeviceError) {
    if command != mine { throw DeviceError(.cancelled, device: name, operation: operation) }
  }

  private func steps(_ angle: Angle) -> Int { Int((angle.degrees * settings.stepsPerTurn / 360).rounded()) }
  private func stepRate(_ speed: Angle) -> Double { speed.degrees * settings.stepsPerTurn / 360 }
}
