import Imaging

/// The kernels' formulas in the plainest Swift: what a kernel has to beat, and agree with.
enum PlainTwins {
  static func halved(_ image: GrayImage) -> GrayImage {
    var out = GrayImage(width: image.width / 2, height: image.height / 2, fill: 0)
    for y in 0..<out.height {
      for x in 0..<out.width {
        let upper = Int(image[2 * x, 2 * y]) + Int(image[2 * x + 1, 2 * y])
        let lower = Int(image[2 * x, 2 * y + 1]) + Int(image[2 * x + 1, 2 * y + 1])
        out[x, y] = UInt8((upper + lower + 2) / 4)
      }
    }
    return out
  }

  static func halved(_ image: RGBImage) -> RGBImage {
    var out = RGBImage(width: image.width / 2, height: image.height / 2)
    for y in 0..<out.height {
      for x in 0..<out.width {
        var colour = SIMD3<UInt8>.zero
        for c in 0..<3 {
          let upper = Int(image[2 * x, 2 * y][c]) + Int(image[2 * x + 1, 2 * y][c])
          let lower = Int(image[2 * x, 2 * y + 1][c]) + Int(image[2 * x + 1, 2 * y + 1][c])
          colour[c] = UInt8((upper + lower + 2) / 4)
        }
        out[x, y] = colour
      }
    }
    return out
  }

  /// Undistorts and interpolates pixel by pixel, without a map.
  static func undistorted(_ image: RGBImage, _ lens: Lens) -> RGBImage {
    var out = RGBImage(width: image.width, height: image.height)
    for y in 0..<image.height {
      for x in 0..<image.width {
        let ray = SIMD2((Double(x) - lens.cx) / lens.fx, (Double(y) - lens.cy) / lens.fy)
        let bent = lens.distort(ray)
        let place = SIMD2(lens.fx * bent.x + lens.cx, lens.fy * bent.y + lens.cy)
        guard place.x >= 0, place.y >= 0, place.x < Double(image.width - 1), place.y < Double(image.height - 1) else {
          continue
        }
        let column = Int(place.x)
        let row = Int(place.y)
        let a = place.x - Double(column)
        let b = place.y - Double(row)
        var colour = SIMD3<UInt8>.zero
        for c in 0..<3 {
          let top = Double(image[column, row][c]) * (1 - a) + Double(image[column + 1, row][c]) * a
          let bottom = Double(image[column, row + 1][c]) * (1 - a) + Double(image[column + 1, row + 1][c]) * a
          colour[c] = UInt8(top * (1 - b) + bottom * b + 0.5)
        }
        out[x, y] = colour
      }
    }
    return out
  }

  static func blurred(_ image: GrayImage, kernel: [Float]) -> GrayImage {
    let radius = kernel.count - 1
    var middle = FloatPlane(width: image.width, height: image.height, fill: 0)
    for y in 0..<image.height {
      for x in 0..<image.width {
        var sum: Float = 0
        for i in -radius...radius { sum += kernel[abs(i)] * Float(image[min(max(x + i, 0), image.width - 1), y]) }
        middle[x, y] = sum
      }
    }
    var out = GrayImage(width: image.width, height: image.height, fill: 0)
    for y in 0..<image.height {
      for x in 0..<image.width {
        var sum: Float = 0
        for i in -radius...radius { sum += kernel[abs(i)] * middle[x, min(max(y + i, 0), image.height - 1)] }
        out[x, y] = UInt8(min(max(sum + 0.5, 0), 255))
      }
    }
    return out
  }

  static func sobelEnergy(_ image: GrayImage) -> Int {
    var sum = 0
    for y in 1..<image.height - 1 {
      for x in 1..<image.width - 1 {
        var gx = 0
        var gy = 0
        for k in -1...1 {
          let weight = k == 0 ? 2 : 1
          gx += weight * (Int(image[x + 1, y + k]) - Int(image[x - 1, y + k]))
          gy += weight * (Int(image[x + k, y + 1]) - Int(image[x + k, y - 1]))
        }
        sum += gx * gx + gy * gy
      }
    }
    return sum
  }

  static func integral(_ image: GrayImage) -> [UInt32] {
    let stride = image.width + 1
    var sums = [UInt32](repeating: 0, count: stride * (image.height + 1))
    for y in 0..<image.height {
      for x in 0..<image.width {
        sums[(y + 1) * stride + x + 1] =
          UInt32(image[x, y]) &+ sums[y * stride + x + 1] &+ sums[(y + 1) * stride + x] &- sums[y * stride + x]
      }
    }
    return sums
  }

  static func histogram(_ image: GrayImage) -> [UInt32] {
    var counts = [UInt32](repeating: 0, count: 256)
    for pixel in image.pixels { counts[Int(pixel)] += 1 }
    return counts
  }

  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var crc = ~UInt32(0)
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
