import Imaging

#if canImport(Glibc)
  import Glibc
#endif

extension RigGeometry {
  /// The geometry of a rig as it is drawn, before anything is calibrated: two equal, parallel cameras
  /// whose middle stands `distance` from the aim point on the table's axis and looks down at it by `elevation`, in the
  /// plane x = 0 on the +z side of the table.
  ///
  /// - Parameters:
  ///   - width: picture width in pixels.
  ///   - height: picture height in pixels.
  ///   - focalLength: in pixels; nil means 1.75 times the shorter side (a field of about 32° along it).
  ///   - k1: radial distortion of both lenses, see `Lens`.
  ///   - k2: radial distortion of both lenses.
  ///   - baseline: the distance between the cameras in millimetres.
  ///   - distance: from the aim point to the middle between the cameras, in millimetres.
  ///   - elevation: how steeply the head looks down.
  ///   - aimHeight: the height of the aim point above the table's surface, in millimetres.
  ///   - tableRadius: of the turntable's disc, in millimetres.
  public static func nominal(
    width: Int = 1200, height: Int = 1600, focalLength: Double? = nil, k1: Double = -0.06, k2: Double = 0.04,
    baseline: Double = 64, distance: Double = 450, elevation: Angle = .degrees(25), aimHeight: Double = 40,
    tableRadius: Double = 140
  ) -> RigGeometry {
    let f = focalLength ?? 1.75 * Double(min(width, height))
    var lens = Lens(
      width: width, height: height, fx: f, fy: f, cx: Double(width - 1) / 2, cy: Double(height - 1) / 2)
    lens.k1 = k1
    lens.k2 = k2
    let c = cos(elevation.radians)
    let s = sin(elevation.radians)
    let rotation = Matrix3([1, 0, 0], [0, -c, s], [0, -s, -c])
    let middle = SIMD3(0, aimHeight + distance * s, distance * c)
    let leftFromTable = RigidTransform(
      rotation: rotation, translation: -(rotation * middle) + SIMD3(baseline / 2, 0, 0))
    let rightFromLeft = RigidTransform(rotation: .identity, translation: [-baseline, 0, 0])
    // the head's axes cross 40 mm behind the lenses, midway between them
    let pivot = SIMD3(baseline / 2, 0, -40.0)
    return RigGeometry(
      stereo: StereoCalibration(left: lens, right: lens, rightFromLeft: rightFromLeft), leftFromTable: leftFromTable,
      panAxis: Line3(point: pivot, direction: rotation * SIMD3(0, 1, 0)),
      tiltAxis: Line3(point: pivot, direction: [1, 0, 0]), tableRadius: tableRadius)
  }
}
