import Board
import Configuration
import Imaging
import Rig
import RigContract

#if canImport(Glibc)
  import Glibc
#endif

extension AxisConfiguration {
  /// The angle of a step, or of a pulse generator's tick.
  fileprivate var resolution: Angle {
    switch driver {
    case .stepper: .degrees(360 / stepper.stepsPerTurn)
    case .tic: .degrees(360 / tic.stepsPerTurn)
    // 4096 ticks of 20 ms
    case .servo: .degrees(4.88 / servo.pulsePerDegree.magnitude)
    case .simulated, .none: .degrees(0.02)
    }
  }
}

/// Every promise of every device that a configuration names.
struct Probe {
  private struct Trial {
    let device: String, promise: String
    let check: (CaptureRig) async throws -> Void
  }

  private let configuration: TwinrigConfiguration
  private var trials: [Trial] = []

  /// A probe that presses buttons with the program `finger`, if there is one.
  init(_ configuration: TwinrigConfiguration, finger: String?) {
    self.configuration = configuration
    for (name, axis) in configuration.axes where axis.driver != .none {
      add("axis \(name)", AxisContract.cases + AxisContract.timedCases) { rig in
        rig.axes.first { $0.name == name }.map {
          AxisFixture(axis: $0, clock: rig.clock, takesItsTime: true, resolution: axis.resolution)
        }
      }
    }
    for (index, lamp) in configuration.lamps.enumerated() {
      add("lamp \(lamp.name)", LampContract.cases) { $0.lamps[index] }
    }
    if let finger {
      for (index, button) in configuration.buttons.enumerated() {
        add("button \(button.id)", ButtonContract.cases) { rig in
          ButtonFixture(line: rig.buttons[index].line) { _ = system("'\(finger)' \(button.id)") }
        }
      }
    }
    for (index, battery) in configuration.batteries.enumerated() {
      add("battery \(battery.name)", PowerContract.cases) { $0.power[index] }
    }
    add("signal", SignalContract.cases) { $0.signal }
  }

  private mutating func add<Device>(
    _ name: String, _ promises: [ContractCase<Device>], device: @escaping (CaptureRig) -> Device?
  ) {
    for promise in promises {
      trials.append(
        Trial(device: name, promise: promise.name) { rig in
          if let device = device(rig) { try await promise.check(device) }
        })
    }
  }

  /// Checks all, each on a rig of its own: what one leaves behind must not help the next. Returns how many were broken.
  func run() async -> Int {
    var broken = 0
    for trial in trials where await !keeps(trial) { broken += 1 }
    say("summary ok=\(broken == 0 ? 1 : 0) kept=\(trials.count - broken) broken=\(broken)")
    return broken
  }

  private func keeps(_ trial: Trial) async -> Bool {
    let began = ContinuousClock.now
    var found = ""
    do {
      let rig = try RigBuilder(configuration, state: "/nonexistent").build()
      try await untilThere(rig)
      try await trial.check(rig)
      for axis in rig.axes { await axis.release() }
    } catch {
      found = "\(error)"
    }
    let took = (began.duration(to: .now) / .milliseconds(1)).rounded() / 1000
    let reason = found.isEmpty ? "" : " reason=\"\(found)\""
    let what = "device=\"\(trial.device)\" promise=\"\(trial.promise)\""
    say("contract ok=\(found.isEmpty ? 1 : 0) seconds=\(took) \(what)\(reason)")
    return found.isEmpty
  }

  /// Waits until every line is this rig's: the one before it may just be letting go.
  private func untilThere(_ rig: CaptureRig) async throws {
    let end = ContinuousClock.now + .seconds(30)
    while true {
      do {
        for axis in rig.axes { try await axis.check() }
        for lamp in rig.lamps { try await lamp.set(level: 0) }
        for button in rig.buttons { _ = try await button.line.read() }
        return
      } catch {
        guard ContinuousClock.now < end else { throw error }
        try await ContinuousClock().sleep(for: .milliseconds(50))
      }
    }
  }
}
