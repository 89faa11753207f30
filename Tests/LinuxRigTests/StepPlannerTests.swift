import LinuxRig
import Testing

#if canImport(Glibc)
  import Glibc
#endif

extension LinuxRigTests {
  /// When each step is made.
  @Suite struct StepPlannerTests {
    private struct Run {
      /// Seconds from the beginning, one a step.
      var times: [Double] = []
      var directions: [Int] = []
      var planner: StepPlanner
    }

    /// Steps until it rests, or so many.
    private func run(
      _ planner: StepPlanner, atMost limit: Int = 100_000, each: (inout StepPlanner, Int) -> Void = { _, _ in }
    )
      -> Run
    {
      var run = Run(planner: planner)
      var time = 0.0
      while run.times.count < limit, let step = run.planner.next() {
        time += step.interval
        run.times.append(time)
        run.directions.append(step.direction)
        run.planner.make(step)
        each(&run.planner, run.times.count)
      }
      return run
    }

    private func planner(acceleration: Double = 2000, _ goal: StepPlanner.Goal) -> StepPlanner {
      var planner = StepPlanner(acceleration: acceleration)
      planner.goal = goal
      return planner
    }

    @Test(arguments: [1, 2, 3, 10, 99, 100, 1000, -1, -2, -777]) func goesThereInAsManyStepsAsItTakes(place: Int) {
      let run = run(planner(.place(place, speed: 500)))
      #expect(run.times.count == abs(place) && run.planner.position == place && run.planner.velocity == 0)
      #expect(run.directions.allSatisfy { $0 == place.signum() })
    }

    @Test func theRampIsThatOfConstantAcceleration() {
      let run = run(planner(.place(1000, speed: 1000)))
      // step k of a ramp from rest comes at √(2k/a)
      for k in 1...200 { #expect(abs(run.times[k - 1] - (2 * Double(k) / 2000).squareRoot()) < 1e-7) }
      // and braking is the same backwards
      let end = run.times[999]
      for k in 1...200 { #expect(abs(end - run.times[999 - k] - (2 * Double(k) / 2000).squareRoot()) < 1e-7) }
    }

    @Test(arguments: [(3200, 400.0, 800.0), (100, 5000.0, 1000.0), (7, 300.0, 300.0), (20_000, 7500.0, 80_000.0)])
    func aWholeMoveTakesAsLongAsItsTrapezoid(steps: Int, speed: Double, acceleration: Double) {
      let run = run(planner(acceleration: acceleration, .place(steps, speed: speed)))
      let way = Double(steps)
      let top = min(speed, (way * acceleration).squareRoot())
      let exact = top / acceleration + way / top
      let took = run.times.last ?? 0
      // the top of a ramp lies between two steps
      #expect(abs(took - exact) < 1.5 / top, "\(took) s instead of \(exact) s")
    }

    @Test func neitherSpeedNorAccelerationIsExceeded() {
      let (speed, acceleration) = (1234.0, 5000.0)
      var planner = planner(acceleration: acceleration, .velocity(speed))
      var velocity = 0.0
      var last = 0
      for count in 0..<5000 {
        // somebody changes his mind all the time
        if count % 37 == 0 { planner.goal = .velocity(count % 74 == 0 ? speed : -speed * 0.4) }
        if count % 501 == 0 { planner.goal = .place(planner.position - 40, speed: speed) }
        guard let step = planner.next() else {
          planner.goal = .velocity(speed)
          continue
        }
        #expect(step.interval >= 1 / speed * (1 - 1e-9))
        #expect(step.speed <= speed * (1 + 1e-9))
        let change = step.speed * Double(step.direction) - velocity
        let allowed = acceleration * step.interval * (1 + 1e-6)
        #expect(
          abs(change) <= allowed || abs(step.speed * step.speed - velocity * velocity) <= 2 * acceleration * 1.000001)
        // it turns round only from standing, or as good as that
        if last != 0, step.direction != last { #expect(velocity * velocity <= 2 * acceleration * 1.000001) }
        last = step.direction
        velocity = step.speed * Double(step.direction)
        planner.make(step)
      }
    }

    @Test func aStopOnTheWayBrakesAndStands() {
      let run = run(planner(.velocity(1000)), atMost: 5000) { planner, count in
        if count == 600 { planner.goal = .velocity(0) }
      }
      // v²/2a = 250 steps, but for the step that is under way
      #expect((849...851).contains(run.times.count), "\(run.times.count)")
    }

    @Test func aPlaceBehindIsComeBackTo() {
      let run = run(planner(.velocity(1000)), atMost: 10_000) { planner, count in
        if count == 600 { planner.goal = .place(100, speed: 1000) }
      }
      #expect(run.planner.position == 100 && run.planner.velocity == 0)
      #expect(run.directions.prefix(840).allSatisfy { $0 == 1 } && run.directions.last == -1)
    }

    @Test func aMotorThatStoodIsAcceleratedAgain() throws {
      var planner = planner(.place(5000, speed: 1000))
      for _ in 0..<1000 { planner.make(try #require(planner.next())) }
      #expect(planner.velocity == 1000)
      planner.make(try #require(planner.next()), stood: true)
      let step = try #require(planner.next())
      #expect(abs(step.interval - (2.0 / 2000).squareRoot()) < 1e-12)
      #expect(run(planner).planner.position == 5000)
    }

    @Test func aSlowTurnDoesNotWaitForARamp() throws {
      let first = try #require(planner(acceleration: 100_000, .velocity(0.5)).next())
      #expect(abs(first.interval - 2) < 1e-9)
    }
  }
}
