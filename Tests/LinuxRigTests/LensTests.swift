import LinuxRig
import Rig
import RigContract
import Testing

extension LinuxRigTests {
  /// Lenses with autofocus, on cameras that exist only here.
  @Suite struct LensTests {
    private static let mode = CameraMode(
      width: 64, height: 80, previewWidth: 16, previewHeight: 20, framesPerSecond: 100)
    private static let left = PictureWindow(x: 0.3, y: 0.5, width: 0.4, height: 0.2)
    private static let right = PictureWindow(x: 0.2, y: 0.5, width: 0.4, height: 0.2)

    private func fate(_ change: (inout FakeTwins.Fate.State) -> Void = { _ in }) -> FakeTwins.Fate {
      FakeTwins.Fate { state in
        state.haveLenses = true
        change(&state)
      }
    }

    private func pair(_ fate: FakeTwins.Fate) -> LibcameraPair {
      LibcameraPair(Self.mode) { FakeTwins(fate, hasControls: true) }
    }

    private func focus(_ camera: LibcameraPair) async throws(DeviceError) -> LensFocus? {
      try await camera.focus(left: Self.left, right: Self.right)
    }

    private func lens(_ camera: LibcameraPair) async throws(DeviceError) -> Double? {
      try await camera.preview().left.controls.lensPosition
    }

    private func refusal(_ body: () async throws(DeviceError) -> Void) async -> DeviceError? {
      do throws(DeviceError) {
        try await body()
        return nil
      } catch { return error }
    }

    @Test(arguments: CameraContract.cases)
    func contract(_ promise: ContractCase<any StereoCamera>) async throws {
      try await promise.check(pair(fate()))
    }

    @Test func lensesFocusOnceEachInItsWindowAndThenKeepStill() async throws {
      let fate = fate()
      let camera = pair(fate)
      try await camera.start(Self.mode)
      let moving = [try await lens(camera), try await lens(camera)]
      #expect(moving[0] != moving[1], "by itself a lens follows what it sees")
      let found = try await focus(camera)
      #expect(found == LensFocus(left: 2.25, right: 2.35, range: 0...15))
      #expect(fate.now.windows == [[Self.left, Self.right]])
      let waiting = [try await lens(camera), try await lens(camera)]
      #expect(waiting == [2.25, 2.25], "nothing moves it before it is put somewhere")
      #expect(try await camera.apply(CameraControls(lensPosition: 2.3)).lensPosition == 2.3)
      for _ in 0..<5 {
        let pair = try await camera.capture()
        #expect(pair.left.controls.lensPosition == 2.3 && pair.right.controls.lensPosition == 2.3)
      }
      await camera.stop()
    }

    @Test func aLensThatFindsNothingIsNoError() async throws {
      let camera = pair(fate { $0.blurred = [.right] })
      try await camera.start(Self.mode)
      let found = try await focus(camera)
      #expect(found == LensFocus(left: 2.25, right: nil, range: 0...15))
      await camera.stop()
    }

    @Test func aLensThatNeverStopsLookingIsGivenUp() async throws {
      let camera = pair(fate { $0.restless = [.left] })
      try await camera.start(Self.mode)
      let found = try await focus(camera)
      #expect(found == LensFocus(left: nil, right: 2.35, range: 0...15))
      // and can be put somewhere all the same
      #expect(try await camera.apply(CameraControls(lensPosition: 2)).lensPosition == 2)
      await camera.stop()
    }

    @Test func camerasWithoutLensesAreAskedNothing() async throws {
      let fate = fate { $0.haveLenses = false }
      let camera = pair(fate)
      try await camera.start(Self.mode)
      let found = try await focus(camera)
      #expect(found == nil && fate.now.windows.isEmpty)
      await camera.stop()
    }

    @Test func controlsAndStopsEndTheFocusing() async throws {
      let fate = fate { $0.restless = [.left, .right] }
      let camera = pair(fate)
      try await camera.start(Self.mode)
      let first = Task { await refusal { () async throws(DeviceError) in _ = try await focus(camera) } }
      while fate.now.windows.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      _ = try await camera.apply(CameraControls(lensPosition: 2))
      #expect(await first.value?.kind == .cancelled)
      let second = Task { await refusal { () async throws(DeviceError) in _ = try await focus(camera) } }
      while fate.now.windows.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
      await camera.stop()
      let ended = await second.value
      #expect(ended?.kind == .cancelled && ended?.operation == "focus", "\(String(describing: ended))")
    }

    @Test func aLensThatRevertsIsNamed() async throws {
      let camera = pair(fate { $0.wayward = [.right] })
      try await camera.start(Self.mode)
      let error = try #require(
        await refusal { () async throws(DeviceError) in _ = try await camera.apply(CameraControls(lensPosition: 14)) })
      #expect(error.kind == .timedOut && error.description.contains("\"right eye\" reports lens position"), "\(error)")
      await camera.stop()
    }

    @Test func aRestartPutsTheLensWhereItWas() async throws {
      let camera = pair(fate())
      try await camera.start(Self.mode)
      _ = try await camera.apply(CameraControls(lensPosition: 3))
      try await camera.restart()
      #expect(try await camera.capture().right.controls.lensPosition == 3)
      await camera.stop()
    }
  }
}
