import Capture
import Codecs
import Foundation
import Imaging
import Media
import Rig
import Session
import SimulatedRig
import Synchronization
import Testing

/// Scans whose pictures are stored as HEIC.
@Suite struct HEICScanTests {
  private let request = ScanRequest(shots: 4, passes: 1)

  @Test func aScanWritesItsPicturesAndThoseOfTheEmptyTable() async throws {
    let station = try Station.quick(settings: { scan in
      scan.pictureFormat = .heic
      scan.fNumber = 2.8
      scan.pixelPitch = 1.55
    })
    await station.controller.initialize()
    let told = try await station.scan(request)
    #expect(states(told).last == .completed)
    let contents = try station.contents()
    let folder = station.library.folder(of: contents.manifest.id)
    #expect(contents.shots.count == 4 && contents.plates.count == 3)
    for path in contents.plates.flatMap({ [$0.left, $0.right] }) {
      #expect(path.hasSuffix(".heic"))
      #expect(try Picture.read("\(folder)/\(path)").width == 96)
    }
    for frame in contents.shots.flatMap({ [$0.left, $0.right] }) { try check(frame, in: folder, of: station) }
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/pass-01").sorted()
    #expect(names.count == 8 && names.allSatisfy { $0.hasSuffix(".heic") }, "\(names)")
  }

  private func check(_ frame: FrameRecord, in folder: String, of station: Station) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(frame.file)")))
    #expect(Picture.format(bytes) == .heic && frame.file.hasSuffix(".heic"))
    let image = try Picture.decode(bytes)
    #expect(image.width == 96 && image.height == 128)
    let exif = try #require(Picture.exif(bytes))
    let exposure = try #require(frame.controls.exposureMicroseconds)
    #expect(abs((exif.exposureTime ?? 0) - exposure / 1e6) < 1e-6)
    #expect(exif.isoSpeed == Int((100 * (frame.controls.gain ?? 0)).rounded()))
    #expect(exif.make == "twinrig" && exif.model?.hasSuffix(frame.file.contains("left") ? "left" : "right") == true)
    #expect(exif.fNumber == 2.8 && exif.taken?.offset == "+00:00" && exif.taken?.subSeconds?.count == 3)
    let lens = station.world.rig.geometry.stereo.left
    let focal = try #require(exif.focalLengthInPixels(width: 96, height: 128))
    #expect(abs(focal / lens.fx - 1) < 0.01, "\(focal) for \(lens.fx)")
    #expect(abs((exif.focalLength ?? 0) - lens.fx * 1.55e-3) < 1e-3)
  }

  @Test func aJPEGOfASessionCarriesTheSame() async throws {
    let station = try Station.quick()
    await station.controller.initialize()
    _ = try await station.scan(request)
    let contents = try station.contents()
    let frame = try #require(contents.shots.first?.right)
    let path = "\(station.library.folder(of: contents.manifest.id))/\(frame.file)"
    let exif = try #require(Picture.exif([UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))))
    #expect(exif.model?.hasSuffix(", right") == true && exif.taken != nil && exif.fNumber == nil)
    #expect(exif.exposureTime != nil && exif.focalLengthOn35mmFilm != nil && exif.focalLength == nil)
  }

  @Test func keptPlatesOfAnotherFormatAreUsedAsTheyAre() async throws {
    let first = try Station.quick()
    await first.controller.initialize()
    _ = try await first.scan(request)
    let second = try Station.quick(folder: first.folder, settings: { $0.pictureFormat = .heic })
    await second.controller.initialize()
    _ = try await second.scan(request)
    let contents = try second.contents()
    #expect(contents.plates.count == 3 && contents.plates.allSatisfy { $0.left.hasSuffix(".jpg") })
    #expect(contents.shots.allSatisfy { $0.left.file.hasSuffix(".heic") })
  }

  @Test func withoutAnEncoderNoScanStartsAndTheReasonNamesThePackage() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/twinrig-heic-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let world = try SimulatedWorld(Station.smallRig())
    var settings = ScanSettings()
    settings.pictureFormat = .heic
    var encoder = PictureEncoder(settings, rig: world.rig)
    #expect(encoder.obstacle == nil)
    encoder.obstacle = "no HEVC encoder here; install the package libheif-plugin-x265"
    let library = SessionLibrary(root: "\(folder)/sessions", diskFloor: 0)
    let controller = ScanController(
      rig: world.rig, library: library, settings: settings, stateFolder: "\(folder)/state", encoder: encoder,
      observer: nil)
    await controller.initialize()
    #expect(await controller.status.state == .ready)
    await #expect {
      _ = try await controller.start(request)
    } throws: { error in
      (error as? ScanRefusal)?.kind == .noDevice && "\(error)".contains("libheif-plugin-x265")
    }
    #expect(try library.sessions().isEmpty)
  }

  /// The first shot is held up on its way to the disk until the table has moved on: it would be for ever if the table waited.
  @Test func aShotIsStoredWhileTheTableMovesOn() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/twinrig-overlap-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var rig = Station.smallRig()
    rig.mode = CameraMode(width: 96, height: 128, previewWidth: 48, previewHeight: 64, framesPerSecond: 30)
    rig.geometry = RigGeometry.nominal(width: 96, height: 128)
    rig.lamps = []
    let world = try SimulatedWorld(rig)
    var settings = ScanSettings()
    settings.pictureFormat = .heic
    settings.burst = 1
    settings.asksForPlates = false
    let gate = Gate()
    let controller = ScanController(
      rig: world.rig, library: SessionLibrary(root: "\(folder)/sessions", diskFloor: 0), settings: settings,
      stateFolder: "\(folder)/state", observer: { gate.pass($0) })
    await controller.initialize()
    let stream = await controller.events()
    _ = try await controller.start(request)
    let watcher = Task {
      while !Task.isCancelled {
        // the first of four stops is at 0°
        let turned = await world.rig.turntable.position?.degrees.truncatingRemainder(dividingBy: 360) ?? 0
        if gate.isHolding, (45...315).contains(abs(turned)) { return gate.open() }
        try await Task.sleep(for: .milliseconds(2))
      }
    }
    for await event in stream { if case .sessionEnded = event { break } }
    watcher.cancel()
    await controller.untilIdle()
    #expect(await controller.status.state == .completed)
    #expect(gate.wasOpenedInTime)
  }

  /// Holds the first picture that is written.
  private final class Gate: Sendable {
    private struct State {
      var hasJournal = false
      var isHolding = false
      var isOpen = false
      var isLate = false
    }
    private let state = Mutex(State())

    var isHolding: Bool { state.withLock { $0.isHolding } }
    var wasOpenedInTime: Bool { state.withLock { $0.isOpen && !$0.isLate } }
    func open() { state.withLock { $0.isOpen = true } }

    /// The head and the first lines come first; then the folder of the pass is made, and then its pictures come.
    func pass(_ step: WriteStep) {
      let mustWait = state.withLock { state in
        if step == .lineSynchronised { state.hasJournal = true }
        if step == .folderMade { state.isHolding = state.hasJournal }
        return state.isHolding && step == .temporaryMade && !state.isOpen
      }
      guard mustWait else { return }
      let end = ContinuousClock.now + .seconds(20)
      while !state.withLock({ $0.isOpen }) {
        if ContinuousClock.now > end { return state.withLock { ($0.isLate, $0.isOpen) = (true, true) } }
        Thread.sleep(forTimeInterval: 0.002)
      }
    }
  }
}
