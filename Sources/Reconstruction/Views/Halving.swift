import Imaging

extension Lens {
  /// The lens of a picture halved by 2×2 means, where an odd last row or column is dropped.
  var halved: Lens {
    var lens = self
    lens.width /= 2
    lens.height /= 2
    lens.fx /= 2
    lens.fy /= 2
    lens.cx = (cx + 0.5) / 2 - 0.5
    lens.cy = (cy + 0.5) / 2 - 0.5
    return lens
  }
}

extension Plane where Pixel: FixedWidthInteger & UnsignedInteger {
  /// Half the size, each pixel the rounded mean of 2×2.
  @inline(__always) fileprivate func halvedPlane() -> Plane<Pixel> {
    let columns = width / 2
    let rows = height / 2
    let stride = width
    let out = [Pixel](unsafeUninitializedCapacity: columns * rows) { target, count in
      pixels.withUnsafeBufferPointer { source in
        guard let base = source.baseAddress, let first = target.baseAddress else { return }
        for y in 0..<rows {
          let upper = base + 2 &* y &* stride
          let lower = upper + stride
          let row = first + y &* columns
          for x in 0..<columns {
            let i = 2 &* x
            let sum =
              UInt32(truncatingIfNeeded: upper[i]) &+ UInt32(truncatingIfNeeded: upper[i &+ 1])
              &+ UInt32(truncatingIfNeeded: lower[i]) &+ UInt32(truncatingIfNeeded: lower[i &+ 1])
            row[x] = Pixel(truncatingIfNeeded: (sum &+ 2) >> 2)
          }
        }
      }
      count = columns * rows
    }
    return Plane(width: columns, height: rows, pixels: out)
  }
}

extension Plane<UInt8> {
  /// Half the size, each pixel the rounded mean of 2×2.
  var halved: GrayImage { halvedPlane() }
}

extension Plane<UInt8> {
  /// Half the size, each pixel the largest of 2×2: of masks, where any part of a pixel counts.
  var halvedByMaximum: GrayImage {
    let columns = width / 2
    let rows = height / 2
    var out = GrayImage(width: columns, height: rows, fill: 0)
    pixels.withUnsafeBufferPointer { source in
      out.pixels.withUnsafeMutableBufferPointer { target in
        for y in 0..<rows {
          for x in 0..<columns {
            let i = 2 &* y &* width &+ 2 &* x
            target[y &* columns &+ x] = max(
              max(source[i], source[i &+ 1]), max(source[i &+ width], source[i &+ width &+ 1]))
          }
        }
      }
    }
    return out
  }
}

extension Plane<UInt16> {
  /// Half the size, each pixel the rounded mean of 2×2.
  var halved: Plane<UInt16> { halvedPlane() }
}

extension RGBImage {
  /// Half the size, each pixel the rounded mean of 2×2.
  var halved: RGBImage {
    let columns = width / 2
    let rows = height / 2
    let stride = 3 * width
    let out = [UInt8](unsafeUninitializedCapacity: 3 * columns * rows) { target, count in
      bytes.withUnsafeBufferPointer { source in
        guard let base = source.baseAddress, let first = target.baseAddress else { return }
        for y in 0..<rows {
          let upper = base + 2 &* y &* stride
          let lower = upper + stride
          let row = first + 3 &* y &* columns
          for x in 0..<columns {
            for channel in 0..<3 {
              let i = 6 &* x &+ channel
              let sum = UInt32(upper[i]) &+ UInt32(upper[i &+ 3]) &+ UInt32(lower[i]) &+ UInt32(lower[i &+ 3])
              row[3 &* x &+ channel] = UInt8(truncatingIfNeeded: (sum &+ 2) >> 2)
            }
          }
        }
      }
      count = 3 * columns * rows
    }
    return RGBImage(width: columns, height: rows, bytes: out)
  }

  /// Brightness by the weights of `gray` times 256, without its rounding.
  var luminance: Plane<UInt16> {
    let count = width * height
    let out = [UInt16](unsafeUninitializedCapacity: count) { target, n in
      bytes.withUnsafeBufferPointer { source in
        for i in 0..<count {
          let r = UInt32(source[3 &* i])
          let g = UInt32(source[3 &* i &+ 1])
          let b = UInt32(source[3 &* i &+ 2])
          target[i] = UInt16(truncatingIfNeeded: 77 &* r &+ 150 &* g &+ 29 &* b)
        }
      }
      n = count
    }
    return Plane(width: width, height: height, pixels: out)
  }
}
