import Imaging

/// How one pass after the first was joined to those before it.
public struct PassRegistration: Sendable, Codable, Hashable {
  /// The pass.
  public var pass: Int
  /// Takes the first pass's object frame to this pass's own; nil where it was refused.
  public var passFromFirst: RigidTransform?
  /// Points of the object that both passes measured and that agree.
  public var inliers: Int
  /// Their distance after registration, root mean square, in millimetres.
  public var rms: Double
  /// Why it was refused, for a person.
  public var refusal: String?
}

/// A point that several pictures agree on.
public struct SparsePoint: Sendable {
  /// Where it is, in world coordinates.
  public var position: SIMD3<Double>
  /// Its colour, sRGB.
  public var colour: SIMD3<UInt8>
  /// The views that show it, ascending.
  public var views: [Int]
}

/// How well the poses explain the pictures.
public struct PoseStatistics: Sendable, Codable, Hashable {
  /// Tracks and their observations that took part.
  public var tracks = 0, observations = 0
  /// Root mean square distance between where points were seen and where they should be, in pixels of full-size pictures:
  /// with the poses as given, and with the refined ones.
  public var rmsBefore = 0.0, rmsAfter = 0.0
  /// The same on tracks that had no say in the refinement.
  public var heldOutBefore = 0.0, heldOutAfter = 0.0
  /// Whether the refined poses were better and were taken.
  public var isRefined = false
}

/// What the pose stage found.
public struct PoseResult: Sendable {
  /// The views that can be used, numbered anew, with refined lenses and poses in one world.
  public var views: ViewSet
  /// Their masks, and the hull and box in that world.
  public var masks: ObjectMasks
  /// For each of `views` its index in the set that was handed in.
  public var originals: [Int]
  /// Points on the object.
  public var points: [SparsePoint]
  /// One for each pass after the first.
  public var registrations: [PassRegistration]
  /// How well the poses explain the pictures.
  public var statistics: PoseStatistics

  /// Whether a pass had to be left out.
  public var isStitchingIncomplete: Bool { registrations.contains { $0.passFromFirst == nil } }

  /// Passes before which the object was to be turned over and in which it stands upright as before: nobody turned it, so
  /// nothing shows its underside. Whatever lies on another side leans by 45° at least.
  public var passesNotTurnedOver: [Int] {
    var place: [Int: RigidTransform] = [1: .identity]
    for item in registrations { place[item.pass] = item.passFromFirst }
    return (views.rig?.passes ?? []).filter { pass in
      guard pass.kind == .flip, let before = place[pass.index - 1], let now = place[pass.index] else { return false }
      return (now.rotation * before.rotation.transpose * SIMD3(0, 1, 0)).y > 0.85
    }.map(\.index)
  }
}
