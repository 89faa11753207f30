import CImaging

/// Sums over rectangles in constant time.
///
/// F. C. Crow, "Summed-area tables for texture mapping", SIGGRAPH 1984. Sums are kept in 32 bits and wrap around in pictures
/// of more than 16 megapixels; differences of them are right all the same for rectangles of up to 16 megapixels.
public struct IntegralImage: Sendable {
  /// Columns of the picture.
  public let width: Int
  /// Rows of the picture.
  public let height: Int
  private let sums: [UInt32]

  /// The sums of a picture.
  public init(_ image: GrayImage) {
    width = image.width
    height = image.height
    let count = (image.width + 1) * (image.height + 1)
    sums = [UInt32](unsafeUninitializedCapacity: count) { target, used in
      image.pixels.withUnsafeBufferPointer {
        cimaging_integral($0.baseAddress, Int32(image.width), Int32(image.height), target.baseAddress)
      }
      used = count
    }
  }

  /// The sum over a rectangle, which must lie within the picture.
  public func sum(_ rect: PixelRect) -> UInt32 {
    let stride = width + 1
    let top = rect.y * stride
    let bottom = (rect.y + rect.height) * stride
    let right = rect.x + rect.width
    return sums[bottom + right] &- sums[bottom + rect.x] &- sums[top + right] &+ sums[top + rect.x]
  }

  /// The mean over a rectangle, which must lie within the picture; 0 for an empty one.
  public func mean(_ rect: PixelRect) -> Double {
    rect.area == 0 ? 0 : Double(sum(rect)) / Double(rect.area)
  }
}
