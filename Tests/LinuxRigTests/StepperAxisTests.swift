import Imaging
import LinuxRig
import Rig
import RigContract
import Testing

extension LinuxRigTests {
  /// Steppers as axes, on a motor that counts, in real time.
  @Suite struct StepperAxisTests {
    private static let turn = 3600

    private func axis(
      _ motor: MotorModel, range: ClosedRange<Angle>? = nil, top: Angle = .degrees(720), backlash: Angle = .zero,
      holdsFor: Duration = .seconds(60)
    ) -> StepperAxis {
      var settings = StepperAxis.Settings(stepsPerTurn: Double(Self.turn), backlash: backlash, homeSpeed: .degrees(360))
      settings.holdsFor = holdsFor
      return StepperAxis(
        name: range == nil ? "turntable" : "tilt",
        limits: AxisLimits(range: range, topSpeed: top, acceleration: .degrees(20_000)), settings: settings,
        pins: motor, timer: BoardTimer())
    }

    private func fixture(_ axis: StepperAxis) -> AxisFixture {
      AxisFixture(axis: axis, clock: BoardClock(), takesItsTime: true)
    }

    @Test(arguments: AxisContract.cases) func endless(_ promise: ContractCase<AxisFixture>) async throws {
      try await promise.check(fixture(axis(MotorModel(at: 137, turn: Self.turn))))
    }

    @Test(arguments: AxisContract.cases) func bounded(_ promise: ContractCase<AxisFixture>) async throws {
      let range = Angle.degrees(-30) ... .degrees(60)
      try await promise.check(fixture(axis(MotorModel(at: 55, turn: nil), range: range)))
    }

    @Test(arguments: AxisContract.timedCases) func underWay(_ promise: ContractCase<AxisFixture>) async throws {
      // so slow that no busy machine lets the move end before it is stopped
      let motor = MotorModel(at: 3, turn: Self.turn)
      var settings = StepperAxis.Settings(stepsPerTurn: Double(Self.turn), homeSpeed: .degrees(20))
      settings.wakeUp = .zero
      let slow = StepperAxis(
        name: "turntable", limits: AxisLimits(range: nil, topSpeed: .degrees(20), acceleration: .degrees(200)),
        settings: settings, pins: motor, timer: BoardTimer())
      try await promise.check(fixture(slow))
    }

    @Test(arguments: [1, 137, 1799, 3599, 0, -5, -359]) func homeIsWhereTheSwitchClosesFromWhereverItStands(
      at shaft: Int
    ) async throws {
      let motor = MotorModel(at: shaft, turn: Self.turn)
      let axis = axis(motor)
      try await axis.home()
      // the switch closes on the way down to the mark
      #expect(((motor.state.shaft % Self.turn) + Self.turn) % Self.turn == 0, "\(motor.state.shaft)")
      #expect(await axis.position == .zero)
      try await axis.move(to: .degrees(90), speed: nil)
      #expect(((motor.state.shaft % Self.turn) + Self.turn) % Self.turn == 900)
    }

    @Test func aSwitchThatNeverClosesIsNotSearchedForEver() async throws {
      let motor = MotorModel(at: 1000, turn: Self.turn)
      motor.change { $0.losesSteps = true }
      let axis = axis(motor)
      do throws(DeviceError) {
        try await axis.home()
        Issue.record("it found its home")
      } catch {
        #expect(error.kind == .timedOut && error.remedy != nil)
      }
      // a turn and a tenth, and what it takes to stand
      #expect((3960...4000).contains(motor.state.rises.count), "\(motor.state.rises.count) steps")
      #expect(await axis.position == nil)
    }

    @Test func anAxisWithoutASwitchTakesItsPlaceForTheOrigin() async throws {
      let motor = MotorModel(at: 77, turn: nil, hasSwitch: false)
      let axis = axis(motor)
      try await axis.home()
      #expect(await axis.position == .zero && motor.state.rises.isEmpty)
      try await axis.move(to: .degrees(10), speed: nil)
      #expect(motor.state.shaft == 177)
    }

    @Test func everyPlaceIsComeToFromBelow() async throws {
      let motor = MotorModel(at: 0, turn: nil, hasSwitch: false)
      let axis = axis(motor, backlash: .degrees(2))
      try await axis.home()
      for target in [50.0, 20, 21, -3] {
        try await axis.move(to: .degrees(target), speed: nil)
        #expect(motor.state.isForward, "to \(target)° from above")
        #expect(motor.state.shaft == Int(target * 10))
      }
    }

    @Test func aMotorHasCurrentOnlyWhileItIsWanted() async throws {
      let motor = MotorModel(at: 10, turn: Self.turn)
      let axis = axis(motor, holdsFor: .milliseconds(300))
      #expect(!motor.state.isEnabled)
      try await axis.home()
      try await axis.move(to: .degrees(5), speed: nil)
      #expect(motor.state.isEnabled)
      await axis.release()
      #expect(!motor.state.isEnabled)
      try await axis.move(to: .degrees(6), speed: nil)
      #expect(motor.state.isEnabled)
      // nobody moves it any more
      for _ in 0..<500 where motor.state.isEnabled { try await Task.sleep(for: .milliseconds(10)) }
      #expect(!motor.state.isEnabled)
      #expect(await axis.position.map { ($0 - .degrees(6)).degrees.magnitude < 0.01 } == true)
    }

    @Test func whoForgetsAnAxisLetsGoOfIt() async throws {
      let motor = MotorModel(at: 10, turn: Self.turn)
      do {
        let axis = axis(motor)
        try await axis.home()
        #expect(motor.state.isEnabled)
      }
      for _ in 0..<500 where motor.state.isEnabled { try await Task.sleep(for: .milliseconds(10)) }
      #expect(!motor.state.isEnabled)
    }

    @Test func aSpinMayGetFasterAndSlowerOnItsWay() async throws {
      let motor = MotorModel(at: 10, turn: Self.turn)
      let axis = axis(motor)
      try await axis.home()
      try await axis.spin(velocity: .degrees(100))
      try await axis.spin(velocity: .degrees(300))
      let before = motor.state.shaft
      try await axis.spin(velocity: .degrees(30))
      #expect(motor.state.shaft > before)
      try await axis.spin(velocity: .degrees(-60))
      let turned = motor.state.shaft
      for _ in 0..<500 where motor.state.shaft >= turned { try await Task.sleep(for: .milliseconds(10)) }
      #expect(motor.state.shaft < turned)
      await axis.stop()
      let stood = motor.state.shaft
      try await axis.move(to: .degrees(Double(stood) / 10 + 1), speed: nil)
      #expect(await axis.position != nil)
    }

    @Test func aSearchWhoseStepsComeTooSlowlyIsGivenUp() async throws {
      let pins = HangingMotor(MotorModel(at: 1000, turn: nil))
      // a turn's steps would take over a minute instead of a second
      pins.delay(by: .milliseconds(20))
      let axis = StepperAxis(
        name: "tilt",
        limits: AxisLimits(range: .zero ... .degrees(300), topSpeed: .degrees(720), acceleration: .degrees(20_000)),
        settings: StepperAxis.Settings(stepsPerTurn: Double(Self.turn), homeSpeed: .degrees(360)), pins: pins,
        timer: BoardTimer())
      let began = ContinuousClock.now
      do throws(DeviceError) {
        try await axis.home()
        Issue.record("it was found")
      } catch {
        #expect(error.kind == .timedOut && error.remedy?.contains("too slowly") == true, "\(error)")
      }
      #expect(ContinuousClock.now - began < .seconds(12))
      #expect(await axis.position == nil)
      await axis.release()
    }

    @Test func itGivesASignOfLifeDuringALongMoveAndNoneWhileItsThreadHangs() async throws {
      let pins = HangingMotor(MotorModel(at: 0, turn: Self.turn, hasSwitch: false))
      let axis = StepperAxis(
        name: "turntable", limits: AxisLimits(range: nil, topSpeed: .degrees(2), acceleration: .degrees(200)),
        settings: StepperAxis.Settings(stepsPerTurn: Double(Self.turn), homeSpeed: .degrees(2)), pins: pins,
        timer: BoardTimer())
      try await axis.check()
      try await axis.home()
      let move = Task { () -> Bool in (try? await axis.move(to: .degrees(3000), speed: nil)) != nil }
      while axis.drivePosition.degrees < 0.2 { try await Task.sleep(for: .milliseconds(5)) }
      try await axis.check()
      pins.hang(true)
      while !pins.holdsSomebodyUp { await Task.yield() }
      let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
      let question = Task {
        try await axis.check()
        answer.yield(true)
      }
      let patience = Task {
        try await Task.sleep(for: .milliseconds(300))
        answer.yield(false)
      }
      var told = answers.makeAsyncIterator()
      #expect(await told.next() == false)
      pins.hang(false)
      #expect(await told.next() == true)
      try await question.value
      patience.cancel()
      await axis.stop()
      #expect(await move.value == false)
    }
  }
}
