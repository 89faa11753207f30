import Codecs
import Foundation
import Imaging
import Reconstruction
import Session
import Testing

/// A folder that goes away with the test.
final class Scratch {
  let path: String
  init() throws {
    path = NSTemporaryDirectory() + "twinrig-input-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  @discardableResult func write(_ name: String, _ text: String) throws -> String {
    try write(name, Data(text.utf8))
  }
  @discardableResult func write(_ name: String, _ data: Data) throws -> String {
    let file = path + "/" + name
    let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try data.write(to: URL(fileURLWithPath: file))
    return file
  }
  func writePicture(_ name: String, width: Int, height: Int) throws {
    try write(name, Data(PNG.encode(RGBImage(width: width, height: height))))
  }
}

private let k = "100 0 31.5 0 110 23.5 0 0 1"
private let r = "1 0 0 0 1 0 0 0 1"

// not written into @Test itself: interpolation there crashes the compiler of Swift 6.0.3
private let malformedParFiles = [
  ("", "par.txt"),
  ("x\n", "par.txt:1"),
  ("0\n", "par.txt:1"),
  ("99999999999999999999\n", "par.txt:1"),
  ("3\n0.png \(k) \(r) 0 0 1\n", "par.txt"),
  ("1\n0.png \(k) \(r) 0 0\n", "par.txt:2"),
  ("1\n0.png \(k) \(r) 0 0 nan\n", "par.txt:2"),
  ("1\n0.png \(k) \(r) 0 0 1e400\n", "par.txt:2"),
  ("1\n0.png \(k) 1 0 0 0 1 0 0 0 -1 0 0 1\n", "par.txt:2"),
  ("1\n0.png \(k) 1 0 0 0 1 0 0 0 0 0 0 1\n", "par.txt:2"),
  ("1\n0.png 0 0 1 0 1 1 0 0 1 \(r) 0 0 1\n", "par.txt:2"),
  ("1\n0.png 9 5 1 0 9 1 0 0 1 \(r) 0 0 1\n", "par.txt:2"),
  ("1\n0.png 9 0 1 0 9 1 0 0 0 \(r) 0 0 1\n", "par.txt:2"),
  ("1\n../0.png \(k) \(r) 0 0 1\n", "par.txt:2"),
  ("1\n/etc/0.png \(k) \(r) 0 0 1\n", "par.txt:2"),
  ("2\n0.png \(k) \(r) 0 0 1\n0.png \(k) \(r) 0 0 1\n", "par.txt:3")
]

@Suite struct MiddleburyReaderTests {
  private func parFile(_ scratch: Scratch, _ text: String) throws -> String {
    for i in 0..<4 { try scratch.writePicture("im/\(i).png", width: 64, height: 48) }
    return try scratch.write("par.txt", text)
  }

  @Test func readsLensAndPoseOfEachView() throws {
    let scratch = try Scratch()
    let par = try parFile(
      scratch, "3\n0.png \(k) \(r) 1 2 3\n1.png \(k) 0 0 1 1 0 0 0 1 0 0 0 0\r\n2.png \(k) \(r) 0 0 9\n\n")
    let set = try ViewSetReader.read(images: scratch.path + "/im", cameras: par)
    #expect(set.views.count == 3)
    #expect(set.views[0].lens.width == 64 && set.views[0].lens.height == 48)
    #expect(set.views[0].lens.cx == 31.5 && set.views[0].lens.fy == 110)
    #expect(set.views[0].cameraFromWorld.translation == [1, 2, 3])
    let turned = set.views[1].cameraFromWorld.rotation * SIMD3(1, 2, 3) - SIMD3(3, 1, 2)
    #expect(turned.length < 1e-12)
    #expect(set.views.map(\.index) == [0, 1, 2])
    #expect(!set.isMetric && set.box == nil)
  }

  @Test func missingOddAndBrokenPicturesAreIssuesAndTheRestIsUsed() throws {
    let scratch = try Scratch()
    let names = ["0.png", "1.png", "gone.png", "2.png", "odd.png", "empty.png", "text.png"]
    let par = try parFile(scratch, "7\n" + names.enumerated().map { "\($1) \(k) \(r) 0 0 \($0)\n" }.joined())
    try scratch.writePicture("im/odd.png", width: 48, height: 64)
    try scratch.write("im/empty.png", "")
    try scratch.write("im/text.png", "hello")
    let set = try ViewSetReader.read(images: scratch.path + "/im", cameras: par)
    #expect(set.views.map(\.name) == ["0.png", "1.png", "2.png"])
    #expect(set.issues.map(\.name).sorted() == ["empty.png", "gone.png", "odd.png", "text.png"])
    #expect(set.issues.allSatisfy { $0.kind == .invalid && !$0.reason.isEmpty })
  }

  @Test(arguments: ["0 0 0", "0 0 1e-300"])
  func camerasThatAllStandInOnePlaceAreRefused(_ translation: String) throws {
    let scratch = try Scratch()
    let par = try parFile(scratch, "3\n" + (0..<3).map { "\($0).png \(k) \(r) \(translation)\n" }.joined())
    do throws(ReconstructionError) {
      _ = try ViewSetReader.read(images: scratch.path + "/im", cameras: par)
      Issue.record("should have been refused")
    } catch {
      #expect(error.kind == .invalidInput && error.place == par, "\(error)")
    }
  }

  @Test(.timeLimit(.minutes(1))) func aPipeInPlaceOfTheCamerasIsRefusedAndNotWaitedFor() throws {
    let scratch = try Scratch()
    _ = try parFile(scratch, "")
    let pipe = scratch.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    do throws(ReconstructionError) {
      _ = try ViewSetReader.read(images: scratch.path + "/im", cameras: pipe)
      Issue.record("should have been refused")
    } catch {
      #expect(error.kind == .invalidInput && error.place == pipe && error.message.contains("a pipe"), "\(error)")
    }
  }

  @Test(arguments: malformedParFiles)
  func malformedFilesNameFileAndLine(_ text: String, _ place: String) throws {
    let scratch = try Scratch()
    let par = try parFile(scratch, text)
    do throws(ReconstructionError) {
      _ = try ViewSetReader.read(images: scratch.path + "/im", cameras: par)
      Issue.record("should have been refused")
    } catch {
      #expect(error.kind == .invalidInput)
      #expect(error.place?.hasSuffix(place) == true, "\(error)")
    }
  }

  @Test(
    .enabled(if: SharedData.root != nil),
    arguments: [("dinoSparseRing", 16, 640), ("templeSparseRing", 16, 640), ("soup60", 60, 1200)])
  func readsTheBenchmarkSets(_ name: String, _ count: Int, _ width: Int) throws {
    let ring = try #require(SharedData.ring(name))
    let set = try ViewSetReader.read(images: ring + "/images", cameras: ring + "/par.txt")
    #expect(set.views.count == count)
    #expect(set.issues.isEmpty)
    #expect(set.views.allSatisfy { $0.lens.width == width })
  }
}

@Suite struct ColmapReaderTests {
  private func model(_ scratch: Scratch, cameras: String, images: String) throws -> String {
    for i in 0..<4 { try scratch.writePicture("im/a \(i).png", width: 64, height: 48) }
    try scratch.write("m/cameras.txt", cameras)
    try scratch.write("m/images.txt", images)
    return scratch.path + "/m"
  }

  private let images = """
    # Image list
    3 1 0 0 0 1 2 3 7 a 2.png
    1.5 2.5 -1 3 4 12
    1 0.70710678 0 0.70710678 0 0 0 5 7 a 0.png

    2 1 0 0 0 0 0 5 7 a 1.png
    # 1 2 3
    """

  @Test func readsAllModelsAndMovesThePixelCentre() throws {
    let models = [
      ("PINHOLE 64 48 100 110 32 24", [0, 0, 0, 0.0], 110.0),
      ("SIMPLE_PINHOLE 64 48 100 32 24", [0, 0, 0, 0], 100),
      ("SIMPLE_RADIAL 64 48 100 32 24 0.1", [0.1, 0, 0, 0], 100),
      ("RADIAL 64 48 100 32 24 0.1 0.2", [0.1, 0.2, 0, 0], 100),
      ("OPENCV 64 48 100 110 32 24 0.1 0.2 0.3 0.4", [0.1, 0.2, 0.3, 0.4], 110)
    ]
    for (line, distortion, fy) in models {
      let scratch = try Scratch()
      let folder = try model(scratch, cameras: "# x\n7 \(line)\n", images: images)
      let set = try ViewSetReader.read(images: scratch.path + "/im", cameras: folder)
      #expect(set.views.map(\.name) == ["a 0.png", "a 1.png", "a 2.png"])
      let lens = set.views[0].lens
      #expect([lens.k1, lens.k2, lens.p1, lens.p2] == distortion)
      #expect(lens.fx == 100 && lens.fy == fy && lens.cx == 31.5 && lens.cy == 23.5)
    }
  }

  @Test func quaternionTurnsAsColmapSays() throws {
    let scratch = try Scratch()
    let folder = try model(scratch, cameras: "7 SIMPLE_PINHOLE 64 48 100 32 24\n", images: images)
    let set = try ViewSetReader.read(images: scratch.path + "/im", cameras: folder + "/images.txt")
    // a quarter turn about +y takes +z to +x
    let turned = set.views[0].cameraFromWorld.rotation * SIMD3(0, 0, 1) - SIMD3(1, 0, 0)
    #expect(turned.length < 1e-7)
  }

  @Test func picturesScaledAsAWholeScaleTheirLens() throws {
    let scratch = try Scratch()
    let folder = try model(scratch, cameras: "7 PINHOLE 128 96 200 220 64 48\n", images: images)
    let set = try ViewSetReader.read(images: scratch.path + "/im", cameras: folder)
    #expect(set.views[0].lens.fx == 100 && set.views[0].lens.cx == 31.5)
    try scratch.write("m/cameras.txt", "7 PINHOLE 128 48 200 220 64 48\n")
    #expect(throws: ReconstructionError.self) {
      try ViewSetReader.read(images: scratch.path + "/im", cameras: folder)
    }
  }

  @Test(arguments: [
    ("7 FISHEYE 64 48 100 32 24\n", "", "cameras.txt:1"),
    ("7 PINHOLE 64 48 100 32 24\n", "", "cameras.txt:1"),
    ("7 PINHOLE 64 0 100 100 32 24\n", "", "cameras.txt:1"),
    ("7 PINHOLE 64 48 -1 100 32 24\n", "", "cameras.txt:1"),
    ("", "", "cameras.txt"),
    ("7 SIMPLE_PINHOLE 64 48 100 32 24\n7 SIMPLE_PINHOLE 64 48 100 32 24\n", "", "cameras.txt:2"),
    ("7 SIMPLE_PINHOLE 64 48 100 32 24\n", "", "images.txt"),
    ("7 SIMPLE_PINHOLE 64 48 100 32 24\n", "1 1 0 0 0 0 0 1 8 a 0.png\n\n", "images.txt:1"),
    ("7 SIMPLE_PINHOLE 64 48 100 32 24\n", "1 0 0 0 0 0 0 1 7 a 0.png\n\n", "images.txt:1"),
    ("7 SIMPLE_PINHOLE 64 48 100 32 24\n", "1 1 0 0 0 0 0 1 7 a 0.png\n\n1 1 0 0 0 0 0 1 7 a 0.png\n", "images.txt:3"),
    ("7 SIMPLE_PINHOLE 64 48 100 32 24\n", "1 1 0 0 0 0 0 1 7 a.png\n2 1 0 0 0 0 0 1 7 b.png\n", "images.txt:2"),
    ("7 SIMPLE_PINHOLE 64 48 100 32 24\n", "1 1 0 0 0 0 0 1 7 a.png\n2 1 0 0 0 0 0 1 7 b c d.png\n", "images.txt:2"),
    ("7 SIMPLE_PINHOLE 64 48 100 32 24\n", "1 1 0 0 0 0 0 1\n\n", "images.txt:1")
  ])
  func malformedFilesNameFileAndLine(_ cameras: String, _ images: String, _ place: String) throws {
    let scratch = try Scratch()
    let folder = try model(scratch, cameras: cameras, images: images)
    do throws(ReconstructionError) {
      _ = try ViewSetReader.read(images: scratch.path + "/im", cameras: folder)
      Issue.record("should have been refused")
    } catch {
      #expect(error.kind == .invalidInput)
      #expect(error.place?.hasSuffix(place) == true, "\(error)")
    }
  }
}

@Suite struct DamagedPictureTests {
  @Test(.enabled(if: SharedData.root != nil)) func everyCutOfARealPictureIsReadOrRefusedButNeverTraps() throws {
    let ring = try #require(SharedData.ring("soup60"))
    let whole = try Data(contentsOf: URL(fileURLWithPath: ring + "/images/v0000.jpg"))
    let scratch = try Scratch()
    for i in 0..<3 { try scratch.writePicture("\(i).png", width: 1200, height: 1600) }
    var lines = "303\n" + (0..<3).map { "\($0).png \(k) \(r) \($0) 0 1\n" }.joined()
    for cut in 0..<300 {
      try scratch.write("cut\(cut)", whole.prefix(3 * cut))
      lines += "cut\(cut) \(k) \(r) 0 0 1\n"
    }
    let par = try scratch.write("par.txt", lines)
    let set = try ViewSetReader.read(images: scratch.path, cameras: par)
    #expect(set.views.count + set.issues.count == 303)
    #expect(set.issues.contains { $0.name == "cut0" })
  }
}

@Suite struct ScreeningTests {
  /// Patches, box-blurred over `blur` pixels, unlike for each seed.
  private func picture(_ seed: Int, blur: Int = 0, level: Int = 255) -> RGBImage {
    let (w, h) = (96, 72)
    var values = [Int](repeating: 0, count: w * h)
    var state = UInt64(seed + 1) &* 0x9E37_79B9_7F4A_7C15
    // patches of 6 × 6 pixels with sharp edges
    for patch in 0..<(w / 6) * (h / 6) {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let (left, top) = (patch % (w / 6) * 6, patch / (w / 6) * 6)
      for y in top..<top + 6 {
        for x in left..<left + 6 { values[y * w + x] = Int(state >> 56) * level / 255 }
      }
    }
    var picture = RGBImage(width: w, height: h)
    for y in 0..<h {
      for x in 0..<w {
        var (sum, count) = (0, 0)
        for v in max(0, y - blur)...min(h - 1, y + blur) {
          for u in max(0, x - blur)...min(w - 1, x + blur) {
            sum += values[v * w + u]
            count += 1
          }
        }
        let mean = UInt8(sum / count)
        picture[x, y] = SIMD3(mean, mean, mean)
      }
    }
    return picture
  }

  private func screened(_ pictures: [(String, Data)]) throws -> ViewSet {
    let scratch = try Scratch()
    var views: [PosedView] = []
    for (i, (name, data)) in pictures.enumerated() {
      let path = try scratch.write(name, data)
      views.append(
        PosedView(
          index: i, name: name, path: path, lens: Lens(width: 96, height: 72, fx: 90, fy: 90, cx: 47.5, cy: 35.5),
          cameraFromWorld: .identity, pass: 1, stop: i, side: 0))
    }
    return try Screening.run(
      ViewSet(views: views, box: nil, tableHeight: nil, isMetric: false), progress: NoProgress())
  }

  @Test func damagedDarkBlurredAndRepeatedPicturesAreLeftOut() throws {
    var pictures: [(String, Data)] = []
    for i in 0..<6 { pictures.append(("good\(i)", Data(try JPEG.encode(picture(i), quality: 95)))) }
    pictures.append(("again", pictures[2].1))
    pictures.append(("cut", pictures[3].1.prefix(pictures[3].1.count / 2)))
    pictures.append(("dark", Data(try PNG.encode(picture(7, level: 12)))))
    pictures.append(("blurred", Data(try PNG.encode(picture(8, blur: 4)))))
    pictures.append(("text", Data("not a picture".utf8)))
    let set = try screened(pictures)
    #expect(set.views.map(\.name) == (0..<6).map { "good\($0)" })
    #expect(set.views.map(\.index) == Array(0..<6))
    let kinds = Dictionary(uniqueKeysWithValues: set.issues.map { ($0.name, $0.kind) })
    #expect(kinds == ["again": .skipped, "cut": .invalid, "dark": .skipped, "blurred": .skipped, "text": .invalid])
  }

  /// A pair of the empty table of which one picture is damaged is left out, and the picture is named.
  @Test func damagedPlatesAreLeftOutAndSaid() throws {
    let scratch = try Scratch()
    let good = try (0..<8).map { Data(try JPEG.encode(picture($0), quality: 95)) }
    let lens = Lens(width: 96, height: 72, fx: 90, fy: 90, cx: 47.5, cy: 35.5)
    let views = try (0..<4).map { i in
      PosedView(
        index: i, name: "good\(i)", path: try scratch.write("good\(i)", good[i]), lens: lens,
        cameraFromWorld: .identity,
        pass: 1, stop: i, side: 0)
    }
    let files = [
      ("a", good[4]), ("b", good[5].prefix(good[5].count / 2)), ("c", good[6]), ("d", Data("text".utf8)), ("e", good[7])
    ]
    let paths = try files.map { try scratch.write($0.0, $0.1) }
    let plates = [(paths[0], paths[2]), (paths[1], paths[4]), (paths[3], paths[0] + "-gone")].map {
      PlateRecord(axes: AxisAngles(turntable: .zero, pan: .zero, tilt: .zero), left: $0.0, right: $0.1)
    }
    let axis = Line3(point: .zero, direction: [0, 1, 0])
    let stereo = StereoCalibration(left: lens, right: lens, rightFromLeft: .identity)
    let geometry = RigGeometry(
      stereo: stereo, leftFromTable: .identity, panAxis: axis, tiltAxis: axis, tableRadius: 140)
    let set = try Screening.run(
      ViewSet(
        views: views, box: nil, tableHeight: 0, isMetric: true,
        rig: RigContext(geometry: geometry, passes: [], plates: plates)), progress: NoProgress())
    #expect(set.views.count == 4 && set.rig?.plates.map(\.left) == [paths[0]])
    let names = set.issues.map { String($0.name.split(separator: "/").last ?? "?") }
    #expect(names == ["b", "d", "a-gone"] && set.issues.allSatisfy { $0.kind == .invalid }, "\(set.issues)")
  }

  @Test func tooFewGoodPicturesAreAnError() throws {
    let good = Data(try JPEG.encode(picture(1)))
    #expect(throws: ReconstructionError.self) { try screened([("a", good), ("b", good), ("c", good)]) }
  }
}
