/// The charge of a resting cell as a function of its voltage, for gauges that measure nothing but voltage and current.
///
/// An approximation: under load a cell says less and while charging more than its charge is worth, and cells differ.
public struct OpenCircuitCurve: Sendable, Hashable {
  /// A point of the curve.
  public struct Point: Sendable, Hashable {
    /// Volts of one cell.
    public var volts: Double
    /// State of charge, 0…1.
    public var level: Double

    /// A point from its coordinates.
    public init(volts: Double, level: Double) {
      self.volts = volts
      self.level = level
    }
  }

  /// The points, rising in both coordinates.
  public let points: [Point]
  /// The voltages one such cell can have at all.
  public let plausible: ClosedRange<Double>

  /// A curve; nil unless there are at least two points, rising in voltage and not falling in level. Beyond the points
  /// the level stays what it is at the end; outside the plausible voltages it is unknown.
  public init?(points: [Point], plausible: ClosedRange<Double>) {
    guard points.count >= 2 else { return nil }
    for (a, b) in zip(points, points.dropFirst()) where !(a.volts < b.volts && a.level <= b.level) { return nil }
    self.points = points
    self.plausible = plausible
  }

  private init(trusted points: [Point], plausible: ClosedRange<Double>) {
    self.points = points
    self.plausible = plausible
  }

  /// Lithium-ion cells that are full at 4.2 V. An approximation: rounded from the resting voltages that makers of
  /// lithium-polymer packs commonly give; good to about ten percent at rest. A cell below 2 V has been cut off by its
  /// protection, and none survives above 4.4 V: such a voltage means another number of cells, or no cell at all.
  public static let lithiumIon = OpenCircuitCurve(
    trusted: [
      Point(volts: 3.27, level: 0), Point(volts: 3.61, level: 0.05), Point(volts: 3.69, level: 0.1),
      Point(volts: 3.73, level: 0.2), Point(volts: 3.77, level: 0.3), Point(volts: 3.80, level: 0.4),
      Point(volts: 3.84, level: 0.5), Point(volts: 3.87, level: 0.6), Point(volts: 3.95, level: 0.7),
      Point(volts: 4.02, level: 0.8), Point(volts: 4.11, level: 0.9), Point(volts: 4.20, level: 1)
    ], plausible: 2.0...4.4)

  /// The level of a cell at rest; nil where no cell has such a voltage.
  public func level(volts: Double) -> Double? {
    guard plausible.contains(volts) else { return nil }
    guard let upper = points.firstIndex(where: { $0.volts >= volts }) else { return points.last?.level }
    if upper == 0 { return points[0].level }
    let a = points[upper - 1]
    let b = points[upper]
    return a.level + (b.level - a.level) * (volts - a.volts) / (b.volts - a.volts)
  }
}
