import Imaging

/// A value that no rig has: the key it stands at, and what is wrong with it.
///
/// A session may come from anywhere and may have been edited by hand. What cannot be right is refused where it is read:
/// further on it would be divided by, and end as an empty model or as none.
struct Implausible: Error {
  /// The key in the file, as `geometry.stereo.left.fx`.
  let key: String
  let reason: String

  /// Throws unless `value` lies in `range`; a number that is none lies nowhere.
  static func check(_ value: Double, _ range: ClosedRange<Double>, _ key: String) throws(Implausible) {
    guard range.contains(value) else {
      throw Implausible(key: key, reason: "is \(value), not from \(range.lowerBound) to \(range.upperBound)")
    }
  }

  /// Throws unless `value` lies in `range`.
  static func check(_ value: Int, _ range: ClosedRange<Int>, _ key: String) throws(Implausible) {
    guard range.contains(value) else {
      throw Implausible(key: key, reason: "is \(value), not from \(range.lowerBound) to \(range.upperBound)")
    }
  }
}

extension SessionManifest {
  /// Throws `.damaged` for what no rig and no scan can have; `path` is the file it stands in.
  func checkPlausible(_ path: String) throws(SessionError) {
    do throws(Implausible) {
      try Implausible.check(shotsPerPass, 1...100_000, "shotsPerPass")
      try Implausible.check(passes, 1...1000, "passes")
      try geometry.checkPlausible("geometry")
    } catch {
      throw SessionError(
        .damaged, path: path, operation: "\(error.key) \(error.reason)", remedy: "correct it, or scan again")
    }
  }
}

extension RigGeometry {
  fileprivate func checkPlausible(_ key: String) throws(Implausible) {
    try stereo.left.checkPlausible(key + ".stereo.left")
    try stereo.right.checkPlausible(key + ".stereo.right")
    try stereo.rightFromLeft.checkPlausible(key + ".stereo.rightFromLeft")
    guard stereo.baseline >= 0.1 else {
      throw Implausible(
        key: key + ".stereo.rightFromLeft", reason: "puts the two cameras \(stereo.baseline) mm apart, into one place")
    }
    try leftFromTable.checkPlausible(key + ".leftFromTable")
    guard leftFromTable.centre.length >= 1 else {
      throw Implausible(key: key + ".leftFromTable", reason: "puts the left camera into the middle of the table")
    }
    try panAxis.checkPlausible(key + ".panAxis")
    try tiltAxis.checkPlausible(key + ".tiltAxis")
    try Implausible.check(tableRadius, 1...100_000, key + ".tableRadius")
  }
}

extension Lens {
  fileprivate func checkPlausible(_ key: String) throws(Implausible) {
    // no picture is larger in either direction (JPEG's own limit)
    try Implausible.check(width, 1...65_500, key + ".width")
    try Implausible.check(height, 1...65_500, key + ".height")
    try Implausible.check(fx, 1...1e7, key + ".fx")
    try Implausible.check(fy, 1...1e7, key + ".fy")
    try Implausible.check(cx, -1e7...1e7, key + ".cx")
    try Implausible.check(cy, -1e7...1e7, key + ".cy")
    for (name, value) in [("k1", k1), ("k2", k2), ("k3", k3), ("p1", p1), ("p2", p2)] {
      try Implausible.check(value, -1e4...1e4, "\(key).\(name)")
    }
  }
}

extension RigidTransform {
  /// How far a rotation's rows may be from perpendicular unit vectors: what writing with four digits leaves.
  private static let tolerance = 1e-3

  fileprivate func checkPlausible(_ key: String) throws(Implausible) {
    let product = rotation * rotation.transpose
    let off = [product.row0 - [1, 0, 0], product.row1 - [0, 1, 0], product.row2 - [0, 0, 1]].map(\.length).max() ?? 0
    guard off <= Self.tolerance, rotation.determinant > 0 else {
      throw Implausible(key: key, reason: "its 3×3 part is not a rotation")
    }
    for value in [translation.x, translation.y, translation.z] { try Implausible.check(value, -1e6...1e6, key) }
  }
}

extension Line3 {
  fileprivate func checkPlausible(_ key: String) throws(Implausible) {
    guard abs(direction.length - 1) <= 1e-3 else {
      throw Implausible(key: key + ".direction", reason: "is not a vector of length 1")
    }
    for value in [point.x, point.y, point.z] { try Implausible.check(value, -1e6...1e6, key + ".point") }
  }
}

extension AxisAngles {
  /// Throws for angles that no axis has. A turntable may count its turns.
  func checkPlausible(_ key: String) throws(Implausible) {
    try Implausible.check(turntable.degrees, -1e6...1e6, key + ".turntable")
    try Implausible.check(pan.degrees, -360...360, key + ".pan")
    try Implausible.check(tilt.degrees, -360...360, key + ".tilt")
  }
}
