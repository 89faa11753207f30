/// The two cameras of a rig: their lenses and where the right one sees what the left one sees.
public struct StereoCalibration: Sendable, Hashable, Codable {
  /// The left camera's lens.
  public var left: Lens
  /// The right camera's lens.
  public var right: Lens
  /// Takes a point in the left camera's frame to the right camera's frame, in millimetres.
  public var rightFromLeft: RigidTransform

  /// A calibration from its parts.
  public init(left: Lens, right: Lens, rightFromLeft: RigidTransform) {
    self.left = left
    self.right = right
    self.rightFromLeft = rightFromLeft
  }

  /// The distance between the two cameras, in millimetres.
  public var baseline: Double { rightFromLeft.translation.length }
}

/// A directed line in space.
public struct Line3: Sendable, Hashable, Codable {
  /// A point on the line.
  public var point: SIMD3<Double>
  /// The unit direction.
  public var direction: SIMD3<Double>

  /// A line through `point` along `direction`, which is normalised.
  public init(point: SIMD3<Double>, direction: SIMD3<Double>) {
    self.point = point
    self.direction = direction.normalized
  }
}

/// Where everything on a rig stands, as configured (nominal) or calibrated.
///
/// Frames: a **camera** looks along +z with x right and y down. The **table** frame has its origin where the turntable's
/// axis meets its surface, +y up along the axis, and does not turn. The **object** frame is the table frame carried along
/// by the turntable; the two agree at turntable angle 0, and a positive angle turns the object counter-clockwise seen
/// from above (right-hand rule about +y). Millimetres throughout.
public struct RigGeometry: Sendable, Hashable, Codable {
  /// The twin cameras.
  public var stereo: StereoCalibration
  /// Takes table coordinates to the left camera's frame when pan and tilt are zero.
  public var leftFromTable: RigidTransform
  /// The pan axis in the left camera's frame at pan = tilt = 0; a positive pan turns the camera to its left.
  public var panAxis: Line3
  /// The tilt axis in the left camera's frame at pan = tilt = 0; a positive tilt raises the view.
  public var tiltAxis: Line3
  /// The radius of the turntable's disc.
  public var tableRadius: Double

  /// A geometry from its parts.
  public init(
    stereo: StereoCalibration, leftFromTable: RigidTransform, panAxis: Line3, tiltAxis: Line3, tableRadius: Double
  ) {
    self.stereo = stereo
    self.leftFromTable = leftFromTable
    self.panAxis = panAxis
    self.tiltAxis = tiltAxis
    self.tableRadius = tableRadius
  }

  /// Takes table coordinates to the left camera's frame with the head at `pan`, `tilt` (the head pans its tilt axis along).
  public func leftFromTable(pan: Angle, tilt: Angle) -> RigidTransform {
    let head =
      RigidTransform.turn(pan, about: panAxis.direction, through: panAxis.point)
      * RigidTransform.turn(tilt, about: tiltAxis.direction, through: tiltAxis.point)
    return head.inverse * leftFromTable
  }

  /// Takes object coordinates to the left camera's frame at the given axis angles.
  public func leftFromObject(turntable: Angle, pan: Angle, tilt: Angle) -> RigidTransform {
    leftFromTable(pan: pan, tilt: tilt)
      * RigidTransform(rotation: .rotation(turntable, about: [0, 1, 0]), translation: .zero)
  }
}
