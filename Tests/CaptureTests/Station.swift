import Capture
import Imaging
import Rig
import Session
import SimulatedRig

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A small simulated rig with a scan controller at work on it, in a folder of its own.
final class Station: Sendable {
  let folder: String
  let world: SimulatedWorld
  let controller: ScanController
  let library: SessionLibrary
  let watch = RigWatch()
  private let panel: Task<Void, Never>

  init(
    _ change: (inout SimulatedRigSettings) -> Void = { _ in },
    settings changeScan: (inout ScanSettings) -> Void = { _ in },
    folder: String? = nil, diskFloor: Int64 = 0, rig changeRig: (inout CaptureRig) -> Void = { _ in }
  ) throws {
    var settings = Station.smallRig()
    change(&settings)
    let path =
      folder ?? FileManager.default.temporaryDirectory.path + "/twinrig-scan-\(UInt64.random(in: 0 ... .max))"
    self.folder = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    world = try SimulatedWorld(settings)
    library = SessionLibrary(root: "\(path)/sessions", diskFloor: diskFloor)
    var scan = ScanSettings()
    scan.burst = 2
    changeScan(&scan)
    var rig = world.rig
    changeRig(&rig)
    controller = ScanController(
      rig: watch.watched(rig), library: library, settings: scan, stateFolder: "\(path)/state")
    panel = Task { [world, controller] in
      await ButtonPanel(buttons: world.rig.buttons).run(on: controller, report: { _ in }, trouble: { _ in })
    }
  }

  deinit {
    panel.cancel()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Pictures small enough that a scan takes seconds.
  static func smallRig() -> SimulatedRigSettings {
    var settings = SimulatedRigSettings()
    settings.mode = CameraMode(width: 240, height: 320, previewWidth: 120, previewHeight: 160, framesPerSecond: 30)
    settings.geometry = RigGeometry.nominal(width: 240, height: 320)
    settings.reaction = .zero
    return settings
  }

  /// A station whose pictures cost next to nothing: tiny, and without lamps there are no shadows.
  static func quick(
    _ faults: [SimulatedFault] = [], person: SimulatedPerson = .flipsAndAnswers, diskFloor: Int64 = 0,
    folder: String? = nil, roomLight: Double = 1, skew: Double? = nil,
    settings change: (inout ScanSettings) -> Void = { _ in }, rig changeRig: (inout CaptureRig) -> Void = { _ in }
  ) throws -> Station {
    try Station(
      { rig in
        rig.mode = CameraMode(width: 96, height: 128, previewWidth: 48, previewHeight: 64, framesPerSecond: 30)
        rig.geometry = RigGeometry.nominal(width: 96, height: 128)
        rig.lamps = []
        rig.roomLight = roomLight
        rig.faults = faults
        rig.person = person
        if let skew { rig.sensor.skew = skew }
      },
      settings: { scan in
        scan.burst = 1
        change(&scan)
      }, folder: folder, diskFloor: diskFloor, rig: changeRig)
  }

  /// Runs `body` for each event until it returns true, or the events end.
  func events(until body: (ScanEvent) async throws -> Bool) async rethrows {
    for await event in await controller.events() where try await body(event) { return }
  }

  /// Starts a scan and returns what it told until its session was closed.
  func scan(_ request: ScanRequest, during: (ScanEvent) async throws -> Void = { _ in }) async throws -> [ScanEvent] {
    let stream = await controller.events()
    _ = try await controller.start(request)
    var told: [ScanEvent] = []
    for await event in stream {
      told.append(event)
      try await during(event)
      if case .sessionEnded = event { break }
    }
    await controller.untilIdle()
    return told
  }

  /// Begins a scan and suspends it as soon as its pictures have come so far; returns its session.
  func suspendedScan(
    _ request: ScanRequest, reason: String, when isReached: (ScanProgress) -> Bool
  ) async throws -> String {
    await controller.initialize()
    let stream = await controller.events()
    let id = try await controller.start(request)
    for await event in stream {
      if case .progress(let progress) = event, progress.stage == "capture", isReached(progress) { break }
    }
    await controller.suspend(reason)
    return id
  }

  func contents() throws -> SessionContents {
    let sessions = try library.sessions()
    return try sessions[sessions.count - 1].contents.get()
  }
}

/// The states that a list of events went through.
func states(_ events: [ScanEvent]) -> [ScanState] {
  events.compactMap { event in
    if case .state(let from, let to, _, _) = event, from != to { return to }
    return nil
  }
}
