import Imaging

/// Where everything on the rig stands, as built.
public struct GeometryConfiguration: Sendable, Hashable {
  /// The distance between the cameras, millimetres.
  public var baseline = 64.0
  /// From the middle between the cameras to the point they aim at, millimetres.
  public var distance = 450.0
  /// How far the cameras look down.
  public var elevation = Angle.degrees(25)
  /// How high above the table's centre they aim, millimetres.
  public var aimHeight = 40.0
  /// The radius of the turntable's disc, millimetres.
  public var tableRadius = 140.0

  /// The defaults.
  public init() {}
}

extension GeometryConfiguration: Configurable {
  static var fields: [Field<Self>] {
    [
      .value("baseline_mm", \.baseline, .number(5...500, unit: "mm"), "The distance between the two cameras."),
      .value(
        "distance_mm", \.distance, .number(50...5000, unit: "mm"),
        "From the middle between the cameras to the point they aim at, on the table's axis."),
      .value("elevation_deg", \.elevation, .degrees(0...89), "How far the cameras look down at pan = tilt = 0."),
      .value("aim_height_mm", \.aimHeight, .number(-200...1000, unit: "mm"), "How high above the table they aim."),
      .value("table_radius_mm", \.tableRadius, .number(20...1000, unit: "mm"), "The radius of the turntable's disc.")
    ]
  }
}
