import Configuration
import LinuxRig
import Rig

/// Takes the current from every motor and lamp of a configuration, for a rig whose agent has died: the kernel leaves a line as
/// it is when whoever drove it is gone, and a chip on a bus never hears of it.
package struct MotorsOff {
  /// What became of one device.
  package struct Outcome: Sendable {
    /// The device as the configuration names it.
    package var name: String
    /// Why it could not be switched off; nil where it is off.
    package var error: DeviceError?

    /// Whether there is something that may still be on.
    package var isTrouble: Bool { error.map { $0.kind != .absent } ?? false }
  }

  private typealias Work = @Sendable () async throws(DeviceError) -> Void

  private let configuration: TwinrigConfiguration
  private let clock = BoardClock()

  /// For a configuration that was read and checked. Nothing is touched yet.
  package init(_ configuration: TwinrigConfiguration) { self.configuration = configuration }

  /// Switches everything off, all at the same time. What is not there is off. Takes as long as the slowest, a motor that has to
  /// ramp down for instance.
  package func run() async -> [Outcome] {
    let works = axes + lamps + signals + pulseChips
    return await withTaskGroup(of: (Int, Outcome).self) { group in
      for (index, (name, work)) in works.enumerated() {
        group.addTask { (index, Outcome(name: name, error: await Self.error(of: work, for: name))) }
      }
      var outcomes: [(Int, Outcome)] = []
      for await outcome in group { outcomes.append(outcome) }
      return outcomes.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private static func error(of work: Work, for name: String) async -> DeviceError? {
    do throws(DeviceError) {
      try await work()
      return nil
    } catch {
      var told = error
      // whatever it hangs on
      told.device = name
      return told
    }
  }

  private var axes: [(String, Work)] {
    configuration.axes.compactMap { name, axis in
      switch axis.driver {
      case .stepper:
        // without such a line the driver always has current
        guard let enable = axis.stepper.enable else { return nil }
        return (name, off(axis.stepper.chip, enable, name, isActiveLow: axis.stepper.isEnableActiveLow))
      case .tic: return (name, deEnergize(name, axis))
      // by its chip
      case .servo, .simulated, .none: return nil
      }
    }
  }

  private func deEnergize(_ name: String, _ axis: AxisConfiguration) -> Work {
    { [clock] () throws(DeviceError) in
      let bus = RetryingBus(try LinuxI2CBus(axis.tic.bus), clock: clock)
      let tic = try TicAxis(
        name: name, bus: bus, address: UInt8(axis.tic.address), clock: clock, limits: axis.limits,
        microstepsPerDegree: axis.tic.stepsPerTurn / 360, origin: .whereItStands)
      try await tic.check()
      await tic.release()
    }
  }

  private var lamps: [(String, Work)] {
    configuration.lamps.filter { $0.driver == .gpio }.map { lamp in
      (lamp.name, off(lamp.chip, lamp.line ?? 0, lamp.name, isActiveLow: lamp.isActiveLow))
    }
  }

  private var signals: [(String, Work)] {
    let signal = configuration.signal
    guard signal.driver == .gpio else { return [] }
    let lines: [(String, Int?)] = [("LED", signal.ledLine), ("buzzer", signal.buzzerLine)]
    return lines.compactMap { name, line in
      line.map { (name, off(signal.chip, $0, name, isActiveLow: signal.isActiveLow)) }
    }
  }

  /// A line is inactive from the moment on in which it is asked for.
  private func off(_ chip: String, _ line: Int, _ name: String, isActiveLow: Bool) -> Work {
    { () throws(DeviceError) in
      _ = try GPIOOutput(GPIOPlace(chip: chip, offset: line), name: name, isActiveLow: isActiveLow)
    }
  }

  /// Servos and lamps on pulse generators, a chip at a time.
  private var pulseChips: [(String, Work)] {
    let servos = configuration.axes.map(\.axis).filter { $0.driver == .servo }
    let lamps = configuration.lamps.filter { $0.driver == .pca9685 }
    var chips: [String: (bus: String, address: Int, inverted: Set<Int>)] = [:]
    for (bus, address) in servos.map({ ($0.servo.bus, $0.servo.address) }) + lamps.map({ ($0.bus, $0.address) }) {
      chips[RealDevices.pulseChipName(bus, address)] = (bus, address, [])
    }
    for lamp in lamps where lamp.isActiveLow {
      let name = RealDevices.pulseChipName(lamp.bus, lamp.address)
      if let channel = lamp.channel { chips[name]?.inverted.insert(channel) }
    }
    return chips.sorted { $0.key < $1.key }.map { name, chip in
      let work: Work = { [clock] () throws(DeviceError) in
        let bus = RetryingBus(try LinuxI2CBus(chip.bus), clock: clock)
        let generator = try PCA9685(name: name, bus: bus, clock: clock, address: UInt8(chip.address))
        try await generator.shutDown(leavingOn: chip.inverted)
      }
      return (name, work)
    }
  }
}
