import CSolver
import Imaging
import Testing

/// A rig that sees random points on a turning table, and again after the object was laid on another side.
private struct SyntheticRig {
  var bundle = Bundle()
  let truth: Bundle

  struct Bundle {
    var poses: [csolver_pose] = []
    var lenses: [csolver_lens] = []
    var turns: [csolver_turn] = []
    var views: [csolver_view] = []
    var points: [csolver_point] = []
    var observations: [csolver_observation] = []

    /// Where the bundle's own numbers put an observation.
    func pixel(_ o: csolver_observation) -> SIMD2<Double> {
      let view = views[Int(o.view)]
      let point = points[Int(o.point)]
      var x = SIMD3(point.position.0, point.position.1, point.position.2)
      if view.object >= 0 && point.on_table == 0 { x = transform(poses[Int(view.object)]) * x }
      let angle = view.angle + (view.turn >= 0 ? turns[Int(view.turn)].angle : 0)
      x = Matrix3.rotation(Angle(radians: angle), about: [0, 1, 0]) * x
      x = transform(poses[Int(view.head)]) * x
      if view.side >= 0 { x = transform(poses[Int(view.side)]) * x }
      let lens = lenses[Int(view.lens)]
      return SIMD2(lens.fx * x.x / x.z + lens.cx, lens.fy * x.y / x.z + lens.cy)
    }

    var rms: Double {
      let sum = observations.reduce(0.0) { sum, o in
        let d = pixel(o) - SIMD2(o.x, o.y)
        return sum + d.dot(d)
      }
      return (sum / Double(observations.count)).squareRoot()
    }

    mutating func solve() -> Int32 {
      poses.withUnsafeMutableBufferPointer { poses in
        lenses.withUnsafeMutableBufferPointer { lenses in
          turns.withUnsafeMutableBufferPointer { turns in
            points.withUnsafeMutableBufferPointer { points in
              views.withUnsafeBufferPointer { views in
                observations.withUnsafeBufferPointer { observations in
                  var all = csolver_bundle(
                    poses: poses.baseAddress, pose_count: poses.count, lenses: lenses.baseAddress,
                    lens_count: lenses.count, turns: turns.baseAddress, turn_count: turns.count,
                    points: points.baseAddress, point_count: points.count, views: views.baseAddress,
                    view_count: views.count, observations: observations.baseAddress,
                    observation_count: observations.count, loss_scale: 1, max_iterations: 60)
                  return csolver_adjust(&all, nil, nil, nil, 0)
                }
              }
            }
          }
        }
      }
    }
  }

  init() {
    var b = Bundle()
    var seed: UInt64 = 7
    func random() -> Double {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(seed >> 11) / Double(1 << 53) * 2 - 1
    }
    let down = 0.45
    let head = RigidTransform(
      rotation: Matrix3([1, 0, 0], [0, -cos45(down), sin45(down)], [0, -sin45(down), -cos45(down)]),
      translation: [32, 36, 467])
    let flip = RigidTransform(
      rotation: .rotation(vector: [0.4, 1.1, 2.0]), translation: [3, 40, -5])
    b.poses = [
      pose([-64, 0, 0], .identity, 0.01, 1, length: 0.001), pose(head.translation, head.rotation, 0.05, 10),
      pose(.zero, .identity, 0, 0), pose(flip.translation, flip.rotation, 0.5, 50)
    ]
    b.lenses = [
      csolver_lens(fx: 1050, fy: 1050, cx: 299.5, cy: 399.5, focal_sigma: 0.01, centre_sigma: 5),
      csolver_lens(fx: 1050, fy: 1050, cx: 299.5, cy: 399.5, focal_sigma: 0.01, centre_sigma: 5)
    ]
    for i in 0..<120 {
      let onTable = i % 3 == 0
      b.points.append(
        csolver_point(
          position: (50 * random(), onTable ? 0 : 40 + 40 * random(), 50 * random()), height_sigma: onTable ? 0.1 : 0,
          on_table: onTable ? 1 : 0))
    }
    for stop in 0..<12 {
      b.turns.append(csolver_turn(angle: 0.003 * random(), sigma: 0.01))
      for side in 0..<2 {
        b.views.append(
          csolver_view(
            lens: Int32(side), side: side == 0 ? -1 : 0, head: 1, turn: Int32(stop), object: stop < 6 ? 2 : 3,
            angle: Double(stop % 6)))
      }
    }
    for view in b.views.indices {
      for point in b.points.indices where (view + point) % 2 == 0 {
        var o = csolver_observation(view: Int32(view), point: Int32(point), x: 0, y: 0)
        let p = b.pixel(o)
        o.x = p.x
        o.y = p.y
        b.observations.append(o)
      }
    }
    truth = b
    bundle = b
    for i in bundle.points.indices {
      bundle.points[i].position.0 += 2 * random()
      bundle.points[i].position.1 += 2 * random()
      bundle.points[i].position.2 += 2 * random()
    }
    for i in [0, 1, 3] {
      let old = transform(bundle.poses[i])
      let moved = RigidTransform(
        rotation: .rotation(vector: 0.01 * SIMD3(random(), random(), random())) * old.rotation,
        translation: old.translation + (i == 0 ? .zero : 2 * SIMD3(random(), random(), random())))
      bundle.poses[i] = pose(
        moved.translation, moved.rotation, truth.poses[i].rotation_sigma, truth.poses[i].translation_sigma,
        length: truth.poses[i].length_sigma)
    }
    for i in bundle.turns.indices { bundle.turns[i].angle = 0 }
    bundle.lenses[0].fx *= 1.002
    bundle.lenses[1].cx += 1
  }
}

private func cos45(_ a: Double) -> Double { Matrix3.rotation(Angle(radians: a), about: [1, 0, 0]).row1.y }
private func sin45(_ a: Double) -> Double { -Matrix3.rotation(Angle(radians: a), about: [1, 0, 0]).row1.z }

private func pose(
  _ t: SIMD3<Double>, _ r: Matrix3, _ rotation: Double, _ translation: Double, length: Double = 0
) -> csolver_pose {
  csolver_pose(
    rotation: (r.row0.x, r.row0.y, r.row0.z, r.row1.x, r.row1.y, r.row1.z, r.row2.x, r.row2.y, r.row2.z),
    translation: (t.x, t.y, t.z), rotation_sigma: rotation, translation_sigma: translation, length_sigma: length)
}

private func transform(_ p: csolver_pose) -> RigidTransform {
  let (r, t) = (p.rotation, p.translation)
  return RigidTransform(
    rotation: Matrix3([r.0, r.1, r.2], [r.3, r.4, r.5], [r.6, r.7, r.8]), translation: [t.0, t.1, t.2])
}

@Suite struct SolverTests {
  @Test func disturbedRigIsBroughtBackToWhatThePicturesShow() {
    var rig = SyntheticRig()
    #expect(rig.truth.rms < 1e-9)
    #expect(rig.bundle.rms > 3)
    #expect(rig.bundle.solve() == 0)
    #expect(rig.bundle.rms < 0.1)
    // the baseline is what gives the scale, and stays
    #expect(abs(transform(rig.bundle.poses[0]).translation.length - 64) < 0.02)
    // what does not depend on the frame: distances on the object
    func position(_ p: csolver_point) -> SIMD3<Double> { SIMD3(p.position.0, p.position.1, p.position.2) }
    for i in stride(from: 4, to: rig.bundle.points.count, by: 3) {
      let found = (position(rig.bundle.points[i]) - position(rig.bundle.points[1])).length
      let truth = (position(rig.truth.points[i]) - position(rig.truth.points[1])).length
      #expect(abs(found - truth) < 0.2)
    }
    for i in rig.bundle.points.indices where rig.bundle.points[i].on_table != 0 {
      #expect(abs(rig.bundle.points[i].position.1) < 0.1)
    }
  }

  @Test func solvingIsTheSameEveryTime() {
    var (a, b) = (SyntheticRig(), SyntheticRig())
    #expect(a.bundle.solve() == 0 && b.bundle.solve() == 0)
    for i in a.bundle.points.indices { #expect(a.bundle.points[i].position == b.bundle.points[i].position) }
  }

  @Test func whatMustNotMoveDoesNot() {
    var rig = SyntheticRig()
    for i in rig.bundle.poses.indices where i != 3 { rig.bundle.poses[i].rotation_sigma = 0 }
    let before = transform(rig.bundle.poses[1])
    #expect(rig.bundle.solve() == 0)
    #expect(transform(rig.bundle.poses[1]) == before)
  }

  @Test func indicesOutOfRangeAreRefused() {
    var rig = SyntheticRig()
    rig.bundle.observations[5].point = 120
    #expect(rig.bundle.solve() == 2)
    rig = SyntheticRig()
    rig.bundle.views[3].head = -1
    #expect(rig.bundle.solve() == 2)
    rig = SyntheticRig()
    rig.bundle.views[3].lens = 9
    #expect(rig.bundle.solve() == 2)
  }

  @Test func stopsWhenAsked() {
    var rig = SyntheticRig()
    let before = rig.bundle.points[0].position
    var bundle = csolver_bundle()
    let status = rig.bundle.poses.withUnsafeMutableBufferPointer { poses in
      rig.bundle.lenses.withUnsafeMutableBufferPointer { lenses in
        rig.bundle.turns.withUnsafeMutableBufferPointer { turns in
          rig.bundle.points.withUnsafeMutableBufferPointer { points in
            rig.bundle.views.withUnsafeBufferPointer { views in
              rig.bundle.observations.withUnsafeBufferPointer { observations in
                bundle = csolver_bundle(
                  poses: poses.baseAddress, pose_count: poses.count, lenses: lenses.baseAddress,
                  lens_count: lenses.count, turns: turns.baseAddress, turn_count: turns.count,
                  points: points.baseAddress, point_count: points.count, views: views.baseAddress,
                  view_count: views.count, observations: observations.baseAddress,
                  observation_count: observations.count, loss_scale: 1, max_iterations: 60)
                return csolver_adjust(&bundle, { _ in 1 }, nil, nil, 0)
              }
            }
          }
        }
      }
    }
    #expect(status == 1)
    #expect(rig.bundle.points[0].position == before)
  }
}
