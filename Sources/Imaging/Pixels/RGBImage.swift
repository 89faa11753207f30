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
  public var gray: GrayImage {
    let count = width * height
    let out = [UInt8](unsafeUninitializedCapacity: count) { buffer, n in
      bytes.withUnsafeBufferPointer { source in
        for i in 0..<count {
          let r = Int(source[3 &* i])
          let g = Int(source[3 &* i &+ 1])
          let b = Int(source[3 &* i &+ 2])
          buffer[i] = UInt8(truncatingIfNeeded: (77 &* r &+ 150 &* g &+ 29 &* b &+ 128) >> 8)
        }
      }
      n = count
    }
    return GrayImage(width: width, height: height, pixels: out)
  }
}
