#if canImport(Glibc)
  import Glibc
#endif

/// A 3×3 matrix of doubles, held as three rows.
public struct Matrix3: Sendable, Hashable {
  /// The first row.
  public var row0: SIMD3<Double>
  /// The second row.
  public var row1: SIMD3<Double>
  /// The third row.
  public var row2: SIMD3<Double>

  /// A matrix from its rows.
  @inlinable public init(_ row0: SIMD3<Double>, _ row1: SIMD3<Double>, _ row2: SIMD3<Double>) {
    self.row0 = row0
    self.row1 = row1
    self.row2 = row2
  }

  /// The identity.
  public static let identity = Matrix3([1, 0, 0], [0, 1, 0], [0, 0, 1])

  /// The rotation by `angle` about the unit vector `axis` (right-hand rule; Rodrigues' formula).
  public static func rotation(_ angle: Angle, about axis: SIMD3<Double>) -> Matrix3 {
    let c = cos(angle.radians)
    let s = sin(angle.radians)
    let a = axis
    let t = a * (1 - c)
    return Matrix3(
      [t.x * a.x + c, t.x * a.y - s * a.z, t.x * a.z + s * a.y],
      [t.y * a.x + s * a.z, t.y * a.y + c, t.y * a.z - s * a.x],
      [t.z * a.x - s * a.y, t.z * a.y + s * a.x, t.z * a.z + c])
  }

  /// The rotation whose axis is `vector` and whose angle in radians is the vector's length (exponential map).
  public static func rotation(vector: SIMD3<Double>) -> Matrix3 {
    let length = vector.length
    if length < 1e-12 { return .identity }
    return rotation(Angle(radians: length), about: vector / length)
  }

  /// The rotation vector (axis times angle in radians) of a rotation matrix.
  public var rotationVector: SIMD3<Double> {
    let v = SIMD3(row2.y - row1.z, row0.z - row2.x, row1.x - row0.y)
    let sine = v.length / 2
    let cosine = (row0.x + row1.y + row2.z - 1) / 2
    let angle = atan2(sine, cosine)
    if sine > 1e-9 { return v * (angle / (2 * sine)) }
    if cosine > 0 { return v / 2 }
    // half a turn: the axis is the column of R + I with the largest diagonal
    let d = SIMD3(row0.x + 1, row1.y + 1, row2.z + 1)
    let column =
      d.x >= d.y && d.x >= d.z
      ? SIMD3(d.x, row1.x, row2.x) : d.y >= d.z ? SIMD3(row0.y, d.y, row2.y) : SIMD3(row0.z, row1.z, d.z)
    return column.normalized * angle
  }

  /// The transpose; of a rotation, the inverse.
  @inlinable public var transpose: Matrix3 {
    Matrix3([row0.x, row1.x, row2.x], [row0.y, row1.y, row2.y], [row0.z, row1.z, row2.z])
  }

  /// The determinant.
  @inlinable public var determinant: Double { row0.dot(row1.cross(row2)) }

  /// The inverse, or nil where the determinant is zero.
  public var inverse: Matrix3? {
    let d = determinant
    guard d != 0, d.isFinite else { return nil }
    let columns = Matrix3(row1.cross(row2) / d, row2.cross(row0) / d, row0.cross(row1) / d)
    return columns.transpose
  }

  /// The matrix applied to a vector.
  @inlinable public static func * (m: Matrix3, v: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(m.row0.dot(v), m.row1.dot(v), m.row2.dot(v))
  }

  /// The matrix product.
  @inlinable public static func * (a: Matrix3, b: Matrix3) -> Matrix3 {
    let t = b.transpose
    return Matrix3(t * a.row0, t * a.row1, t * a.row2)
  }
}
