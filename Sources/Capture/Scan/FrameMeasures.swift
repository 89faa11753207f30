import Imaging

/// Numbers read off a picture's region.
struct ExposureMeasure: Sendable {
  /// Mean brightness 0…1.
  var meanLuma: Double
  /// Share of pixels with a channel at the end of its range.
  var clipped: Double

  init(_ image: RGBImage, in region: PictureRegion) {
    var sum = 0
    var burnt = 0
    let width = image.width
    image.bytes.withUnsafeBufferPointer { bytes in
      for y in region.y {
        var i = 3 &* (y &* width &+ region.x.lowerBound)
        for _ in region.x {
          let r = Int(bytes[i])
          let g = Int(bytes[i &+ 1])
          let b = Int(bytes[i &+ 2])
          sum &+= 77 &* r &+ 150 &* g &+ 29 &* b
          if max(r, max(g, b)) >= 252 { burnt &+= 1 }
          i &+= 3
        }
      }
    }
    let count = Double(max(1, region.x.count * region.y.count))
    meanLuma = Double(sum) / (256 * 255 * count)
    clipped = Double(burnt) / count
  }
}

extension RGBImage {
  /// Tenengrad: mean squared Sobel response of the brightness in a region (Tenenbaum 1970; Krotkov, "Focusing", 1987),
  /// over the squared mean brightness so that exposure does not count.
  func tenengrad(in region: PictureRegion) -> Double {
    let x = max(1, region.x.lowerBound)..<min(width - 1, region.x.upperBound)
    let y = max(1, region.y.lowerBound)..<min(height - 1, region.y.upperBound)
    guard x.count > 0, y.count > 0, region.x.lowerBound < region.x.upperBound else { return 0 }
    var energy = 0.0
    var brightness = 0
    let stride = 3 &* width
    bytes.withUnsafeBufferPointer { bytes in
      // green stands for brightness: it is the sensor's densest channel
      for row in y {
        var sum = 0
        var i = row &* stride &+ 3 &* x.lowerBound &+ 1
        for _ in x {
          let a = Int(bytes[i &- stride &- 3])
          let b = Int(bytes[i &- stride])
          let c = Int(bytes[i &- stride &+ 3])
          let d = Int(bytes[i &- 3])
          let f = Int(bytes[i &+ 3])
          let g = Int(bytes[i &+ stride &- 3])
          let h = Int(bytes[i &+ stride])
          let k = Int(bytes[i &+ stride &+ 3])
          let gx = c &+ 2 &* f &+ k &- a &- 2 &* d &- g
          let gy = g &+ 2 &* h &+ k &- a &- 2 &* b &- c
          sum &+= gx &* gx &+ gy &* gy
          brightness &+= Int(bytes[i])
          i &+= 3
        }
        energy += Double(sum)
      }
    }
    let count = Double(x.count * y.count)
    let mean = max(1, Double(brightness) / count)
    return energy / count / (mean * mean)
  }

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
