import CImaging

/// For each pixel of a picture to be made, the place in an existing picture where it comes from: undistortion, rectification
/// or any other warp, worked out once and applied to as many pictures as there are. Places are kept to 1/256 of a pixel;
/// 8 bytes a pixel.
public struct PixelMap: Sendable {
  /// Columns of the pictures made.
  public let width: Int
  /// Rows of the pictures made.
  public let height: Int
  /// Columns of the pictures read.
  public let sourceWidth: Int
  /// Rows of the pictures read.
  public let sourceHeight: Int
  private var places: [cimaging_place]

  /// A map by a function from the pixel (column, row) of the picture made to the place in the picture read; nil or a place
  /// more than half a pixel outside means that nothing is seen there. Pixel centres are at whole numbers.
  public init(
    width: Int, height: Int, sourceWidth: Int, sourceHeight: Int, _ place: (_ x: Int, _ y: Int) -> SIMD2<Double>?
  ) {
    precondition(width >= 0 && height >= 0 && sourceWidth > 0 && sourceHeight > 0)
    precondition(sourceWidth.multipliedReportingOverflow(by: sourceHeight).partialValue <= Int(Int32.max))
    self.width = width
    self.height = height
    self.sourceWidth = sourceWidth
    self.sourceHeight = sourceHeight
    places = []
    places.reserveCapacity(width * height)
    for y in 0..<height {
      for x in 0..<width {
        places.append(PixelMap.encode(place(x, y), sourceWidth, sourceHeight))
      }
    }
  }

  private static func encode(_ place: SIMD2<Double>?, _ width: Int, _ height: Int) -> cimaging_place {
    let nowhere = cimaging_place(offset: -1, x: 0, y: 0)
    guard let place, place.x >= -0.5, place.y >= -0.5, place.x <= Double(width) - 0.5, place.y <= Double(height) - 0.5
    else { return nowhere }
    let x = Int(min(max(place.x, 0), Double(width - 1)) * 256 + 0.5)
    let y = Int(min(max(place.y, 0), Double(height - 1)) * 256 + 0.5)
    let column = min(x >> 8, max(width - 2, 0))
    let row = min(y >> 8, max(height - 2, 0))
    return cimaging_place(
      offset: Int32(row * width + column), x: UInt16(x - column << 8), y: UInt16(y - row << 8))
  }

  /// The picture that a camera of lens `target` would have taken from the same place, turned by `targetFromSource`
  /// (camera frames; identity: mere undistortion).
  public init(from source: Lens, to target: Lens, targetFromSource: Matrix3 = .identity) {
    let sourceFromTarget = targetFromSource.transpose
    self.init(
      width: target.width, height: target.height, sourceWidth: source.width, sourceHeight: source.height
    ) { x, y in
      source.project(sourceFromTarget * target.ray(SIMD2(Double(x), Double(y))))
    }
  }

  /// Whether anything is seen at a pixel of the pictures made.
  public func sees(x: Int, y: Int) -> Bool { places[y * width + x].offset >= 0 }

  /// 255 where something is seen, 0 where not.
  public var validity: GrayImage {
    GrayImage(width: width, height: height, pixels: places.map { $0.offset < 0 ? 0 : 255 })
  }

  /// Makes a picture by bilinear interpolation; `fill` where nothing is seen. Its size must be the source's.
  public func apply(_ image: GrayImage, fill: UInt8 = 0) -> GrayImage {
    GrayImage(width: width, height: height, pixels: apply(image.pixels, image.width, image.height, 1, fill))
  }

  /// Makes a picture by bilinear interpolation; `fill` where nothing is seen. Its size must be the source's.
  public func apply(_ image: RGBImage, fill: UInt8 = 0) -> RGBImage {
    RGBImage(width: width, height: height, bytes: apply(image.bytes, image.width, image.height, 3, fill))
  }

  private func apply(_ bytes: [UInt8], _ fromWidth: Int, _ fromHeight: Int, _ channels: Int, _ fill: UInt8) -> [UInt8] {
    precondition(fromWidth == sourceWidth && fromHeight == sourceHeight, "a picture of another size than the map's")
    let count = width * height
    return [UInt8](unsafeUninitializedCapacity: count * channels) { target, used in
      bytes.withUnsafeBufferPointer { source in
        places.withUnsafeBufferPointer { places in
          cimaging_remap(
            source.baseAddress, Int32(channels), sourceWidth > 1 ? 1 : 0, sourceHeight > 1 ? Int32(sourceWidth) : 0,
            places.baseAddress, count, fill, target.baseAddress)
        }
      }
      used = count * channels
    }
  }
}
