/// A colour picture, 8 bits a channel, interleaved R G B in sRGB, row after row without padding.
public struct RGBImage: Sendable {
  /// Columns.
  public let width: Int
  /// Rows.
  public let height: Int
  /// `3 * width * height` bytes.
  public var bytes: [UInt8]

  /// A picture of one colour.
  public init(width: Int, height: Int, fill: (UInt8, UInt8, UInt8) = (0, 0, 0)) {
    precondition(width >= 0 && height >= 0)
    self.width = width
    self.height = height
    // an empty array has no storage of its own to write its length to
    guard width * height > 0 else {
      bytes = []
      return
    }
    bytes = [UInt8](unsafeUninitializedCapacity: 3 * width * height) { buffer, count in
      for i in 0..<width * height {
        buffer[3 * i] = fill.0
        buffer[3 * i + 1] = fill.1
        buffer[3 * i + 2] = fill.2
      }
      count = 3 * width * height
    }
  }

  /// A picture over bytes that exist already; `bytes.count` must be `3 * width * height`.
  public init(width: Int, height: Int, bytes: [UInt8]) {
    precondition(bytes.count == 3 * width * height)
    self.width = width
    self.height = height
    self.bytes = bytes
  }

  /// The colour in column `x` of row `y`.
  @inlinable public subscript(x: Int, y: Int) -> SIMD3<UInt8> {
    get {
      let i = 3 * (y * width + x)
      return SIMD3(bytes[i], bytes[i + 1], bytes[i + 2])
    }
    set {
      let i = 3 * (y * width + x)
      bytes[i] = newValue.x
      bytes[i + 1] = newValue.y
      bytes[i + 2] = newValue.z
    }
  }

  /// Brightness by the weights of ITU-R BT.601, in whole numbers: (77 R + 150 G + 29 B) / 256.
  public var gray: GrayImage { gray(in: PixelRect(x: 0, y: 0, width: width, height: height)) }

  /// The brightness of a part of the picture; what of `rect` is outside is left out.
  public func gray(in rect: PixelRect) -> GrayImage {
    plane(rect) { r, g, b in (77 &* r &+ 150 &* g &+ 29 &* b &+ 128) >> 8 }
  }

  /// The largest of each pixel's channels in a part of the picture: colours burn out one channel at a time.
  public func brightestChannel(in rect: PixelRect) -> GrayImage { plane(rect) { r, g, b in max(r, max(g, b)) } }

  @inline(__always)
  private func plane(_ rect: PixelRect, _ value: (Int, Int, Int) -> Int) -> GrayImage {
    let area = rect.clamped(width: width, height: height)
    let out = [UInt8](unsafeUninitializedCapacity: area.area) { buffer, n in
      bytes.withUnsafeBufferPointer { source in
        for y in 0..<area.height {
          let first = 3 &* ((area.y &+ y) &* width &+ area.x)
          let row = y &* area.width
          for x in 0..<area.width {
            let i = first &+ 3 &* x
            buffer[row &+ x] = UInt8(
              truncatingIfNeeded: value(Int(source[i]), Int(source[i &+ 1]), Int(source[i &+ 2])))
          }
        }
      }
      n = area.area
    }
    return GrayImage(width: area.width, height: area.height, pixels: out)
  }
}
