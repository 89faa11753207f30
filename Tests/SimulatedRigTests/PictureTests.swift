import Imaging
import Rig
import SimulatedRig
import Testing

extension SimulatedRigTests {
  /// What the cameras see is a world: it obeys light, motion and noise.
  @Suite struct PictureTests {
    @Test func theRoomStandsStillWhileTheDiscTurns() async throws {
      let world = try smallWorld()
      try await world.begin()
      let before = try await world.picture()
      try await world.rig.turntable.move(to: .degrees(90), speed: nil)
      try await world.rig.clock.sleep(for: .seconds(3))
      let after = try await world.picture()
      let noise = difference(before, try await world.pictureOfSameScene(after: before), rows: 0..<60)
      #expect(difference(before, after, rows: 0..<60) < noise + 0.5)
      #expect(difference(before, after, rows: 120..<240) > noise + 5)
    }

    @Test func turningAndMovingPicturesAreBlurred() async throws {
      let world = try smallWorld()
      try await world.begin(
        CameraControls(exposureMicroseconds: 30_000, gain: 1, redGain: 1.6, blueGain: 1.4), lamps: 0.4)
      let sharp = roughness(try await world.picture())
      try await world.rig.turntable.spin(velocity: .degrees(45))
      let blurred = roughness(try await world.picture())
      await world.rig.turntable.stop()
      try await world.rig.clock.sleep(for: .seconds(3))
      let again = roughness(try await world.picture())
      #expect(blurred.front < 0.8 * sharp.front)
      #expect(again.front > 0.85 * sharp.front)
      #expect((blurred.top - sharp.top).magnitude < 0.1 * sharp.top)
    }

    @Test func aMoveRingsAndTheRingingDies() async throws {
      let world = try smallWorld {
        $0.turntable.vibration = .degrees(0.8)
        $0.sensor.fullWell = 1e6
      }
      try await world.begin()
      try await world.rig.turntable.move(to: .degrees(40), speed: nil)
      var steps: [Double] = []
      var last: RGBImage?
      for _ in 0..<16 {
        let pair = try await world.rig.camera.preview()
        if let last { steps.append(difference(last, pair.left.image)) }
        last = pair.left.image
      }
      let early = steps.prefix(4).reduce(0, +) / 4
      let late = steps.suffix(4).reduce(0, +) / 4
      #expect(early > 1.3 * late, "\(steps)")
    }

    @Test func noiseIsWhatTheSensorSaysItIs() async throws {
      let world = try smallWorld {
        $0.sensor.fullWell = 3000
        $0.sensor.readNoise = 6
        $0.sensor.vignetting = 0
      }
      let gain = 4.0
      try await world.begin(
        CameraControls(exposureMicroseconds: 2500, gain: gain, redGain: 1, blueGain: 1))
      let a = try await world.picture()
      let b = try await world.picture()
      var expected = 0.0
      var found = 0.0
      var n = 0.0
      for i in stride(from: 1, to: a.bytes.count, by: 3) where a.bytes[i] > 60 && a.bytes[i] < 200 {
        let x = linear(a.bytes[i])
        let y = linear(b.bytes[i])
        found += (x - y) * (x - y) / 2
        expected += (x + y) / 2 * gain / 3000 + (6 * gain / 3000) * (6 * gain / 3000)
        n += 1
      }
      #expect(n > 10_000)
      #expect((found / expected - 1).magnitude < 0.08, "variance \(found / n) instead of \(expected / n)")
    }

    @Test func automaticExposureFindsItsWayAndStopsAtTheSensorsLimits() async throws {
      let world = try smallWorld()
      try await world.rig.camera.start(world.rig.camera.modes[0])
      for lamp in world.rig.lamps { try await lamp.set(level: 1) }
      var reported: [CameraControls] = []
      var brightness: [Double] = []
      for _ in 0..<10 {
        let pair = try await world.rig.camera.preview()
        reported.append(pair.left.controls)
        brightness.append(meanBrightness(pair.left.image))
      }
      let last = reported.suffix(2).map { ($0.exposureMicroseconds ?? 0) * ($0.gain ?? 0) }
      #expect((last[0] / last[1] - 1).magnitude < 0.07, "\(last)")
      #expect((0.12...0.3).contains(brightness[9]), "\(brightness)")
      for lamp in world.rig.lamps { try await lamp.set(level: 0) }
      for _ in 0..<12 {
        let pair = try await world.rig.camera.preview()
        reported.append(pair.left.controls)
        brightness.append(meanBrightness(pair.left.image))
      }
      #expect(reported.last?.exposureMicroseconds == 33_000)
      #expect(reported.last?.gain == 8)
      #expect((brightness.last ?? 1) < 0.08, "dark is dark: \(brightness)")
    }

    @Test func exposureIsProportionalToTimeAndGain() async throws {
      let world = try smallWorld { $0.sensor.vignetting = 0 }
      try await world.begin(CameraControls(exposureMicroseconds: 4000, gain: 1, redGain: 1, blueGain: 1))
      let once = meanBrightness(try await world.picture())
      _ = try await world.rig.camera.apply(
        CameraControls(exposureMicroseconds: 4000, gain: 2, redGain: 1, blueGain: 1))
      let twice = meanBrightness(try await world.picture())
      #expect((twice / once - 2).magnitude < 0.05, "\(once), \(twice)")
    }

    @Test func picturesDoNotDependOnTheNumberOfThreads() async throws {
      var pictures: [[UInt8]] = []
      for threads in [1, 3] {
        let world = try smallWorld { $0.threads = threads }
        try await world.begin()
        let pair = try await world.rig.camera.capture()
        pictures.append(pair.left.image.bytes + pair.right.image.bytes)
      }
      #expect(pictures[0] == pictures[1])
    }

    @Test func anotherSeedIsAnotherWorld() async throws {
      var pictures: [RGBImage] = []
      for seed in [1, 2] as [UInt64] {
        let world = try smallWorld { $0.seed = seed }
        try await world.begin()
        pictures.append(try await world.picture())
      }
      #expect(difference(pictures[0], pictures[1]) > 2)
    }

    @Test(arguments: [SimulatedObject.demo, .plain, .symmetric]) func builtInObjectsStandInThePicture(
      _ object: SimulatedObject
    ) async throws {
      let with = try smallWorld { $0.object = object }
      let without = try smallWorld {
        $0.object = object
        $0.objectPresent = false
      }
      try await with.begin()
      try await without.begin()
      let difference = difference(try await with.picture(), try await without.picture(), rows: 80..<240)
      #expect(difference > 4)
    }

    private func meanBrightness(_ image: RGBImage) -> Double {
      image.bytes.reduce(0) { $0 + linear($1) } / Double(image.bytes.count)
    }

    /// Mean squared step from one pixel to the next along rows, at the top of the picture and on the disc's front.
    private func roughness(_ image: RGBImage) -> (top: Double, front: Double) {
      func steps(_ rows: Range<Int>) -> Double {
        let gray = image.gray
        var sum = 0
        for y in rows {
          for x in 1..<gray.width {
            let step = Int(gray[x, y]) - Int(gray[x - 1, y])
            sum += step * step
          }
        }
        return Double(sum) / Double(rows.count * gray.width)
      }
      return (steps(0..<image.height / 6), steps(image.height * 6 / 10..<image.height * 8 / 10))
    }
  }
}

extension SimulatedWorld {
  /// A second look at what has been seen, for a measure of noise.
  fileprivate func pictureOfSameScene(after first: RGBImage) async throws -> RGBImage {
    try await rig.turntable.move(to: .zero, speed: nil)
    try await rig.clock.sleep(for: .seconds(3))
    return try await picture()
  }
}
