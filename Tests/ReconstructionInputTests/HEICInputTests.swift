import Codecs
import Foundation
import Imaging
import Reconstruction
import Session
import Testing

/// HEIC pictures as input, of sessions and of folders with cameras.
@Suite struct HEICInputTests {
  private static let lens = Lens(width: 96, height: 72, fx: 90, fy: 90, cx: 47.5, cy: 35.5)

  /// A picture with enough of a pattern to pass for a sharp one.
  private func picture(_ seed: Int) -> RGBImage {
    var picture = RGBImage(width: 96, height: 72)
    for y in 0..<72 {
      for x in 0..<96 {
        let bright = ((x + seed) / 6 + (y + 2 * seed) / 6) % 2 == 0
        picture[x, y] = bright ? [190, UInt8(100 + 10 * (seed % 8)), 60] : [40, 60, 90]
      }
    }
    return picture
  }

  @Test func aFolderWithCamerasIsReadByContentWhateverTheNames() throws {
    let scratch = try Scratch()
    let names = ["0.heic", "1.jpg", "2.png", "3.HEIC"]
    for (index, name) in names.enumerated() { try scratch.write("im/\(name)", Data(try HEIC.encode(picture(index)))) }
    let lines = names.enumerated().map { "\($1) 90 0 47.5 0 90 35.5 0 0 1 1 0 0 0 1 0 0 0 1 \($0) 0 9\n" }
    let cameras = try scratch.write("par.txt", "4\n" + lines.joined())
    let set = try ViewSetReader.read(images: scratch.path + "/im", cameras: cameras)
    #expect(set.views.map(\.name) == names && set.issues.isEmpty, "\(set.issues)")
    #expect(set.views.allSatisfy { $0.lens.width == 96 && $0.lens.height == 72 })
    let screened = try Screening.run(set, progress: NoProgress())
    #expect(screened.views.count == 4, "\(screened.issues)")
  }

  @Test func ofASessionEveryPictureIsUsedButTheDamagedOneIsNamed() throws {
    let scratch = try Scratch()
    let folder = scratch.path + "/20261201-0001"
    var store = try SessionStore.create(folder, manifest: manifest)
    try store.append(.pass(PassRecord(index: 1, kind: .first)))
    for index in 0..<4 {
      let axes = AxisAngles(turntable: .degrees(90 * Double(index)), pan: .zero, tilt: .zero)
      _ = try store.addShot(
        pass: 1, viewpoint: index, axes: axes, left: try file(2 * index), right: try file(2 * index + 1))
    }
    let bytes = try HEIC.encode(picture(3))
    try Data(bytes.prefix(bytes.count / 2)).write(to: URL(fileURLWithPath: "\(folder)/pass-01/0002-right.heic"))
    let set = try SessionViews.viewSet(try SessionReader.read(folder), folder: folder)
    let screened = try Screening.run(set, progress: NoProgress())
    #expect(screened.views.count == 7, "\(screened.issues)")
    #expect(screened.views.allSatisfy { $0.name.hasSuffix(".heic") })
    #expect(screened.issues.map(\.name) == ["pass-01/0002-right.heic"])
  }

  private func file(_ seed: Int) throws -> PictureFile {
    PictureFile(
      bytes: try HEIC.encode(picture(seed)), format: .heic, sensorTimestamp: Int64(seed),
      controls: CameraReadback(exposureMicroseconds: 10_000, gain: 1, redGain: nil, blueGain: nil), sharpness: 0.1,
      meanLuma: 0.4, clipped: 0)
  }

  private var manifest: SessionManifest {
    let stereo = StereoCalibration(
      left: Self.lens, right: Self.lens,
      rightFromLeft: RigidTransform(rotation: .identity, translation: [-64, 0, 0]))
    let axis = Line3(point: .zero, direction: [0, 1, 0])
    let geometry = RigGeometry(
      stereo: stereo, leftFromTable: RigidTransform(rotation: .identity, translation: [0, 0, 450]), panAxis: axis,
      tiltAxis: axis, tableRadius: 140)
    return SessionManifest(
      id: "20261201-0001", name: "toy", created: "2026-12-01T10:00:00Z", rig: "test", geometry: geometry,
      calibration: "nominal", shotsPerPass: 4, passes: 1, detail: "reduced")
  }
}
