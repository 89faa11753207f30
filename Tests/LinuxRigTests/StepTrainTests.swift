import LinuxRig
import Rig
import Testing

extension LinuxRigTests {
  /// The pulses of a motor.
  @Suite struct StepTrainTests {
    private func train(_ motor: MotorModel, _ time: SteppedTime, acceleration: Double = 4000) -> StepTrain {
      StepTrain(pins: motor, timer: time, timing: .init(), acceleration: acceleration)
    }

    private func intervals(_ rises: [Int64]) -> [Int64] { zip(rises.dropFirst(), rises).map { $0 - $1 } }

    @Test func pulsesAreAsManyAsWideAndAsFarApartAsTheDriverNeeds() throws {
      let time = SteppedTime()
      let motor = MotorModel(at: 0, turn: nil, timer: time)
      try motor.setEnabled(true)
      let train = train(motor, time)
      for place in [1200, 300, 301, -20] {
        train.goal = .place(place, speed: 1000)
        #expect(train.run() == .rest && train.position == place && motor.state.shaft == place)
      }
      let seen = motor.state
      #expect(seen.rises.count == 1200 + 900 + 1 + 321 && seen.widths.count == seen.rises.count)
      #expect(seen.widths.allSatisfy { $0 >= 5_000 } && seen.setUps.allSatisfy { $0 >= 5_000 })
      #expect(seen.setUps.count == 3)
      #expect(intervals(seen.rises).min().map { $0 >= 999_999 } == true)
    }

    @Test func overdueStepsAreNotSentInABurst() {
      // the machine is busy now and then: for a while, and for so long that the motor stands
      let time = SteppedTime { sleep in sleep % 401 == 0 ? 40_000_000 : sleep % 29 == 0 ? 3_000_000 : 20_000 }
      let motor = MotorModel(at: 0, turn: nil, timer: time)
      motor.change { $0.isEnabled = true }
      let train = train(motor, time)
      train.goal = .place(3000, speed: 1000)
      #expect(train.run() == .rest && motor.state.shaft == 3000)
      let intervals = intervals(motor.state.rises)
      #expect(intervals.min().map { $0 >= 900_000 } == true, "\(intervals.min() ?? 0) ns apart")
      // after a standstill it is accelerated from rest: the step after it takes √(2/a)
      let stands = intervals.indices.filter { intervals[$0] > 40_000_000 }
      #expect(!stands.isEmpty)
      for stand in stands where stand + 1 < intervals.count {
        #expect(intervals[stand + 1] >= 20_000_000, "\(intervals[stand + 1]) ns after a standstill")
      }
    }

    @Test func aLittleLatenessDoesNotAddUp() {
      let time = SteppedTime { _ in 30_000 }
      let motor = MotorModel(at: 0, turn: nil, timer: time)
      motor.change { $0.isEnabled = true }
      let train = train(motor, time)
      train.goal = .place(10_000, speed: 1000)
      _ = train.run()
      let took = Double(time.now) / 1e9
      // ramps of v/a each: v/a + way/v
      #expect(abs(took - (1000.0 / 4000 + 10)) < 0.005, "\(took) s")
    }

    @Test func theSwitchStopsItAndSaysWhere() {
      let time = SteppedTime()
      let motor = MotorModel(at: 500, turn: nil, timer: time)
      motor.change { $0.isEnabled = true }
      let train = train(motor, time)
      train.goal = .place(-2000, speed: 1000)
      #expect(train.run(untilHomeIs: true) == .switched(at: -500))
      // v²/2a: it takes 125 steps to stand
      #expect((-130 ... -110).contains(motor.state.shaft), "\(motor.state.shaft)")
    }

    @Test func aLineThatFailsEndsTheRun() {
      struct Broken: StepperPins {
        func setStep(_ isHigh: Bool) throws(DeviceError) {
          throw DeviceError(.absent, device: "turntable", operation: "set a line")
        }
        func setDirection(isForward: Bool) throws(DeviceError) {}
        func setEnabled(_ isEnabled: Bool) throws(DeviceError) {}
        func isHome() throws(DeviceError) -> Bool? { nil }
        func check() throws(DeviceError) {}
      }
      let train = StepTrain(pins: Broken(), timer: SteppedTime(), timing: .init(), acceleration: 100)
      train.goal = .place(10, speed: 10)
      guard case .failed(let error) = train.run() else {
        Issue.record("it ended well")
        return
      }
      #expect(error.kind == .absent && train.velocity == 0)
    }
  }
}
