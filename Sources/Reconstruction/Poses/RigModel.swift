import CSolver
import Imaging

/// A session's rig with everything that may differ from what was believed: lenses, the pair's geometry, where the head
/// stood, how far the table had turned at each stop, and where the object lay after each flip.
struct RigModel {
  /// Lenses at the feature level: left, right.
  var lenses: [Lens]
  /// Takes the left camera's frame to the right one's.
  var rightFromLeft: RigidTransform
  /// Takes the table to the left camera with the head where it was: one for the beginning, one more after each `height`.
  var heads: [Head]
  /// Takes the first pass's object frame to the table's (at turntable angle 0): one for the beginning, one more after each flip.
  var objects: [RigidTransform]
  /// Corrections of the turntable's angle, one for each stop, in radians.
  var corrections: [Double]
  /// The stops: a pass and the angle that was reported.
  let stops: [Stop]
  /// Where each view belongs.
  let places: [Place]

  /// A head's pose and how far it is believed.
  struct Head {
    var leftFromTable: RigidTransform
    var isCalibrated: Bool
  }

  struct Stop {
    var pass: Int
    var angle: Double
  }

  /// A view's stop, side, head and object.
  struct Place {
    var stop: Int
    var side: Int
    var head: Int
    var object: Int
  }

  /// The model as the session believes it. The head's pan and tilt are taken into its pose; a change of them within a pass
  /// makes another head.
  init(_ set: ViewSet, _ rig: RigContext, lenses: [Lens]) {
    rightFromLeft = rig.geometry.stereo.rightFromLeft
    var headOfPass: [Int: Int] = [:]
    var objectOfPass: [Int: Int] = [:]
    var (head, object) = (0, 0)
    for pass in rig.passes {
      if pass.kind == .height { head += 1 }
      if pass.kind == .flip { object += 1 }
      headOfPass[pass.index] = head
      objectOfPass[pass.index] = object
    }
    var heads: [Head] = []
    var headKeys: [HeadKey: Int] = [:]
    var stops: [Stop] = []
    var stopKeys: [Int: Int] = [:]
    var places: [Place] = []
    var sideLenses: [Lens?] = [nil, nil]
    for view in set.views {
      let axes = view.axes!
      let key = HeadKey(base: headOfPass[view.pass] ?? 0, pan: axes.pan.radians, tilt: axes.tilt.radians)
      if headKeys[key] == nil {
        headKeys[key] = heads.count
        heads.append(
          Head(
            leftFromTable: rig.geometry.leftFromTable(pan: axes.pan, tilt: axes.tilt), isCalibrated: key.base == 0))
      }
      if stopKeys[view.stop] == nil {
        stopKeys[view.stop] = stops.count
        stops.append(Stop(pass: view.pass, angle: axes.turntable.radians))
      }
      sideLenses[view.side] = sideLenses[view.side] ?? lenses[view.index]
      places.append(
        Place(
          stop: stopKeys[view.stop]!, side: view.side, head: headKeys[key]!, object: objectOfPass[view.pass] ?? 0))
    }
    self.heads = heads
    self.stops = stops
    self.places = places
    self.lenses = [sideLenses[0] ?? lenses[0], sideLenses[1] ?? sideLenses[0] ?? lenses[0]]
    objects = [RigidTransform](repeating: .identity, count: object + 1)
    corrections = [Double](repeating: 0, count: stops.count)
  }

  private struct HeadKey: Hashable {
    var base: Int
    var pan: Double
    var tilt: Double
  }

  /// Takes the table at angle 0 to a view's camera.
  func cameraFromTable(_ view: Int) -> RigidTransform {
    let place = places[view]
    let angle = stops[place.stop].angle + corrections[place.stop]
    let turned =
      heads[place.head].leftFromTable
      * RigidTransform(rotation: .rotation(Angle(radians: angle), about: [0, 1, 0]), translation: .zero)
    return place.side == 0 ? turned : rightFromLeft * turned
  }

  /// The camera of a view in the frame of the object as it lay in the first pass.
  func camera(_ view: Int) -> Camera {
    Camera(
      lens: lenses[places[view].side], cameraFromWorld: cameraFromTable(view) * objects[places[view].object])
  }
}

/// Adjusts a rig's model to tracks.
struct RigAdjustment {
  /// How far a calibrated rig is trusted, in radians, millimetres and pixels.
  var headSigma = (rotation: 0.01, translation: 3.0)
  var pairSigma = (rotation: 0.003, translation: 0.3)
  var lensSigma = (focal: 0.0015, centre: 0.7)
  var turnSigma = 0.0035
  /// How flat the disc is, in millimetres.
  var heightSigma = 0.2
  /// Tracks at most: the longest ones are kept.
  var trackLimit = 4000

  /// Adjusts `model` to `tracks` in world coordinates, of views in `active` only. Track positions are not changed.
  func adjust(_ model: inout RigModel, _ tracks: [Track], tally: Tally) throws(ReconstructionError) {
    var bundle = BundleAdjustment()
    for lens in model.lenses {
      bundle.lenses.append(
        csolver_lens(
          fx: lens.fx, fy: lens.fy, cx: lens.cx, cy: lens.cy, focal_sigma: lensSigma.focal,
          centre_sigma: lensSigma.centre))
    }
    let baseline = model.rightFromLeft.translation.length
    bundle.poses.append(
      BundleAdjustment.pose(
        model.rightFromLeft, rotationSigma: pairSigma.rotation, translationSigma: pairSigma.translation,
        lengthSigma: 1e-4 * baseline))
    for head in model.heads {
      let slack = head.isCalibrated ? 1.0 : 10.0
      bundle.poses.append(
        BundleAdjustment.pose(
          head.leftFromTable, rotationSigma: slack * headSigma.rotation,
          translationSigma: slack * headSigma.translation))
    }
    for (i, object) in model.objects.enumerated() {
      bundle.poses.append(
        BundleAdjustment.pose(object, rotationSigma: i == 0 ? 0 : 0.1, translationSigma: i == 0 ? 0 : 20))
    }
    bundle.turns = model.corrections.map { csolver_turn(angle: $0, sigma: turnSigma) }
    bundle.views = model.places.map { place in
      csolver_view(
        lens: Int32(place.side), side: place.side == 0 ? -1 : 0, head: Int32(1 + place.head), turn: Int32(place.stop),
        object: Int32(1 + model.heads.count + place.object), angle: model.stops[place.stop].angle)
    }
    var used = chosen(tracks).map { track in
      var track = track
      if track.isOnTable {
        track.position = model.objects[model.places[track.sightings[0].view].object] * track.position
      }
      return track
    }
    try bundle.solve(&used, heightSigma: heightSigma, tally: tally)
    for i in model.lenses.indices {
      let lens = bundle.lenses[i]
      model.lenses[i].fx = lens.fx
      model.lenses[i].fy = lens.fy
      model.lenses[i].cx = lens.cx
      model.lenses[i].cy = lens.cy
    }
    model.rightFromLeft = RigidTransform(bundle.poses[0])
    for i in model.heads.indices { model.heads[i].leftFromTable = RigidTransform(bundle.poses[1 + i]) }
    for i in model.objects.indices {
      model.objects[i] = RigidTransform(bundle.poses[1 + model.heads.count + i])
    }
    model.corrections = bundle.turns.map(\.angle)
  }

  private func chosen(_ tracks: [Track]) -> [Track] {
    if tracks.count <= trackLimit { return tracks }
    let order = tracks.indices.sorted {
      (-tracks[$0].sightings.count, $0) < (-tracks[$1].sightings.count, $1)
    }
    return order.prefix(trackLimit).sorted().map { tracks[$0] }
  }
}
