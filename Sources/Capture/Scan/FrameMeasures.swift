import Imaging

/// How bright a part of a picture is.
struct Brightness: Sendable {
  /// Mean brightness 0…1.
  var mean: Double
  /// Share of pixels with a channel at the end of its range.
  var clipped: Double

  /// Measures a part of a picture, or all of it.
  init(_ image: RGBImage, in region: PixelRect? = nil) {
    let region = region ?? PixelRect(width: image.width, height: image.height)
    mean = ExposureMeasure(image.gray(in: region)).mean / 255
    clipped = ExposureMeasure(image.brightestChannel(in: region)).clippedHigh
  }
}

/// What one picture of a pair is worth.
struct ShotMeasure: Sendable {
  /// Tenengrad over squared mean brightness, so that exposure does not count. Noise stays in: on a plain object there is
  /// little else, and what is left without it would vary like blur.
  var sharpness: Double
  var brightness: Brightness

  /// Measures a picture where the object is in it.
  init(_ image: RGBImage, in region: PixelRect) {
    brightness = Brightness(image, in: region)
    let mean = max(1, 255 * brightness.mean)
    sharpness = SharpnessMeasure(image.gray(in: region), noise: 0).tenengrad / (mean * mean)
  }
}

extension RGBImage {
  /// The brightness averaged over blocks of `block` × `block` pixels; a rest at the right and lower edge is left out.
  func blockMeans(_ block: Int) -> FloatPlane {
    let columns = max(1, width / block)
    let rows = max(1, height / block)
    var out = FloatPlane(width: columns, height: rows, fill: 0)
    let w = min(block, width)
    let h = min(block, height)
    let scale = 1 / Float(256 * w * h)
    bytes.withUnsafeBufferPointer { bytes in
      out.pixels.withUnsafeMutableBufferPointer { out in
        for row in 0..<rows {
          for column in 0..<columns {
            var sum = 0
            for y in 0..<h {
              var i = 3 &* ((row &* block &+ y) &* width &+ column &* block)
              for _ in 0..<w {
                sum &+= 77 &* Int(bytes[i]) &+ 150 &* Int(bytes[i &+ 1]) &+ 29 &* Int(bytes[i &+ 2])
                i &+= 3
              }
            }
            out[row &* columns &+ column] = Float(sum) * scale
          }
        }
      }
    }
    return out
  }
}

extension Plane<Float> {
  /// Root mean square of the difference to a plane of the same size.
  func rootMeanSquareDifference(to other: FloatPlane) -> Double {
    precondition(width == other.width && height == other.height)
    var sum = 0.0
    pixels.withUnsafeBufferPointer { a in
      other.pixels.withUnsafeBufferPointer { b in
        for row in 0..<height {
          var line: Float = 0
          for i in row &* width..<(row &+ 1) &* width {
            let d = a[i] - b[i]
            line += d * d
          }
          sum += Double(line)
        }
      }
    }
    return (sum / Double(Swift.max(1, pixels.count))).squareRoot()
  }
}
