/// A camera's intrinsics: a pinhole with Brown–Conrady distortion (D. C. Brown, "Close-range camera calibration", 1971;
/// the order k1 k2 p1 p2 k3 is OpenCV's). Pixel centres are at whole numbers: the first pixel's centre is (0, 0).
public struct Lens: Sendable, Hashable, Codable {
  /// Width of the picture in pixels.
  public var width: Int
  /// Height of the picture in pixels.
  public var height: Int
  /// Focal lengths in pixels.
  public var fx: Double, fy: Double
  /// Principal point in pixels.
  public var cx: Double, cy: Double
  /// Radial distortion.
  public var k1 = 0.0, k2 = 0.0, k3 = 0.0
  /// Tangential distortion.
  public var p1 = 0.0, p2 = 0.0

  /// A pinhole without distortion.
  public init(width: Int, height: Int, fx: Double, fy: Double, cx: Double, cy: Double) {
    self.width = width
    self.height = height
    self.fx = fx
    self.fy = fy
    self.cx = cx
    self.cy = cy
  }

  /// Whether the lens bends straight lines at all.
  public var isDistorted: Bool { k1 != 0 || k2 != 0 || k3 != 0 || p1 != 0 || p2 != 0 }

  /// The same pinhole with the distortion removed.
  public var pinhole: Lens { Lens(width: width, height: height, fx: fx, fy: fy, cx: cx, cy: cy) }

  /// The distorted place of a normalised image point (x/z, y/z).
  @inlinable public func distort(_ p: SIMD2<Double>) -> SIMD2<Double> {
    let r2 = p.x * p.x + p.y * p.y
    let radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    let x = p.x * radial + 2 * p1 * p.x * p.y + p2 * (r2 + 2 * p.x * p.x)
    let y = p.y * radial + p1 * (r2 + 2 * p.y * p.y) + 2 * p2 * p.x * p.y
    return SIMD2(x, y)
  }

  /// The undistorted place of a distorted normalised point, by fixed-point iteration.
  public func undistort(_ d: SIMD2<Double>) -> SIMD2<Double> {
    guard isDistorted else { return d }
    var p = d
    for _ in 0..<20 {
      let step = d - distort(p)
      p += step
      if step.x.magnitude + step.y.magnitude < 1e-12 { break }
    }
    return p
  }

  /// The pixel of a point in the camera's frame (x right, y down, z forward), or nil where it is not in front. Of a point
  /// beside the camera it is further off than whole numbers go: see `nearestPixel`.
  @inlinable public func project(_ point: SIMD3<Double>) -> SIMD2<Double>? {
    guard point.z > 0 else { return nil }
    let d = distort(SIMD2(point.x / point.z, point.y / point.z))
    return SIMD2(fx * d.x + cx, fy * d.y + cy)
  }

  /// The direction (x, y, 1) in the camera's frame that falls on a pixel.
  public func ray(_ pixel: SIMD2<Double>) -> SIMD3<Double> {
    let p = undistort(SIMD2((pixel.x - cx) / fx, (pixel.y - cy) / fy))
    return SIMD3(p.x, p.y, 1)
  }

  /// The lens of the same camera when its pictures are scaled to `width` × `height`; pixel centres move accordingly.
  public func scaled(width: Int, height: Int) -> Lens {
    let sx = Double(width) / Double(self.width)
    let sy = Double(height) / Double(self.height)
    var lens = self
    lens.width = width
    lens.height = height
    lens.fx *= sx
    lens.fy *= sy
    lens.cx = (cx + 0.5) * sx - 0.5
    lens.cy = (cy + 0.5) * sy - 0.5
    return lens
  }
}

extension SIMD2 where Scalar: BinaryFloatingPoint {
  /// The pixel this place lies in, in a picture of that size; nil outside of it, however far, and where it is no place.
  @inlinable public func nearestPixel(width: Int, height: Int) -> (x: Int, y: Int)? {
    // compared before it is made whole: beside a camera nearly everything is infinitely far off
    guard x > -0.5, y > -0.5, x < Scalar(width) - 0.5, y < Scalar(height) - 0.5 else { return nil }
    return (Int(x.rounded()), Int(y.rounded()))
  }
}
