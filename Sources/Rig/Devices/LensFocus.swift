/// A part of a picture, in shares of its width and height, 0…1: the same at full and at viewfinder size.
public struct PictureWindow: Sendable, Hashable {
  /// The left and upper edge.
  public var x: Double, y: Double
  /// How far it reaches from there.
  public var width: Double, height: Double

  /// A window from its place and size.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}

/// What came of letting the lenses of twin cameras focus once. Positions are in dioptres.
public struct LensFocus: Sendable, Hashable {
  /// Where the lenses stand that found a focus; nil for one that found none.
  public var left: Double?, right: Double?
  /// Where both can be put.
  public var range: ClosedRange<Double>

  /// The outcome of both.
  public init(left: Double?, right: Double?, range: ClosedRange<Double>) {
    self.left = left
    self.right = right
    self.range = range
  }

  /// Lenses that saw the same thing differ by the error of focusing, a fraction of this.
  private static let mostApart = 0.5

  /// The position for both lenses, or nil where neither found a focus. `expected` is where the geometry sees it.
  ///
  /// Both get one: a lens that moves changes its focal length, and what is matched between the pictures has to be as large and as
  /// sharp in both; the twins are equally far from what they look at. The mean has less error than either. Where the two
  /// disagree, one of them took something else, and half-way between both would be right for neither.
  public func position(expected: Double) -> Double? {
    guard let left, let right else { return left ?? right }
    if (left - right).magnitude <= Self.mostApart { return (left + right) / 2 }
    return (left - expected).magnitude <= (right - expected).magnitude ? left : right
  }
}
