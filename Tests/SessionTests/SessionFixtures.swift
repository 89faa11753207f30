import Imaging
import Session

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A folder of the test's own, gone with it.
final class TemporaryFolder {
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.path + "/twinrig-test-\(UInt64.random(in: 0 ... .max))"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  func bytes(_ name: String) -> [UInt8] { [UInt8](FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data()) }
  func write(_ bytes: [UInt8], _ name: String) {
    _ = FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data(bytes))
  }
  func append(_ text: String, to name: String) { write(bytes(name) + Array(text.utf8), name) }
  func makeFolder(_ name: String) {
    try? FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
  }
  func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(path)/\(name)") }
}

func manifest(_ id: String = "20261130-0001") -> SessionManifest {
  let lens = Lens(width: 160, height: 120, fx: 200, fy: 200, cx: 79.5, cy: 59.5)
  let stereo = StereoCalibration(
    left: lens, right: lens, rightFromLeft: RigidTransform(rotation: .identity, translation: [-64, 0, 0]))
  let axis = Line3(point: .zero, direction: [0, 1, 0])
  return SessionManifest(
    id: id, name: "blue vase", created: "2026-11-30T10:00:00Z", rig: "test",
    geometry: RigGeometry(
      stereo: stereo, leftFromTable: RigidTransform(rotation: .identity, translation: [0, 0, 450]), panAxis: axis,
      tiltAxis: axis, tableRadius: 140), calibration: "nominal", shotsPerPass: 4, passes: 2, detail: "reduced")
}

func picture(_ byte: UInt8) -> PictureFile {
  PictureFile(
    bytes: [UInt8](repeating: byte, count: 1000 + Int(byte)), sensorTimestamp: 12_345_678_901,
    controls: CameraReadback(exposureMicroseconds: 10_000, gain: 1.5, redGain: 1.8, blueGain: 1.4), sharpness: 0.02,
    meanLuma: 0.4, clipped: 0)
}

func angles(_ degrees: Double) -> AxisAngles { AxisAngles(turntable: .degrees(degrees), pan: .zero, tilt: .zero) }
