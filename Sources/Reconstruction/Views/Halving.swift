import Imaging

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

extension RGBImage {
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
