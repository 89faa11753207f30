import Rig
import Testing

extension RigTests {
  @Suite struct TrapezoidProfileTests {
    @Test func aLongWayIsATrapezoid() {
      // 2 s up to 20/s over 20, 3 s at 20/s over 60, 2 s down over 20
      let profile = TrapezoidProfile(from: 5, to: 105, topSpeed: 20, acceleration: 10)
      #expect(profile.duration == 7)
      #expect(profile.peakSpeed == 20)
      #expect(profile.position(at: 1) == 10)
      #expect(profile.position(at: 2) == 25)
      #expect(profile.position(at: 5) == 85)
      #expect(profile.position(at: 6) == 100)
      #expect(profile.velocity(at: 1) == 10)
      #expect(profile.velocity(at: 3.5) == 20)
      #expect(profile.velocity(at: 6) == 10)
    }

    @Test func aShortWayIsATriangle() {
      let profile = TrapezoidProfile(from: 0, to: -10, topSpeed: 20, acceleration: 10)
      #expect(abs(profile.duration - 2) < 1e-12)
      #expect(abs(profile.peakSpeed - 10) < 1e-12)
      #expect(abs(profile.position(at: 1) + 5) < 1e-12)
      #expect(abs(profile.velocity(at: 1) + 10) < 1e-12)
    }

    @Test func beforeAndAfterItStands() {
      let profile = TrapezoidProfile(from: 3, to: 4, topSpeed: 1, acceleration: 1)
      #expect(profile.position(at: -1) == 3)
      #expect(profile.position(at: profile.duration) == 4)
      #expect(profile.position(at: 1e6) == 4)
      #expect(profile.velocity(at: -1) == 0)
      #expect(profile.velocity(at: profile.duration) == 0)
    }

    @Test func noWayTakesNoTime() {
      let profile = TrapezoidProfile(from: 3, to: 3, topSpeed: 1, acceleration: 1)
      #expect(profile.duration == 0)
      #expect(profile.position(at: 0) == 3)
      #expect(profile.peakSpeed == 0)
    }

    @Test func stoppingTakesTheBrakingWay() {
      let profile = TrapezoidProfile(stoppingFrom: 1, velocity: -4, acceleration: 2)
      #expect(profile.duration == 2)
      #expect(profile.end == -3)
      #expect(profile.velocity(at: 1) == -2)
      #expect(profile.position(at: 1) == -2)
      #expect(TrapezoidProfile(stoppingFrom: 1, velocity: 0, acceleration: 2).duration == 0)
    }

    @Test func aMovingStartThatCannotStopInTimeOvershootsAndComesBack() {
      // at 4/s it needs 4 to stop, then the way back from 4 to 1 is a triangle
      let profile = TrapezoidProfile(from: 0, velocity: 4, to: 1, topSpeed: 10, acceleration: 2)
      #expect(abs(profile.position(at: 2) - 4) < 1e-12)
      #expect(abs(profile.velocity(at: 2)) < 1e-12)
      #expect(abs(profile.duration - (2 + 2 * (3.0 / 2).squareRoot())) < 1e-9)
    }

    @Test func aStartTheWrongWayBrakesFirst() {
      let profile = TrapezoidProfile(from: 0, velocity: -2, to: 10, topSpeed: 3, acceleration: 1)
      #expect(profile.position(at: 2) == -2)
      #expect(profile.velocity(at: 1) == -1)
      #expect(profile.velocity(at: 5.5) == 3)
    }

    @Test func aStartThatIsTooFastSlowsDownToTheTopSpeed() {
      let profile = TrapezoidProfile(from: 0, velocity: 6, to: 100, topSpeed: 2, acceleration: 2)
      #expect(profile.velocity(at: 1) == 4)
      #expect(profile.velocity(at: 2) == 2)
      #expect(profile.position(at: 2) == 8)
      #expect(profile.velocity(at: 10) == 2)
    }

    @Test func aStartAtExactlyTheBrakingWayOnlyBrakes() {
      let profile = TrapezoidProfile(from: 0, velocity: 4, to: 4, topSpeed: 10, acceleration: 2)
      #expect(abs(profile.duration - 2) < 1e-9)
      #expect(abs(profile.velocity(at: 1) - 2) < 1e-9)
    }

    /// Whatever the beginning: velocity changes no faster than allowed, position is its integral, and the end is met.
    @Test func everyMotionKeepsItsLimits() {
      for velocity in [-7.0, -2, -0.1, 0, 0.3, 2, 5, 9] {
        for end in [-30.0, -1, -0.01, 0, 0.02, 0.5, 3, 80] {
          let profile = TrapezoidProfile(from: 0, velocity: velocity, to: end, topSpeed: 4, acceleration: 3)
          check(profile, topSpeed: max(4, velocity.magnitude), acceleration: 3)
        }
      }
    }

    private func check(_ profile: TrapezoidProfile, topSpeed: Double, acceleration: Double) {
      let step = profile.duration / 4000
      guard step > 0 else { return }
      var integral = profile.start
      for i in 0..<4000 {
        let t = Double(i) * step
        let (a, b) = (profile.velocity(at: t), profile.velocity(at: t + step))
        #expect((b - a).magnitude <= acceleration * step * 1.0001 + 1e-9, "\(profile) at \(t)")
        #expect(a.magnitude <= topSpeed * 1.0001, "\(profile) at \(t)")
        integral += (a + b) / 2 * step
      }
      #expect((integral - profile.end).magnitude < 1e-3 * max(1, profile.end.magnitude), "\(profile)")
      let last = profile.position(at: profile.duration * (1 - 1e-12))
      #expect((last - profile.end).magnitude < 1e-6 * max(1, profile.end.magnitude), "\(profile)")
    }

    @Test func aStepIsDueWhenItsPositionIsReached() throws {
      // step k of a ramp from rest is due at √(2k/a)
      let profile = TrapezoidProfile(from: 0, to: 1000, topSpeed: 200, acceleration: 100)
      for k in [1.0, 2, 50, 199] {
        let time = try #require(profile.time(reaching: k))
        #expect((time - (2 * k / 100).squareRoot()).magnitude < 1e-12)
      }
      for k in stride(from: 0.0, through: 1000, by: 1) {
        let time = try #require(profile.time(reaching: k))
        #expect((profile.position(at: time) - k).magnitude < 1e-7, "step \(k)")
      }
      #expect(profile.time(reaching: 1001) == nil)
      #expect(profile.time(reaching: -1) == nil)
    }

    @Test func whatIsPassedTwiceIsDueTheFirstTime() throws {
      let profile = TrapezoidProfile(from: 0, velocity: 4, to: 1, topSpeed: 10, acceleration: 2)
      let time = try #require(profile.time(reaching: 3))
      #expect((time - 1).magnitude < 1e-12)
    }
  }
}
