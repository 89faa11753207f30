import Capture
import Imaging
import Rig
import Session
import SimulatedRig
import Synchronization
import Testing

/// A scan's lenses focus once, where the object will stand, and keep still.
@Suite struct FocusTests {
  private let request = ScanRequest(shots: 6, passes: 1)

  /// The station's cameras, once it has been made.
  private final class Box: Sendable {
    private let inner = Mutex<FocusingCamera?>(nil)
    func wrap(_ camera: any StereoCamera, sharp: [Double?], slips: Int) -> FocusingCamera {
      inner.withLock { box in
        let made = FocusingCamera(camera, sharp: sharp, slips: slips)
        box = made
        return made
      }
    }
    var camera: FocusingCamera? { inner.withLock { $0 } }
  }

  private func station(
    sharp: [Double?] = [2.25, 2.35], slips: Int = 0, folder: String? = nil,
    settings: (inout ScanSettings) -> Void = { _ in }
  ) async throws -> (Station, FocusingCamera) {
    let box = Box()
    let station = try Station.quick(
      folder: folder, settings: settings, rig: { $0.camera = box.wrap($0.camera, sharp: sharp, slips: slips) })
    await station.controller.initialize()
    return (station, try #require(box.camera))
  }

  /// Where the lenses stood in a session's pictures.
  private func lenses(of station: Station) throws -> Set<Double?> {
    Set(try station.contents().shots.flatMap { [$0.left.controls.lensPosition, $0.right.controls.lensPosition] })
  }

  private func notices(_ events: [ScanEvent]) -> [String] {
    events.compactMap { if case .notice(let text) = $0 { text } else { nil } }
  }

  @Test func allPicturesOfAScanHaveOneFocus() async throws {
    let (station, camera) = try await station()
    let told = try await station.scan(request)
    #expect(states(told).last == .completed)
    #expect(try station.contents().shots.count == 6)
    #expect(try lenses(of: station) == [2.3])
    // those of the empty table, too
    #expect(camera.now.captured.count > 6 && Set(camera.now.captured) == [2.3])
    #expect(camera.now.windows.count == 1)
    #expect(!notices(told).contains { $0.contains("lens") }, "\(notices(told))")
  }

  @Test func theNextScanKeepsTheFocusOfThePlatesItUses() async throws {
    let (station, camera) = try await station()
    _ = try await station.scan(request)
    _ = try await station.scan(request)
    #expect(camera.now.windows.count == 1)
    #expect(try lenses(of: station) == [2.3])
  }

  @Test func theMiddleOfTheTableIsFocusedOn() async throws {
    let (station, camera) = try await station()
    _ = try await station.scan(request)
    let geometry = station.world.rig.geometry
    let left = geometry.leftFromObject(turntable: .zero, pan: .zero, tilt: .zero)
    let views = [(geometry.stereo.left, left), (geometry.stereo.right, geometry.stereo.rightFromLeft * left)]
    for (window, view) in zip(try #require(camera.now.windows.first), views) {
      for height in [0.0, 20] {
        let pixel = try #require(view.0.project(view.1 * SIMD3(0, height, 0)))
        let (x, y) = (pixel.x / Double(view.0.width), pixel.y / Double(view.0.height))
        #expect(x > window.x && x < window.x + window.width, "\(x) \(window)")
        #expect(y > window.y && y < window.y + window.height, "\(y) \(window)")
      }
      // the room behind is not
      #expect(window.width < 0.8 && window.height < 0.5 && window.x > 0 && window.y > 0, "\(window)")
      #expect(window.x + window.width < 1 && window.y + window.height < 1, "\(window)")
    }
  }

  @Test func whereNothingSharpIsFoundTheGeometrySaysWhereAndAPersonHears() async throws {
    let (station, _) = try await station(sharp: [nil, nil])
    let told = try await station.scan(request)
    #expect(states(told).last == .completed)
    let said = notices(told).filter { $0.contains("autofocus found nothing sharp") }
    #expect(said.count == 1, "\(notices(told))")
    let found = try lenses(of: station)
    let position = try #require(found.first ?? nil)
    // the table's middle is some 450 mm away
    #expect(found.count == 1 && (1.9...2.6).contains(position), "\(found)")
  }

  @Test func oneLensThatFindsItIsEnough() async throws {
    let (station, _) = try await station(sharp: [nil, 2.5])
    let told = try await station.scan(request)
    #expect(try lenses(of: station) == [2.5])
    #expect(!notices(told).contains { $0.contains("autofocus") })
  }

  @Test func aLensThatTookTheBackgroundIsNotAveraged() async throws {
    let (station, _) = try await station(sharp: [0.4, 2.5])
    _ = try await station.scan(request)
    #expect(try lenses(of: station) == [2.5])
  }

  @Test func aPictureWhoseLensSlippedIsTakenAgain() async throws {
    let (station, camera) = try await station(slips: 0) { $0.asksForPlates = false }
    _ = try await station.scan(request)
    let usual = camera.now.captured.count
    let (slipping, slipped) = try await self.station(slips: 1) { $0.asksForPlates = false }
    let told = try await slipping.scan(request)
    #expect(states(told).last == .completed)
    #expect(try lenses(of: slipping) == [2.3])
    #expect(slipped.now.captured.count > usual && slipped.now.captured.contains(5.3))
  }

  @Test func aConfiguredPositionIsTakenAsItIs() async throws {
    let (station, camera) = try await station { $0.lensPosition = 3 }
    _ = try await station.scan(request)
    #expect(camera.now.windows.isEmpty)
    #expect(try lenses(of: station) == [3])
  }

  @Test func aResumedScanHasTheFocusOfItsSession() async throws {
    let (station, _) = try await station()
    let id = try await station.suspendedScan(request, reason: "the agent ends") { $0.done == 3 }
    let (next, camera) = try await self.station(sharp: [4, 4], folder: station.folder)
    try await resume(id, at: next)
    #expect(try next.contents().shots.count == 6)
    #expect(try lenses(of: next) == [2.3])
    #expect(camera.now.windows.isEmpty)
  }

  @Test func aResumedSessionThatSaysNothingOfFocusIsFocusedNow() async throws {
    let older = try Station.quick()
    let id = try await older.suspendedScan(request, reason: "the agent ends") { $0.done == 3 }
    let before = try older.contents().shots.count
    #expect(try lenses(of: older) == [nil])
    let (next, camera) = try await station(folder: older.folder)
    try await resume(id, at: next)
    let shots = try next.contents().shots
    #expect(shots.count == 6 && Set(shots.dropFirst(before).map(\.left.controls.lensPosition)) == [2.3])
    #expect(camera.now.windows.count == 1)
  }

  private func resume(_ id: String, at station: Station) async throws {
    let told = await station.controller.events()
    try await station.controller.resume(id)
    for await event in told { if case .sessionEnded = event { break } }
    await station.controller.untilIdle()
  }
}
