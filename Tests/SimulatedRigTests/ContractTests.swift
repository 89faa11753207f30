import Imaging
import Rig
import RigContract
import SimulatedRig
import Testing

extension SimulatedRigTests {
  /// What every device promises, kept by the simulated ones.
  @Suite struct ContractTests {
    private func fresh(_ change: (inout SimulatedRigSettings) -> Void = { _ in }) throws -> SimulatedWorld {
      try smallWorld(width: 64, height: 80, change)
    }

    @Test(arguments: AxisContract.cases) func turntable(_ promise: ContractCase<AxisFixture>) async throws {
      let rig = try fresh().rig
      try await promise.check(AxisFixture(axis: rig.turntable, clock: rig.clock, takesItsTime: false))
    }

    @Test(arguments: AxisContract.cases) func pan(_ promise: ContractCase<AxisFixture>) async throws {
      let rig = try fresh().rig
      try await promise.check(AxisFixture(axis: try #require(rig.pan), clock: rig.clock, takesItsTime: false))
    }

    @Test(arguments: AxisContract.timedCases) func axisUnderWay(_ promise: ContractCase<AxisFixture>) async throws {
      for axis in [\CaptureRig.turntable, \CaptureRig.unwrappedTilt] {
        // so slow that no busy machine lets the move end before it is stopped
        let slow = { (range: ClosedRange<Angle>?) in
          AxisSettings(
            limits: AxisLimits(range: range, topSpeed: .degrees(2), acceleration: .degrees(40)), backlash: .zero,
            periodicError: .zero, vibration: .zero)
        }
        let rig = try fresh {
          $0.pace = .realTime
          $0.turntable = slow(nil)
          $0.tilt = slow(.degrees(-90) ... .degrees(90))
        }.rig
        try await promise.check(AxisFixture(axis: rig[keyPath: axis], clock: rig.clock, takesItsTime: true))
      }
    }

    @Test(arguments: CameraContract.cases) func camera(_ promise: ContractCase<any StereoCamera>) async throws {
      try await promise.check(try fresh().rig.camera)
    }

    @Test func camerasReportAllTheirControls() async throws {
      let rig = try fresh().rig
      try await rig.camera.start(rig.camera.modes[0])
      let controls = try await rig.camera.preview().left.controls
      #expect(controls.exposureMicroseconds != nil && controls.gain != nil, "\(controls)")
      #expect(controls.redGain != nil && controls.blueGain != nil, "\(controls)")
      #expect(rig.camera.statistics == nil)
    }

    @Test(arguments: LampContract.cases) func lamp(_ promise: ContractCase<any Lamp>) async throws {
      try await promise.check(try fresh().rig.lamps[0])
    }

    @Test(arguments: ButtonContract.cases) func button(_ promise: ContractCase<ButtonFixture>) async throws {
      let world = try fresh()
      let button = world.rig.buttons[1]
      try await promise.check(ButtonFixture(line: button.line) { await world.press(button: button.id) })
    }

    @Test(arguments: PowerContract.cases) func gauge(_ promise: ContractCase<any PowerSupply>) async throws {
      try await promise.check(try fresh().rig.power[0])
    }

    @Test(arguments: SignalContract.cases) func signal(_ promise: ContractCase<any Signal>) async throws {
      try await promise.check(try #require(try fresh().rig.signal))
    }

    @Test(arguments: ClockContract.cases) func jumpingClock(_ promise: ContractCase<any RigClock>) async throws {
      try await promise.check(SimulatedClock())
    }

    @Test func realClockCannotSkipAnHour() async throws {
      let clock = SimulatedClock(pace: .realTime)
      let began = ContinuousClock.now
      try await clock.sleep(for: .milliseconds(60))
      #expect(began.duration(to: .now) >= .milliseconds(60))
    }
  }
}

extension CaptureRig {
  fileprivate var unwrappedTilt: any Axis { tilt ?? turntable }
}
