import Codecs
import Foundation
import Imaging

/// A painted box photographed from all around, as files: pictures and a Middlebury `par.txt`.
public struct PaintedBox: Sendable {
  /// Half its edges, millimetres.
  public static let half = SIMD3<Double>(30, 22, 18)
  /// Where everything lies.
  public let folder: String
  /// The folder of the pictures.
  public var images: String { folder + "/images" }
  /// The file of the cameras.
  public var cameras: String { folder + "/par.txt" }

  /// Takes `count` pictures of `width` × `width` pixels in two rings; `gain` brightens a picture.
  public init(count: Int, width: Int, gain: (Int) -> Double = { _ in 1 }) throws {
    folder = NSTemporaryDirectory() + "painted-box-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: images, withIntermediateDirectories: true)
    var lines = ["\(count)"]
    for i in 0..<count {
      let azimuth = 2 * Double.pi * Double(i) / Double(count) * 2
      let height = (i < count / 2 ? 18.0 : 42.0) * .pi / 180
      let back = SIMD3(sin(azimuth) * cos(height), sin(height), cos(azimuth) * cos(height))
      let right = SIMD3<Double>(0, 1, 0).cross(back).normalized
      let rotation = Matrix3(right, -(back.cross(right)), -back)
      let centre = back * 260
      let focal = Double(width) * 2.6
      let middle = Double(width - 1) / 2
      let picture = Self.picture(rotation, centre, focal, middle, width, gain(i))
      try Data(PNG.encode(picture)).write(to: URL(fileURLWithPath: images + "/\(i).png"))
      let r = rotation
      let t = -(rotation * centre)
      let numbers = [
        focal, 0, middle, 0, focal, middle, 0, 0, 1, r.row0.x, r.row0.y, r.row0.z, r.row1.x, r.row1.y, r.row1.z,
        r.row2.x,
        r.row2.y, r.row2.z, t.x, t.y, t.z
      ]
      lines.append("\(i).png " + numbers.map { "\($0)" }.joined(separator: " "))
    }
    try (lines.joined(separator: "\n") + "\n").write(toFile: cameras, atomically: true, encoding: .utf8)
  }

  /// Takes the folder away.
  public func remove() { try? FileManager.default.removeItem(atPath: folder) }

  private static func picture(
    _ rotation: Matrix3, _ centre: SIMD3<Double>, _ focal: Double, _ middle: Double, _ width: Int, _ gain: Double
  ) -> RGBImage {
    var image = RGBImage(width: width, height: width, fill: (6, 6, 8))
    let samples = [SIMD2(-0.25, -0.25), SIMD2(0.25, -0.25), SIMD2(-0.25, 0.25), SIMD2(0.25, 0.25)]
    for y in 0..<width {
      for x in 0..<width {
        var sum = SIMD3<Double>.zero
        for s in samples {
          let pixel = SIMD3((Double(x) + s.x - middle) / focal, (Double(y) + s.y - middle) / focal, 1)
          let direction = rotation.transpose * pixel
          let colour = hit(centre, direction).map { paint($0) * gain } ?? SIMD3(6, 6, 8)
          sum += colour / 4
        }
        let clamped = sum.clamped(lowerBound: .zero, upperBound: .init(repeating: 255))
        image[x, y] = SIMD3<UInt8>(clamped + 0.5)
      }
    }
    return image
  }

  private static func hit(_ origin: SIMD3<Double>, _ direction: SIMD3<Double>) -> SIMD3<Double>? {
    let a = (-half - origin) / direction
    let b = (half - origin) / direction
    let near = pointwiseMin(a, b).max()
    let far = pointwiseMax(a, b).min()
    return near < far && near > 0 ? origin + direction * near : nil
  }

  /// The colour of a place on the box, 0…255: a tint a side, with blobs of several sizes.
  public static func paint(_ p: SIMD3<Double>) -> SIMD3<Double> {
    let q = p / half
    let size = SIMD3(abs(q.x), abs(q.y), abs(q.z))
    var base =
      size.x >= size.y && size.x >= size.z
      ? SIMD3(190.0, 110, 80) : size.y >= size.z ? SIMD3(100.0, 180, 90) : SIMD3(90.0, 110, 190)
    if q.x + q.y + q.z < 0 { base = SIMD3(base.z, base.x, base.y) }
    let wave =
      sin(p.x * 0.9 + 0.3 * p.y) * sin(p.y * 0.8 - 0.2 * p.z) + sin(p.z * 1.1 + 0.5 * p.x)
      * sin(p.y * 0.37 + p.x * 0.21)
      + 0.6 * sin(p.x * 2.1 + p.z * 1.7) * sin(p.y * 2.3)
    return base * (0.8 + 0.22 * wave)
  }
}
