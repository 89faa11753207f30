import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// How the rig really stands, as against what it is believed to be.
extension RigGeometry {
  /// The same rig with the errors of its making.
  func disturbed(by e: GeometryErrors, seed: UInt64) -> RigGeometry {
    var random = SeededRandom(seed: seed, stream: "geometry")
    var actual = self
    let common = 1 + random.normal(e.focal)
    for path in [\RigGeometry.stereo.left, \RigGeometry.stereo.right] {
      let scale = Double(actual[keyPath: path].width) / 1200
      actual[keyPath: path].fx *= common * (1 + random.normal(e.focal * 0.3))
      actual[keyPath: path].fy *= common * (1 + random.normal(e.focal * 0.3))
      actual[keyPath: path].cx += random.normal(e.principalPoint * scale)
      actual[keyPath: path].cy += random.normal(e.principalPoint * scale)
      actual[keyPath: path].k1 += random.normal(e.distortion)
      actual[keyPath: path].p1 += random.normal(e.tangential)
      actual[keyPath: path].p2 += random.normal(e.tangential)
    }
    let turn = Matrix3.rotation(vector: random.normal3(e.stereoAngle * .pi / 180))
    actual.stereo.rightFromLeft = RigidTransform(
      rotation: turn * stereo.rightFromLeft.rotation,
      translation: stereo.rightFromLeft.translation * (1 + random.normal(e.baseline)))
    let table = RigidTransform(
      rotation: .rotation(vector: random.normal3(e.axisAngle * .pi / 180)), translation: random.normal3(e.axisPosition))
    actual.leftFromTable = leftFromTable * table
    for path in [\RigGeometry.panAxis, \RigGeometry.tiltAxis] {
      let axis = actual[keyPath: path]
      actual[keyPath: path] = Line3(
        point: axis.point + random.normal3(e.headPosition),
        direction: Matrix3.rotation(vector: random.normal3(e.headAngle * .pi / 180)) * axis.direction)
    }
    return actual
  }

  /// The head set by hand so that it looks down at about `elevation` onto the table's axis from about `distance`.
  func headMoved(elevation: Angle, distance: Double, random: inout SeededRandom) -> RigidTransform {
    let aim = SIMD3(0, 45, 0) + random.normal3(5)
    let yaw = Angle.degrees(random.normal(4))
    let roll = Angle.degrees(random.normal(1))
    let steep = elevation + .degrees(random.normal(1))
    let c = cos(steep.radians)
    let s = sin(steep.radians)
    let looking = Matrix3([1, 0, 0], [0, -c, s], [0, -s, -c]) * Matrix3.rotation(-yaw, about: [0, 1, 0])
    let rotation = Matrix3.rotation(roll, about: [0, 0, 1]) * looking
    let middle = SIMD3(0, 0, distance + random.normal(8))
    // the middle between the cameras looks at the aim; the left one stands half a baseline beside it
    let half = -stereo.rightFromLeft.translation / 2
    return RigidTransform(rotation: rotation, translation: middle + half - rotation * aim)
  }
}
