/// A rectangle of pixels.
public struct PixelRect: Sendable, Hashable, Codable {
  /// The first column.
  public var x: Int
  /// The first row.
  public var y: Int
  /// Columns.
  public var width: Int
  /// Rows.
  public var height: Int

  /// A rectangle from its place and size; a negative size is none.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = max(width, 0)
    self.height = max(height, 0)
  }

  /// A whole picture of the given size.
  public init(width: Int, height: Int) { self.init(x: 0, y: 0, width: width, height: height) }

  /// How many pixels it covers.
  public var area: Int { width * height }

  /// What of it lies within a picture of the given size (perhaps nothing).
  public func clamped(width pictureWidth: Int, height pictureHeight: Int) -> PixelRect {
    let left = min(max(x, 0), pictureWidth)
    let top = min(max(y, 0), pictureHeight)
    let right = min(max(x + width, left), pictureWidth)
    let bottom = min(max(y + height, top), pictureHeight)
    return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// Whether it covers the pixel in column `x` of row `y`.
  public func contains(_ x: Int, _ y: Int) -> Bool {
    x >= self.x && y >= self.y && x < self.x + width && y < self.y + height
  }

  /// What both cover (perhaps nothing).
  public func intersection(_ other: PixelRect) -> PixelRect {
    let left = max(x, other.x)
    let top = max(y, other.y)
    return PixelRect(
      x: left, y: top, width: min(x + width, other.x + other.width) - left,
      height: min(y + height, other.y + other.height) - top)
  }
}
