/// A rotation followed by a translation: `bFromA` takes a point in frame a to frame b.
public struct RigidTransform: Sendable, Hashable {
  /// The rotation part.
  public var rotation: Matrix3
  /// The translation part, in the unit of the target frame (millimetres on a rig).
  public var translation: SIMD3<Double>

  /// A transform from its parts.
  @inlinable public init(rotation: Matrix3, translation: SIMD3<Double>) {
    self.rotation = rotation
    self.translation = translation
  }

  /// No motion.
  public static let identity = RigidTransform(rotation: .identity, translation: .zero)

  /// The turn by `angle` about the line through `point` along the unit vector `direction`.
  public static func turn(_ angle: Angle, about direction: SIMD3<Double>, through point: SIMD3<Double>)
    -> RigidTransform
  {
    let r = Matrix3.rotation(angle, about: direction)
    return RigidTransform(rotation: r, translation: point - r * point)
  }

  /// The inverse motion.
  @inlinable public var inverse: RigidTransform {
    let t = rotation.transpose
    return RigidTransform(rotation: t, translation: -(t * translation))
  }

  /// For `cameraFromWorld`: where the camera stands in the world.
  @inlinable public var centre: SIMD3<Double> { -(rotation.transpose * translation) }

  /// The transform applied to a point.
  @inlinable public static func * (t: RigidTransform, p: SIMD3<Double>) -> SIMD3<Double> {
    t.rotation * p + t.translation
  }

  /// First `b`, then `a`.
  @inlinable public static func * (a: RigidTransform, b: RigidTransform) -> RigidTransform {
    RigidTransform(rotation: a.rotation * b.rotation, translation: a.rotation * b.translation + a.translation)
  }
}

/// Coded as twelve numbers, the rows of [R | t].
extension RigidTransform: Codable {
  /// Reads the rows of [R | t].
  public init(from decoder: any Decoder) throws {
    let n = try decoder.singleValueContainer().decode([Double].self)
    guard n.count == 12 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a rigid transform has 12 numbers, not \(n.count)"))
    }
    self.init(
      rotation: Matrix3([n[0], n[1], n[2]], [n[4], n[5], n[6]], [n[8], n[9], n[10]]), translation: [n[3], n[7], n[11]])
  }
  /// Writes the rows of [R | t].
  public func encode(to encoder: any Encoder) throws {
    let r = rotation
    let t = translation
    var container = encoder.singleValueContainer()
    try container.encode([
      r.row0.x, r.row0.y, r.row0.z, t.x, r.row1.x, r.row1.y, r.row1.z, t.y, r.row2.x, r.row2.y, r.row2.z, t.z
    ])
  }
}
