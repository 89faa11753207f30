import Imaging
import Rig
import SimulatedRig
import Testing

extension SimulatedRigTests {
  /// What is scripted to go wrong goes wrong as a real device does, once.
  @Suite struct FaultTests {
    private func world(_ faults: SimulatedFault...) throws -> SimulatedWorld {
      try smallWorld(width: 64, height: 80) { $0.faults = faults }
    }

    private func kind(_ body: () async throws -> Void) async throws -> DeviceError.Kind? {
      do {
        try await body()
        return nil
      } catch let error as DeviceError {
        #expect(error.remedy != nil, "“\(error)” tells nobody what to do")
        return error.kind
      }
    }

    @Test func aDeadCameraTimesOutUntilItIsRestarted() async throws {
      let camera = try world(SimulatedFault(at: .shot(2), kind: .cameraTimeout)).rig.camera
      try await camera.start(camera.modes[0])
      _ = try await camera.capture()
      for _ in 0..<2 { #expect(try await kind { _ = try await camera.capture() } == .timedOut) }
      #expect(try await kind { _ = try await camera.preview() } == .timedOut)
      try await camera.restart()
      _ = try await camera.capture()
    }

    @Test func aDroppedFrameCostsAFrameTime() async throws {
      let world = try world(SimulatedFault(at: .shot(1), kind: .droppedFrame))
      let camera = world.rig.camera
      try await camera.start(camera.modes[0])
      let before = world.rig.clock.now
      let pair = try await camera.capture()
      let period = 1e9 / camera.modes[0].framesPerSecond
      let waited = Double(pair.left.sensorTimestamp) - before.sinceOrigin / .nanoseconds(1)
      #expect(waited >= period * 0.999)
    }

    @Test func aStalledTableSaysSoAndStaysWhereItWas() async throws {
      let turntable = try world(SimulatedFault(at: .move(2), kind: .stall(axis: "turntable"))).rig.turntable
      try await turntable.home()
      try await turntable.move(to: .degrees(10), speed: nil)
      #expect(try await kind { try await turntable.move(to: .degrees(20), speed: nil) } == .faulty)
      let position = try #require(await turntable.position)
      #expect((position.degrees - 10).magnitude < 0.01)
      try await turntable.move(to: .degrees(20), speed: nil)
    }

    @Test func aTableThatTurnsWithoutEndIsNotUnwoundToBeHomed() async throws {
      let world = try world()
      let (table, clock) = (world.rig.turntable, world.rig.clock)
      try await table.home()
      try await table.move(to: .degrees(5 * 360 + 20), speed: nil)
      let began = clock.now
      try await table.home()
      // at half its top speed, as it looks for its mark
      let oneTurn = Duration.seconds(360 / (table.limits.topSpeed.degrees / 2))
      #expect(began.duration(to: clock.now) < oneTurn)
    }

    @Test func lostStepsShowOnlyInThePicture() async throws {
      let lost = SimulatedFault(at: .move(1), kind: .lostSteps(axis: "turntable", by: .degrees(30)))
      let sound = try smallWorld()
      let faulty = try smallWorld { $0.faults = [lost] }
      for world in [sound, faulty] {
        try await world.begin()
        try await world.rig.turntable.move(to: .degrees(30), speed: nil)
        try await world.rig.clock.sleep(for: .seconds(2))
        let position = try #require(await world.rig.turntable.position)
        #expect((position.degrees - 30).magnitude < 0.01)
      }
      let moved = try await sound.picture()
      let stayed = try await faulty.picture()
      #expect(difference(moved, stayed) > 2)
    }

    @Test func aSilentGaugeComesBack() async throws {
      let fault = SimulatedFault(at: .time(.zero), kind: .gaugeSilent(name: "main", for: .seconds(5)))
      let rig = try world(fault).rig
      #expect(try await kind { _ = try await rig.power[0].read() } == .absent)
      try await rig.clock.sleep(for: .seconds(6))
      let reading = try await rig.power[0].read()
      #expect(reading.level != nil)
    }

    @Test func aGaugeReadsZeroOnceAndItsVoltageKnowsBetter() async throws {
      let gauge = try world(SimulatedFault(at: .time(.zero), kind: .gaugeReadsZero(name: "main"))).rig.power[0]
      let wrong = try await gauge.read()
      #expect(wrong.level == 0)
      #expect((wrong.volts ?? 0) > 3.6)
      let right = try await gauge.read()
      #expect((right.level ?? 0) > 0.8)
    }

    @Test func aBatteryDischargesAndAnotherFills() async throws {
      let rig = try smallWorld(width: 64, height: 80) {
        $0.batteries = [
          BatterySettings(name: "main", level: 0.5), BatterySettings(name: "grip", level: 0.5, charging: true)
        ]
      }.rig
      try await rig.clock.sleep(for: .seconds(3600))
      let main = try await rig.power[0].read()
      let grip = try await rig.power[1].read()
      #expect(main.state == .discharging)
      #expect(((main.level ?? 0) - 0.3).magnitude < 0.02)
      #expect(grip.state == .charging || grip.state == .full)
      #expect((grip.level ?? 0) > 0.6)
    }

    @Test func whoKeepsAllBuffersGetsNoMore() async throws {
      let camera = try world().rig.camera
      try await camera.start(camera.modes[0])
      let a = try await camera.preview()
      let b = try await camera.preview()
      let c = try await camera.preview()
      let d = try await camera.preview()
      #expect(try await kind { _ = try await camera.preview() } == .timedOut)
      let times = [a.left.sensorTimestamp, b.left.sensorTimestamp, c.left.sensorTimestamp, d.left.sensorTimestamp]
      #expect(times == times.sorted())
    }

    @Test func missingFilesAndContradictionsAreNamed() async throws {
      let absent = try await kind {
        _ = try smallWorld { $0.object = .model(path: "/nowhere/at.obj", texture: nil, unitMillimetres: 1) }
      }
      #expect(absent == .absent)
      let contradiction = try await kind { _ = try smallWorld { $0.mode.width = 999 } }
      #expect(contradiction == .outOfRange)
      let doubled = try await kind {
        _ = try smallWorld { $0.buttons = [ButtonSettings(id: 1, action: "a"), ButtonSettings(id: 1, action: "b")] }
      }
      #expect(doubled == .outOfRange)
    }
  }
}
