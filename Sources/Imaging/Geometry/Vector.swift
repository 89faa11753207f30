// What a geometer expects of a vector; the standard library has the storage and the element-wise operators.

extension SIMD3 where Scalar: BinaryFloatingPoint {
  /// The inner product.
  @inlinable public func dot(_ other: Self) -> Scalar { x * other.x + y * other.y + z * other.z }
  /// The vector product.
  @inlinable public func cross(_ b: Self) -> Self {
    Self(y * b.z - z * b.y, z * b.x - x * b.z, x * b.y - y * b.x)
  }
  /// The Euclidean length.
  @inlinable public var length: Scalar { dot(self).squareRoot() }
  /// The same direction with length one; the zero vector stays as it is.
  @inlinable public var normalized: Self {
    let l = length
    return l > 0 ? self / l : self
  }
}

extension SIMD2 where Scalar: BinaryFloatingPoint {
  /// The inner product.
  @inlinable public func dot(_ other: Self) -> Scalar { x * other.x + y * other.y }
  /// The Euclidean length.
  @inlinable public var length: Scalar { dot(self).squareRoot() }
}
