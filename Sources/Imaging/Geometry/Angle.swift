/// A plane angle. Stored in radians; a rig's configuration and records speak degrees.
public struct Angle: Sendable, Hashable, Comparable, Codable {
  /// The angle in radians.
  public var radians: Double

  /// An angle of so many radians.
  public init(radians: Double) { self.radians = radians }
  /// An angle of so many degrees.
  public init(degrees: Double) { radians = degrees * .pi / 180 }
  /// An angle of so many degrees.
  public static func degrees(_ value: Double) -> Angle { Angle(degrees: value) }
  /// An angle of so many radians.
  public static func radians(_ value: Double) -> Angle { Angle(radians: value) }
  /// No angle at all.
  public static let zero = Angle(radians: 0)

  /// The angle in degrees.
  public var degrees: Double { radians * 180 / .pi }

  /// Coded as a plain number of degrees: records are read by people.
  public init(from decoder: any Decoder) throws {
    self.init(degrees: try decoder.singleValueContainer().decode(Double.self))
  }
  /// Coded as a plain number of degrees.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(degrees)
  }

  /// Orders by size, without wrapping.
  public static func < (a: Angle, b: Angle) -> Bool { a.radians < b.radians }
  /// The sum, without wrapping.
  public static func + (a: Angle, b: Angle) -> Angle { Angle(radians: a.radians + b.radians) }
  /// The difference, without wrapping.
  public static func - (a: Angle, b: Angle) -> Angle { Angle(radians: a.radians - b.radians) }
  /// The same angle the other way round.
  public static prefix func - (a: Angle) -> Angle { Angle(radians: -a.radians) }
  /// A multiple.
  public static func * (a: Angle, factor: Double) -> Angle { Angle(radians: a.radians * factor) }
}
