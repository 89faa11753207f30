import Imaging

extension Plane<UInt8> {
  /// The rectangle around all pixels that are not 0, or nil when there is none.
  var extent: (columns: Range<Int>, rows: Range<Int>)? {
    pixels.withUnsafeBufferPointer { pixels in
      var (left, right, top, bottom) = (width, -1, height, -1)
      for y in 0..<height {
        let row = UnsafeBufferPointer(rebasing: pixels[y * width..<(y + 1) * width])
        guard let first = row.firstIndex(where: { $0 != 0 }), let last = row.lastIndex(where: { $0 != 0 }) else {
          continue
        }
        left = Swift.min(left, first)
        right = Swift.max(right, last)
        top = Swift.min(top, y)
        bottom = y
      }
      return right < 0 ? nil : (left..<right + 1, top..<bottom + 1)
    }
  }

  /// A rectangle of the picture.
  func cropped(_ columns: Range<Int>, _ rows: Range<Int>) -> GrayImage {
    var cut: [UInt8] = []
    cut.reserveCapacity(columns.count * rows.count)
    for y in rows { cut += pixels[y * width + columns.lowerBound..<y * width + columns.upperBound] }
    return GrayImage(width: columns.count, height: rows.count, pixels: cut)
  }

  /// The picture at a place in a larger one that is black around it.
  func placed(at origin: (x: Int, y: Int), in size: (width: Int, height: Int)) -> GrayImage {
    var large = GrayImage(width: size.width, height: size.height, fill: 0)
    for y in 0..<height {
      let start = (origin.y + y) * size.width + origin.x
      large.pixels.replaceSubrange(start..<start + width, with: pixels[y * width..<(y + 1) * width])
    }
    return large
  }

  /// Half the size, 255 where any of the four pixels is not 0 (an odd last row or column is dropped).
  var pooled: GrayImage {
    let (columns, rows, stride) = (width / 2, height / 2, width)
    let out = [UInt8](unsafeUninitializedCapacity: columns * rows) { target, count in
      pixels.withUnsafeBufferPointer { source in
        for y in 0..<rows {
          for x in 0..<columns {
            let i = 2 * y * stride + 2 * x
            target[y * columns + x] = source[i] | source[i + 1] | source[i + stride] | source[i + stride + 1]
          }
        }
      }
      count = columns * rows
    }
    return GrayImage(width: columns, height: rows, pixels: out)
  }
}

extension RGBImage {
  /// A rectangle of the picture.
  func cropped(_ columns: Range<Int>, _ rows: Range<Int>) -> RGBImage {
    var cut: [UInt8] = []
    cut.reserveCapacity(3 * columns.count * rows.count)
    for y in rows { cut += bytes[3 * (y * width + columns.lowerBound)..<3 * (y * width + columns.upperBound)] }
    return RGBImage(width: columns.count, height: rows.count, bytes: cut)
  }
}
