import Codecs
import Foundation
import Imaging

/// A box of 70 × 80 × 50 mm as an OBJ file: coloured patches above and below, and between them a broad band in the greys of
/// a turntable's disc.
struct BandedBox {
  let folder: String
  var path: String { folder + "/box.obj" }
  var texture: String { folder + "/box.png" }
  /// Cubic millimetres.
  let volume = 70.0 * 80 * 50

  /// The corners in the frame it is placed in: standing upright, its foot's middle at the origin.
  static let corners: [SIMD3<Double>] = {
    let (x, y, z) = (35.0, 80.0, 25.0)
    return [[-x, 0, -z], [x, 0, -z], [x, y, -z], [-x, y, -z], [-x, 0, z], [x, 0, z], [x, y, z], [-x, y, z]]
  }()
  /// Its sides, four corners each.
  static let sides = [[4, 5, 6, 7], [5, 1, 2, 6], [1, 0, 3, 2], [0, 4, 7, 3], [7, 6, 2, 3], [0, 1, 5, 4]]

  /// With a `lid` its top is one even grey.
  init(lid: Bool = false) throws {
    folder = NSTemporaryDirectory() + "twinrig-banded-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(PNG.encode(Self.picture(lid: lid))).write(to: URL(fileURLWithPath: texture))
    try Self.text.write(toFile: path, atomically: true, encoding: .utf8)
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }

  /// Each side shows the whole picture, at a place of its own along u so that no two sides are alike.
  private static var text: String {
    var lines = corners.map { "v \($0.x) \($0.y) \($0.z)" }
    for side in 0..<6 {
      let (a, b) = (Double(side) / 6, Double(side + 1) / 6)
      lines += ["vt \(a) 0", "vt \(b) 0", "vt \(b) 1", "vt \(a) 1"]
    }
    for (side, face) in sides.enumerated() {
      lines.append("f " + face.enumerated().map { "\($1 + 1)/\(4 * side + $0 + 1)" }.joined(separator: " "))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func picture(lid: Bool) -> RGBImage {
    var state: UInt64 = 7
    func random() -> UInt8 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 40)
    }
    var picture = RGBImage(width: 6 * 128, height: 256)
    for row in 0..<32 {
      for column in 0..<96 {
        let colour = SIMD3(random(), random(), random() / 2)
        for y in 8 * row..<8 * row + 8 {
          for x in 8 * column..<8 * column + 8 { picture[x, y] = colour }
        }
      }
    }
    for y in 90..<170 {
      for x in 0..<picture.width {
        let grey = UInt8(120 + (x / 32) % 4 * 14)
        picture[x, y] = SIMD3(grey, grey, grey)
      }
    }
    if lid {
      for y in 0..<picture.height {
        for x in 4 * 128..<5 * 128 { picture[x, y] = SIMD3(170, 170, 165) }
      }
    }
    return picture
  }
}
