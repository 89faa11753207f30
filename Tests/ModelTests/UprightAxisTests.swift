import Imaging
import Reconstruction
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct UprightAxisTests {
  /// A camera that looks at the origin of a world where `up` is up, from `azimuth` and `elevation` degrees, rolled.
  private func camera(_ azimuth: Double, _ elevation: Double, roll: Double, up: SIMD3<Double>) -> Matrix3 {
    let side = up.cross([0.3, -0.2, 0.9]).normalized
    let other = up.cross(side)
    let (a, e) = (azimuth * .pi / 180, elevation * .pi / 180)
    let forward = -((side * cos(a) + other * sin(a)) * cos(e) + up * sin(e))
    let right = forward.cross(up).normalized
    return Matrix3.rotation(.degrees(roll), about: [0, 0, 1]) * Matrix3(right, forward.cross(right), forward)
  }

  private struct Ring {
    var elevation: Double
    var arc = 0.0..<360.0
    var count = 24
    /// Degrees each camera in turn is rolled by.
    var rolls = [0.0]
  }

  private func expectUpright(
    _ rings: [Ring], within degrees: Double = 1, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for up in [SIMD3<Double>(0, 1, 0), [0, 0, -1], [1, 0, 0], SIMD3(0.3, -0.8, 0.5).normalized] {
      var cameras: [Matrix3] = []
      for ring in rings {
        for i in 0..<ring.count {
          let part = Double(i) / Double(ring.count)
          let azimuth = ring.arc.lowerBound + part * (ring.arc.upperBound - ring.arc.lowerBound)
          // cameras are never held quite as meant
          let unevenness = 0.7 * sin(Double(7 * i))
          cameras.append(
            camera(azimuth, ring.elevation + unevenness, roll: ring.rolls[i % ring.rolls.count] + unevenness, up: up))
        }
      }
      let found = try #require(UprightAxis(cameras).up)
      let off = acos(min(1, found.dot(up))) * 180 / .pi
      #expect(off < degrees, "\(off)° off \(up)", sourceLocation: sourceLocation)
    }
  }

  @Test func levelCamerasStandUpright() throws {
    for elevation in [-10.0, 0, 5, 30, 60] { try expectUpright([Ring(elevation: elevation)]) }
  }

  @Test func camerasOnTheirSideStandUpright() throws {
    for elevation in [5.0, 20, 50] {
      try expectUpright([Ring(elevation: elevation, rolls: [90])])
      try expectUpright([Ring(elevation: elevation, rolls: [-90])])
    }
  }

  @Test func picturesTurnedEitherWayOfOneRingStandUpright() throws {
    // as a gantry makes them that reaches over its top for the far side; all turned the same way no longer sum up
    try expectUpright([Ring(elevation: 8, rolls: [90, 90, -90])])
    try expectUpright([Ring(elevation: 25, rolls: [90, -90, 0, 0])])
  }

  @Test func partsOfARingStandUpright() throws {
    for rolls in [[0.0], [90]] {
      try expectUpright([Ring(elevation: 10, arc: 0..<180, rolls: rolls)])
      try expectUpright([Ring(elevation: 35, arc: 0..<180, rolls: rolls)])
      try expectUpright([Ring(elevation: 15, arc: 40..<140, rolls: rolls)], within: 2)
    }
  }

  @Test func ringsAtSeveralHeightsStandUpright() throws {
    for rolls in [[0.0], [90]] {
      try expectUpright([Ring(elevation: 10, rolls: rolls), Ring(elevation: 45, rolls: rolls)])
      try expectUpright([
        Ring(elevation: 0, rolls: rolls), Ring(elevation: 30, rolls: rolls), Ring(elevation: 70, count: 8)
      ])
    }
  }

  @Test func withoutCamerasNothingIsUp() {
    #expect(UprightAxis([]).up == nil)
  }
}
