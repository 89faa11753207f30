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
}
