import CSolver
import Imaging

/// One bundle adjustment, as values. See `csolver_bundle` for what a view is made of.
struct BundleAdjustment {
  var poses: [csolver_pose] = []
  var lenses: [csolver_lens] = []
  var turns: [csolver_turn] = []
  var views: [csolver_view] = []
  /// Pixels beyond which a residual counts less and less.
  var lossScale = 1.0
  /// Rounds at most.
  var maxIterations = 25

  /// A pose that may move as far as the sigmas allow; 0 keeps it.
  static func pose(
    _ transform: RigidTransform, rotationSigma: Double, translationSigma: Double, lengthSigma: Double = 0
  ) -> csolver_pose {
    let r = transform.rotation
    let t = transform.translation
    return csolver_pose(
      rotation: (r.row0.x, r.row0.y, r.row0.z, r.row1.x, r.row1.y, r.row1.z, r.row2.x, r.row2.y, r.row2.z),
      translation: (t.x, t.y, t.z), rotation_sigma: rotationSigma, translation_sigma: translationSigma,
      length_sigma: lengthSigma)
  }

  /// Adjusts poses, lenses, turns and the positions of `tracks`. `heightSigma` is how well points on the table are known to
  /// be at y = 0. Throws `.cancelled`, and `.invalidInput` where the solver finds no solution.
  mutating func solve(
    _ tracks: inout [Track], heightSigma: Double = 0, tally: Tally
  ) throws(ReconstructionError) {
    var points = tracks.map { track in
      csolver_point(
        position: (track.position.x, track.position.y, track.position.z),
        height_sigma: track.isOnTable ? heightSigma : 0, on_table: track.isOnTable ? 1 : 0)
    }
    var observations: [csolver_observation] = []
    for (i, track) in tracks.enumerated() {
      for s in track.sightings {
        observations.append(
          csolver_observation(view: Int32(s.view), point: Int32(i), x: s.pixel.x, y: s.pixel.y))
      }
    }
    var message = [CChar](repeating: 0, count: 200)
    var asker = Asker(tally: tally)
    let status = run(&points, observations, &asker, &message)
    if let error = asker.error { throw error }
    if status == 3 { throw .outOfMemory("to adjust \(observations.count) sightings") }
    guard status == 0 else {
      let text = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw ReconstructionError(.invalidInput, "the poses could not be adjusted: \(text)")
    }
    for i in tracks.indices {
      let p = points[i].position
      tracks[i].position = SIMD3(p.0, p.1, p.2)
    }
  }

  private mutating func run(
    _ points: inout [csolver_point], _ observations: [csolver_observation], _ asker: inout Asker,
    _ message: inout [CChar]
  ) -> Int32 {
    let capacity = message.count
    let scale = lossScale
    let rounds = Int32(maxIterations)
    return poses.withUnsafeMutableBufferPointer { poses in
      lenses.withUnsafeMutableBufferPointer { lenses in
        turns.withUnsafeMutableBufferPointer { turns in
          points.withUnsafeMutableBufferPointer { points in
            views.withUnsafeBufferPointer { views in
              observations.withUnsafeBufferPointer { observations in
                var bundle = csolver_bundle(
                  poses: poses.baseAddress, pose_count: poses.count, lenses: lenses.baseAddress,
                  lens_count: lenses.count, turns: turns.baseAddress, turn_count: turns.count,
                  points: points.baseAddress, point_count: points.count, views: views.baseAddress,
                  view_count: views.count, observations: observations.baseAddress,
                  observation_count: observations.count, loss_scale: scale, max_iterations: rounds)
                return withUnsafeMutablePointer(to: &asker) { asker in
                  csolver_adjust(
                    &bundle, { context in context!.assumingMemoryBound(to: Asker.self).pointee.ask() }, asker, &message,
                    capacity)
                }
              }
            }
          }
        }
      }
    }
  }

  /// Asks the stage's progress between rounds whether to go on.
  private struct Asker {
    let tally: Tally
    var error: ReconstructionError?

    mutating func ask() -> Int32 {
      do throws(ReconstructionError) {
        try tally.check()
        return 0
      } catch {
        self.error = error
        return 1
      }
    }
  }
}

extension RigidTransform {
  /// The motion the solver holds.
  init(_ pose: csolver_pose) {
    let r = pose.rotation
    let t = pose.translation
    self.init(
      rotation: Matrix3([r.0, r.1, r.2], [r.3, r.4, r.5], [r.6, r.7, r.8]), translation: [t.0, t.1, t.2])
  }
}
