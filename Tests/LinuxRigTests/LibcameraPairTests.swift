import Foundation
import Imaging
import LinuxRig
import Rig
import RigContract
import Testing

extension LinuxRigTests {
  /// The pair of cameras over cameras that exist only here, and libcamera itself as far as it goes without any.
  @Suite struct LibcameraPairTests {
    private static let mode = CameraMode(
      width: 64, height: 80, previewWidth: 16, previewHeight: 20, framesPerSecond: 100)

    private func pair(_ fate: FakeTwins.Fate = FakeTwins.Fate(), hasControls: Bool = true) -> LibcameraPair {
      LibcameraPair(Self.mode) { FakeTwins(fate, hasControls: hasControls) }
    }

    private func refusal(_ body: () async throws(DeviceError) -> Void) async -> DeviceError? {
      do throws(DeviceError) {
        try await body()
        return nil
      } catch { return error }
    }

    @Test(arguments: CameraContract.cases) func contract(_ promise: ContractCase<any StereoCamera>) async throws {
      try await promise.check(pair())
    }

    @Test(arguments: CameraContract.cases)
    func contractWithoutControls(_ promise: ContractCase<any StereoCamera>) async throws {
      try await promise.check(pair(hasControls: false))
    }

    @Test func picturesAreTheirCameras() async throws {
      let camera = pair()
      try await camera.start(Self.mode)
      let full = try await camera.capture()
      #expect(full.left.image[0, 0] == SIMD3(60, 60, 60) && full.right.image[63, 79] == SIMD3(180, 180, 180))
      let small = try await camera.preview()
      #expect(small.left.image[15, 19] == SIMD3(60, 60, 60) && small.right.image[0, 0] == SIMD3(180, 180, 180))
      await camera.stop()
    }

    @Test func aPairIsExposedAfterTheCall() async throws {
      let camera = pair()
      try await camera.start(Self.mode)
      for _ in 0..<20 {
        let asked = BoardClock().now.sinceOrigin / .nanoseconds(1)
        let pair = try await camera.capture()
        #expect(Double(pair.left.sensorTimestamp) >= asked && pair.skew == 120_000)
      }
      await camera.stop()
    }

    @Test func buffersGoBackAndOnlyWhatIsAskedForIsCopied() async throws {
      let fate = FakeTwins.Fate()
      let camera = pair(fate)
      try await camera.start(Self.mode)
      try await Task.sleep(for: .milliseconds(200))
      #expect(fate.now.copies == 0)
      let kept = try await camera.capture()
      try await Task.sleep(for: .milliseconds(100))
      // frames are kept by nobody but those that wait for their twins
      #expect(fate.now.copies == 2 && fate.now.outstanding <= 4)
      #expect((camera.statistics?.pairs ?? 0) > 10 && camera.statistics?.worstSkew == 120_000)
      #expect(camera.statistics?.isTogether == true && camera.statistics?.left == "left eye")
      #expect(kept.left.image.width == 64)
      await camera.stop()
    }

    @Test func aLongScanGivesEveryBufferBack() async throws {
      let fate = FakeTwins.Fate()
      let camera = pair(fate)
      try await camera.start(Self.mode)
      for _ in 0..<150 {
        let pair = try await camera.capture()
        #expect(pair.left.image.width == 64 && pair.right.image.height == 80)
      }
      // between two frames nobody has any; closing the cameras would hide what was kept
      for _ in 0..<1000 where fate.now.outstanding != 0 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(fate.now.outstanding == 0 && fate.now.copies == 300)
      await camera.stop()
    }

    @Test func askersShareAPair() async throws {
      let camera = pair()
      try await camera.start(Self.mode)
      async let first = camera.capture().left.sensorTimestamp
      async let second = camera.preview().right.sensorTimestamp
      let times = try await [first, second]
      #expect((times[0] - times[1]).magnitude < 100_000_000)
      await camera.stop()
    }

    @Test func aSilentCameraIsNamedAndARestartMendsIt() async throws {
      let fate = FakeTwins.Fate()
      let camera = pair(fate)
      try await camera.start(Self.mode)
      let controls = try await camera.apply(CameraControls(exposureMicroseconds: 2000, gain: 3))
      fate.change { $0.silent = [.right] }
      let late = try #require(await refusal { () async throws(DeviceError) in _ = try await camera.capture() })
      #expect(late.kind == .timedOut && late.operation == "capture", "\(late)")
      #expect(late.description.contains("no frame came from \"right eye\""), "\(late)")
      fate.change { $0.silent = [] }
      try await camera.restart()
      let after = try await camera.capture()
      #expect(after.left.controls == controls && camera.statistics?.restarts == 1)
      #expect((camera.statistics?.leftOrphans ?? 0) > 10)
      await camera.stop()
    }

    @Test func afterTwoRestartsInVainCableAndPowerAreNamed() async throws {
      let fate = FakeTwins.Fate()
      let camera = pair(fate)
      try await camera.start(Self.mode)
      fate.change { $0.silent = [.left, .right] }
      var errors: [DeviceError] = []
      for _ in 0..<2 {
        errors.append(try #require(await refusal { () async throws(DeviceError) in try await camera.restart() }))
      }
      #expect(errors.map(\.kind) == [.timedOut, .timedOut])
      #expect(!errors[0].description.contains("power") && errors[1].description.contains("check the cameras' cables"))
      fate.change { $0.silent = [] }
      try await camera.restart()
      _ = try await camera.capture()
      await camera.stop()
    }

    @Test func camerasAtOtherPacesAreToldApart() async throws {
      // half a frame apart, whenever they are started
      let fate = FakeTwins.Fate { state in
        state.skew = 5_000_000
        state.followsItsStart = false
      }
      let camera = pair(fate)
      let late = try #require(await refusal { () async throws(DeviceError) in try await camera.start(Self.mode) })
      #expect(late.kind == .timedOut && late.description.contains("5.0 ms apart at best"), "\(late)")
      // and what did not start is closed
      fate.change { $0.skew = 0 }
      try await camera.start(Self.mode)
      await camera.stop()
    }

    @Test(arguments: [3_000_000, 5_000_000, 7_000_000, -4_000_000])
    func camerasOutOfStepAreStartedInStep(skew: Int) async throws {
      let fate = FakeTwins.Fate { $0.skew = Int64(skew) }
      let camera = pair(fate)
      try await camera.start(Self.mode)
      let pair = try await camera.capture()
      #expect(pair.skew.magnitude < 10_000, "\(pair.skew)")
      // they drift apart: for want of a pair somebody restarts them
      fate.change { $0.skew += 4_000_000 }
      let apart = try #require(await refusal { () async throws(DeviceError) in _ = try await camera.capture() })
      #expect(apart.kind == .timedOut && apart.description.contains("do not run at one pace"), "\(apart)")
      try await camera.restart()
      #expect(try await camera.capture().skew.magnitude < 10_000)
      #expect(camera.statistics?.restarts == 1)
      await camera.stop()
    }

    @Test func aComputerThatIsTooSlowIsTakenForThat() async throws {
      let camera = pair(FakeTwins.Fate { $0.delay = 1_500_000_000 })
      try await camera.start(Self.mode)
      let late = try #require(await refusal { () async throws(DeviceError) in _ = try await camera.capture() })
      #expect(late.kind == .timedOut && late.description.contains("too slow"), "\(late)")
      await camera.stop()
    }

    @Test func aDistanceAboveTheLimitIsCounted() async throws {
      let camera = pair(FakeTwins.Fate { $0.skew = 2_200_000 })
      try await camera.start(Self.mode)
      _ = try await camera.capture()
      await camera.stop()
      let statistics = try #require(camera.statistics)
      #expect(!statistics.isTogether && statistics.skewedPairs == statistics.pairs && statistics.pairs > 0)
    }

    @Test func givenUpFramesEndTheStreamUntilItIsRestarted() async throws {
      let fate = FakeTwins.Fate()
      let camera = pair(fate)
      try await camera.start(Self.mode)
      fate.change { $0.cancelled = [.left] }
      for _ in 0..<2 {
        let dead = try #require(await refusal { () async throws(DeviceError) in _ = try await camera.preview() })
        #expect(dead.kind == .timedOut && dead.description.contains("\"left eye\" has given up its frames"), "\(dead)")
      }
      fate.change { $0.cancelled = [] }
      try await camera.restart()
      _ = try await camera.preview()
      #expect(fate.now.closedWholly == 0)
      await camera.stop()
    }

    @Test func anUnpluggedCameraIsAbsentAndLibcameraIsOpenedAnew() async throws {
      let fate = FakeTwins.Fate()
      let camera = pair(fate)
      try await camera.start(Self.mode)
      fate.change { $0.gone = [.right] }
      let gone = try #require(await refusal { () async throws(DeviceError) in _ = try await camera.preview() })
      #expect(gone.kind == .absent && gone.description.contains("\"right eye\" has been unplugged"), "\(gone)")
      fate.change { $0.openings = 0 }
      let missing = try #require(await refusal { () async throws(DeviceError) in try await camera.restart() })
      #expect(missing.kind == .absent && fate.now.closedWholly >= 1, "\(missing)")
      fate.change { state in
        state.gone = []
        state.openings = nil
      }
      try await camera.restart()
      _ = try await camera.preview()
      await camera.stop()
    }

    @Test func aStubbornCameraIsNamed() async throws {
      let camera = pair(FakeTwins.Fate { $0.isStubborn = true })
      try await camera.start(Self.mode)
      let error = try #require(
        await refusal { () async throws(DeviceError) in _ = try await camera.apply(CameraControls(gain: 2)) })
      #expect(error.kind == .timedOut, "\(error)")
      #expect(error.description.contains("\"left eye\" reports gain 7.0 where 2.0 was asked for"), "\(error)")
      await camera.stop()
    }

    @Test func stoppingCancelsWhatIsWaitedFor() async throws {
      let fate = FakeTwins.Fate()
      let camera = pair(fate)
      try await camera.start(Self.mode)
      fate.change { $0.silent = [.left] }
      let waiting = Task { () -> DeviceError? in
        do throws(DeviceError) {
          _ = try await camera.capture()
          return nil
        } catch { return error }
      }
      try await Task.sleep(for: .milliseconds(50))
      await camera.stop()
      #expect(await waiting.value?.kind == .cancelled)
      await camera.stop()
    }

    @Test func aThousandRestartsLeaveNothing() async throws {
      let fate = FakeTwins.Fate()
      let mode = CameraMode(width: 16, height: 20, previewWidth: 8, previewHeight: 10, framesPerSecond: 2000)
      let camera = LibcameraPair(mode) { FakeTwins(fate, hasControls: false) }
      try await camera.start(mode)
      let before = openDescriptors
      for _ in 0..<1000 { try await camera.restart() }
      #expect(openDescriptors <= before + 4 && fate.now.opened == 1001)
      #expect(fate.now.outstanding <= 8)
      await camera.stop()
      #expect(fate.now.closedWholly == 1)
    }

    @Test func nobodysCamerasAreClosed() async throws {
      let fate = FakeTwins.Fate()
      var camera: LibcameraPair? = pair(fate)
      try await camera?.start(Self.mode)
      camera = nil
      for _ in 0..<100 where fate.now.closedWholly == 0 { try await Task.sleep(for: .milliseconds(10)) }
      #expect(fate.now.closedWholly == 1)
    }

    @Test func withoutCamerasThatIsSaid() throws {
      // where this runs there may be some all the same
      for _ in 0..<3 {
        do throws(DeviceError) {
          _ = try LibcameraPair(Self.mode, left: "no such camera", right: "")
          Issue.record("found a camera that is not there")
        } catch {
          #expect(error.kind == .absent || error.kind == .denied, "\(error)")
          #expect(error.operation == "find the cameras" && error.remedy != nil, "\(error)")
        }
      }
    }
  }
}

/// How many descriptors this process has open.
private var openDescriptors: Int {
  (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}
