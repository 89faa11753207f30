/// How much of the directions around the object has enough pictures.
public struct CoverageSummary: Sendable, Hashable {
  /// Sectors with enough pictures.
  public var covered: Int
  /// All sectors of the dial.
  public var of: Int
  /// Pictures counted.
  public var pictures: Int

  /// The covered share, 0…1.
  public var fraction: Double { of > 0 ? Double(covered) / Double(of) : 0 }
}
