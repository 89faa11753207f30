/// One channel of a picture, row after row without padding. A value: copies are made only when one of two is written.
///
/// Kernels work on `withUnsafeBufferPointer` and row pointers; `subscript` is for everything that is not hot.
public struct Plane<Pixel: Sendable>: Sendable {
  /// Columns.
  public let width: Int
  /// Rows.
  public let height: Int
  /// `width * height` pixels, row by row.
  public var pixels: [Pixel]

  /// A plane filled with one value.
  @inlinable public init(width: Int, height: Int, fill: Pixel) {
    precondition(width >= 0 && height >= 0)
    self.width = width
    self.height = height
    pixels = [Pixel](repeating: fill, count: width * height)
  }

  /// A plane over pixels that exist already; `pixels.count` must be `width * height`.
  @inlinable public init(width: Int, height: Int, pixels: [Pixel]) {
    precondition(pixels.count == width * height)
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// The pixel in column `x` of row `y`.
  @inlinable public subscript(x: Int, y: Int) -> Pixel {
    get { pixels[y * width + x] }
    set { pixels[y * width + x] = newValue }
  }
}

/// Brightness, 0…255.
public typealias GrayImage = Plane<UInt8>
/// One number a pixel: depth in millimetres, weights, …
public typealias FloatPlane = Plane<Float>
