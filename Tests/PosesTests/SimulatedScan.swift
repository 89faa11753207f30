import Codecs
import Foundation
import Imaging
import Rig
import Session
import SimulatedRig

/// A small scan of a simulated object, taken by driving the rig's devices by hand.
final class SimulatedScan {
  let folder: String
  private let root: String

  /// What is true in the world; see the truth file of `SimulatedRigSettings`.
  struct Truth: Codable {
    struct Event: Codable {
      var event: String
      var discFromTruth: RigidTransform
      var leftFromTable: RigidTransform
    }
    var geometry: RigGeometry
    var events: [Event]
  }
  private(set) var truth: Truth!

  /// With `plates` pictures of the empty table are taken first. What is asked for between passes the person does.
  init(
    _ object: SimulatedObject, seed: UInt64, stops: Int, passes: [PassKind], plates: Bool = false,
    person: SimulatedPerson = .flips
  ) async throws {
    root = NSTemporaryDirectory() + "twinrig-poses-" + UUID().uuidString
    folder = root + "/session"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    var settings = SimulatedRigSettings()
    settings.seed = seed
    settings.object = object
    settings.person = person
    settings.objectPresent = !plates
    settings.truthFile = root + "/truth.ply"
    let (width, height) = (600, 800)
    settings.mode = CameraMode(
      width: width, height: height, previewWidth: 150, previewHeight: 200, framesPerSecond: 30)
    settings.geometry.stereo.left = settings.geometry.stereo.left.scaled(width: width, height: height)
    settings.geometry.stereo.right = settings.geometry.stereo.right.scaled(width: width, height: height)
    let rig = try SimulatedWorld(settings).rig
    try await shoot(rig, stops: stops, passes: passes, plates: plates)
    let data = try Data(contentsOf: URL(fileURLWithPath: root + "/truth.ply.json"))
    truth = try JSONDecoder().decode(Truth.self, from: data)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  private func shoot(_ rig: CaptureRig, stops: Int, passes: [PassKind], plates: Bool) async throws {
    let manifest = SessionManifest(
      id: "20261130-0001", name: "test", created: "2026-11-30T00:00:00Z", rig: rig.name, geometry: rig.geometry,
      calibration: "nominal", shotsPerPass: stops, passes: passes.count, detail: "reduced")
    var store = try SessionStore.create(folder, manifest: manifest)
    for lamp in rig.lamps { try await lamp.set(level: 1) }
    for axis in rig.axes { try await axis.home() }
    try await rig.camera.start(rig.camera.modes[0])
    for _ in 0..<20 { _ = try await rig.camera.preview() }
    let automatic = try await rig.camera.preview().left.controls
    _ = try await rig.camera.apply(automatic)
    await rig.signal?.show(.busy)
    if plates {
      for turn in [0.0, 90, 180, 270] {
        let angle = Angle.degrees(turn)
        let pair = try await pair(rig, at: angle)
        _ = try store.addPlate(
          axes: AxisAngles(turntable: angle, pan: .zero, tilt: .zero),
          left: try JPEG.encode(pair.left.image, quality: 92),
          right: try JPEG.encode(pair.right.image, quality: 92))
      }
      await rig.signal?.show(.place)
      await rig.signal?.show(.busy)
    }
    for (p, kind) in passes.enumerated() {
      if kind != .first {
        await rig.signal?.show(kind == .flip ? .flip : .height)
        await rig.signal?.show(.busy)
      }
      try store.append(.pass(PassRecord(index: p + 1, kind: kind)))
      for stop in 0..<stops {
        let angle = Angle.degrees(360 / Double(stops) * (Double(stop) + (p % 2 == 0 ? 0 : 0.5)))
        let pair = try await pair(rig, at: angle)
        let left = try file(pair.left.image, pair.left.sensorTimestamp)
        let right = try file(pair.right.image, pair.right.sensorTimestamp)
        _ = try store.addShot(
          pass: p + 1, viewpoint: stop, axes: AxisAngles(turntable: angle, pan: .zero, tilt: .zero), left: left,
          right: right)
      }
      try store.append(.passCompleted(p + 1))
    }
  }

  private func pair(_ rig: CaptureRig, at angle: Angle) async throws -> StereoPair {
    try await rig.turntable.move(to: angle, speed: nil)
    try await rig.clock.sleep(for: .milliseconds(700))
    return try await rig.camera.capture()
  }

  private func file(_ image: RGBImage, _ timestamp: Int64) throws -> PictureFile {
    let controls = CameraReadback(exposureMicroseconds: nil, gain: nil, redGain: nil, blueGain: nil)
    return PictureFile(
      bytes: try JPEG.encode(image, quality: 92), sensorTimestamp: timestamp, controls: controls, sharpness: 1,
      meanLuma: 0.4, clipped: 0)
  }
}
