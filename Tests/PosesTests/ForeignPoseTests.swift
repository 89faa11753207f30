import Imaging
import Reconstruction
import Testing

/// A speckled ball seen by a ring of cameras.
private enum SpeckledBall {
  static let (width, height, radius) = (320, 240, 50.0)

  static func view(_ i: Int, of count: Int) -> PosedView {
    let azimuth = Double(i) / Double(count) * 2 * .pi
    let tilt = i % 2 == 0 ? 0.2 : 0.5
    let turn = Matrix3.rotation(Angle(radians: azimuth), about: [0, 1, 0])
    let from = turn * (Matrix3.rotation(Angle(radians: -tilt), about: [1, 0, 0]) * SIMD3(0, 0, 1))
    let z = -from
    let x = z.cross([0, 1, 0]).normalized
    let r = Matrix3(x, z.cross(x), z)
    return PosedView(
      index: i, name: "\(i)", path: "\(i)",
      lens: Lens(width: width, height: height, fx: 700, fy: 700, cx: 159.5, cy: 119.5),
      cameraFromWorld: RigidTransform(rotation: r, translation: r * (-400 * from)), pass: 1, stop: i, side: 0)
  }

  /// Smooth noise in space: hashed lattice values, interpolated; two octaves.
  static func speckle(_ p: SIMD3<Double>) -> Double {
    func value(_ x: Int, _ y: Int, _ z: Int) -> Double {
      var h = UInt64(bitPattern: Int64(x &* 73_856_093 ^ y &* 19_349_663 ^ z &* 83_492_791))
      h = (h ^ (h >> 30)) &* 0xBF58_476D_1CE4_E5B9
      h = (h ^ (h >> 27)) &* 0x94D0_49BB_1331_11EB
      return Double((h ^ (h >> 31)) >> 40) / Double(1 << 24)
    }
    func smooth(_ q: SIMD3<Double>) -> Double {
      let f = q.rounded(.down)
      let (x, y, z) = (Int(f.x), Int(f.y), Int(f.z))
      let t = q - f
      func mix(_ a: Double, _ b: Double, _ t: Double) -> Double { a + (b - a) * t }
      let near = mix(
        mix(value(x, y, z), value(x + 1, y, z), t.x), mix(value(x, y + 1, z), value(x + 1, y + 1, z), t.x), t.y)
      let far = mix(
        mix(value(x, y, z + 1), value(x + 1, y, z + 1), t.x),
        mix(value(x, y + 1, z + 1), value(x + 1, y + 1, z + 1), t.x), t.y)
      return mix(near, far, t.z)
    }
    return 0.6 * smooth(p / 5) + 0.4 * smooth(p / 2.3 + SIMD3(31, 17, 5))
  }

  static func picture(_ view: PosedView) -> RGBImage {
    let c = view.cameraFromWorld.translation
    let back = view.cameraFromWorld.rotation.transpose
    var picture = RGBImage(width: width, height: height, fill: (6, 6, 6))
    for y in 0..<height {
      for x in 0..<width {
        let d = view.lens.ray(SIMD2(Double(x), Double(y))).normalized
        let along = d.dot(c)
        let inside = along * along - c.dot(c) + radius * radius
        guard inside > 0 else { continue }
        let p = back * (d * (along - inside.squareRoot()) - c)
        let level = UInt8(40 + 200 * min(1, max(0, 1.6 * speckle(p) - 0.3)))
        picture[x, y] = SIMD3(level, level, UInt8(Double(level) * 0.8))
      }
    }
    return picture
  }

  static let truth: [PosedView] = (0..<14).map { view($0, of: 14) }
  static let pictures: [RGBImage] = truth.map(picture)

  static func set(disturbed: Bool) -> ViewSet {
    var views = truth
    if disturbed {
      for i in views.indices {
        let turn = Matrix3.rotation(vector: 0.004 * SIMD3(sin(i, 1), sin(i, 2), sin(i, 3)))
        let t = views[i].cameraFromWorld
        views[i].cameraFromWorld = RigidTransform(
          rotation: turn * t.rotation, translation: t.translation + 0.4 * SIMD3(sin(i, 4), sin(i, 5), sin(i, 6)))
      }
    }
    return ViewSet(views: views, box: nil, tableHeight: nil, isMetric: false)
  }

  private static func sin(_ i: Int, _ k: Int) -> Double {
    Matrix3.rotation(Angle(radians: Double(i * k) * 1.7 + Double(k)), about: [0, 0, 1]).row1.x
  }

  static func run(_ set: ViewSet) throws -> PoseResult {
    let pictures = ViewPictures(of: set) { path throws(ReconstructionError) in SpeckledBall.pictures[Int(path)!] }
    let masks = try MaskStage.run(set, pictures: pictures, progress: NoProgress())
    return try PoseStage.run(set, masks: masks, pictures: pictures, progress: NoProgress())
  }
}

@Suite struct ForeignPoseTests {
  @Test func truePosesExplainThePicturesAndAreLeftAlone() throws {
    let result = try SpeckledBall.run(SpeckledBall.set(disturbed: false))
    #expect(result.statistics.rmsAfter < 0.5)
    #expect(!result.statistics.isRefined)
    #expect(result.points.count > 100)
    let distances = result.points.map { abs($0.position.length - SpeckledBall.radius) }.sorted()
    #expect(distances[distances.count / 2] < 0.2)
    for (a, b) in zip(result.views.views, SpeckledBall.truth) { #expect(a.cameraFromWorld == b.cameraFromWorld) }
  }

  @Test func disturbedPosesAreMended() throws {
    let result = try SpeckledBall.run(SpeckledBall.set(disturbed: true))
    #expect(result.statistics.isRefined)
    #expect(result.statistics.rmsAfter < 0.5 * result.statistics.rmsBefore)
    #expect(result.statistics.heldOutAfter < result.statistics.heldOutBefore)
    #expect(result.statistics.rmsAfter < 0.6)
  }
}
