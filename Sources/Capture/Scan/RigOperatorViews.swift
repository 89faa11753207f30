import Codecs
import Imaging
import Rig
import Session

/// Going to viewpoints, looking and shooting.
extension RigOperator {
  // MARK: going

  /// Moves to a viewpoint and waits until the picture is still.
  func go(to viewpoint: Viewpoint) async throws(ScanFault) -> Set<ScanFeedback> {
    refusedScore = nil
    let before = await rig.turntable.position
    let picture = atRest
    try await move(to: viewpoint.axes)
    let turned = await rig.turntable.position.map { abs(($0 - (before ?? $0)).degrees) } ?? 0
    var feedback = try await settle()
    if turned >= 1, !picture.isEmpty, !showsTurning(from: picture) { feedback.insert(.tableNotTurning) }
    return feedback
  }

  /// Whether the picture has changed since. A table and object without any mark turn unseen: only once a turn has
  /// shown in this scan does its absence mean something.
  private func showsTurning(from picture: [FloatPlane]) -> Bool {
    if difference(picture, atRest) > 1.5 * noise {
      hasSeenTurning = true
      return true
    }
    return !hasSeenTurning
  }

  /// Waits until two frames in a row differ by no more than their noise, or no longer get more alike.
  func settle() async throws(ScanFault) -> Set<ScanFeedback> {
    let end = rig.clock.now.advanced(by: settings.settleLimit)
    var before = blocks(try await preview())
    var steady: [Double] = []
    while true {
      if Task.isCancelled { throw ScanFault(.other, "given up") }
      let next = blocks(try await preview())
      let change = difference(before, next)
      before = next
      atRest = next
      if change <= settings.settleRatio * noise { return [] }
      // another viewpoint may be noisier than the one where noise was measured
      steady.append(change)
      if steady.count >= 4, let low = steady.suffix(4).min(), let high = steady.suffix(4).max(), high < 1.1 * low {
        return []
      }
      if rig.clock.now >= end { return [.movingTooFast] }
    }
  }

  // MARK: the empty table and the object on it

  /// Angles at which the table is looked at, with or without the object.
  private var lookouts: [AxisAngles] {
    let stops = max(3, settings.plateStops)
    return (0..<stops).map {
      AxisAngles(
        turntable: Angle(degrees: 360 * Double($0) / Double(stops)), pan: settings.pan, tilt: settings.tilt)
    }
  }

  /// Photographs the empty table. Returns what could not be kept for later scans, for a person; this one has them anyway.
  func takePlates() async throws(ScanFault) -> String? {
    var taken: [Plate] = []
    for axes in lookouts {
      try await move(to: axes)
      _ = try await settle()
      let small = try await preview()
      let full = try await capture()
      let files = try await encoder.encode(full)
      taken.append(Plate(axes: axes, files: files, format: encoder.format, previews: small.sides.map(\.image)))
    }
    let set = PlateSet(plates: taken, controls: locked)
    plates = set
    do throws(ScanFault) { try plateLibrary.save(set, key: try plateKey()) } catch { return error.message }
    return nil
  }

  /// Finds the object. `headIsKnown` says whether geometry and plates hold.
  func look() async throws(ScanFault) -> ObjectFinder.Finding {
    var looks: [ObjectFinder.Look] = []
    let places = plates.map { $0.plates.map(\.axes) } ?? lookouts
    for (index, axes) in places.enumerated() {
      let picture = atRest
      try await move(to: axes)
      _ = try await settle()
      if index > 0, !picture.isEmpty { _ = showsTurning(from: picture) }
      looks.append(
        ObjectFinder.Look(
          axes: axes, previews: try await preview().sides.map(\.image), plates: plates?.plates[index].previews))
    }
    // noise is that of the difference of two 2 × 2 means: a pixel's is √2 times as large
    let finder = ObjectFinder(geometry: rig.geometry, threshold: Float(max(8, 5 * noise * 1.42 * 255)))
    return finder.find(looks)
  }

  func setBox(_ box: BoxRecord?) { self.box = box }

  // MARK: shooting

  /// Shoots a burst and keeps the sharpest well-exposed pair as `pending`.
  func shoot(_ viewpoint: Viewpoint?, at axes: AxisAngles) async throws(ScanFault)
    -> (ScanMachine.ShotVerdict, Set<ScanFeedback>)
  {
    let regions = objectRegions(axes)
    var best: (pair: PairPicture, measures: [ShotMeasure], score: Double)?
    var scores: [Double] = []
    var brightness: [Double] = []
    var refusal: String?
    for _ in 0..<max(1, settings.burst) {
      if Task.isCancelled { throw ScanFault(.other, "given up") }
      let pair = try await capture()
      if let objection = objection(to: pair) {
        refusal = objection
        continue
      }
      let measures = zip(pair.sides, regions).map { ShotMeasure($0.image, in: $1) }
      let score = measures.map(\.sharpness).min() ?? 0
      brightness.append(measures[0].brightness.mean)
      if score > best?.score ?? -1 { best = (pair, measures, score) }
      scores.append(score)
      // two alike at rest: a third one adds nothing
      if scores.count >= 2, abs(scores[scores.count - 1] - scores[scores.count - 2]) < 0.02 * score { break }
    }
    guard let best else { return (.unusable(refusal ?? "no pair"), []) }
    pending = best.pair
    pendingMeasures = best.measures
    return (verdict(on: best.score), shotFeedback(best.pair, best.measures, brightness))
  }

  /// What is wrong with a pair as such: twins that do not belong together, or controls that slipped.
  private func objection(to pair: PairPicture) -> String? {
    let skew = abs(pair.right.sensorTimestamp - pair.left.sensorTimestamp)
    let frame = 1e9 / max(1, mode?.framesPerSecond ?? 30)
    if Double(skew) > frame / 4 { return "the twin pictures are \(skew / 1000) µs apart" }
    for side in pair.sides {
      if let objection = exposure.objection(to: side.controls, wanted: locked) { return objection }
    }
    return nil
  }

  /// A burst much softer than its neighbours was shaken; one that is as soft again is a soft side of the object.
  private func verdict(on score: Double) -> ScanMachine.ShotVerdict {
    let neighbours = keptScores.suffix(8).sorted()
    if neighbours.count >= 3, score < 0.5 * neighbours[neighbours.count / 2] {
      let isTheSame = refusedScore.map { abs(score / max(1e-12, $0) - 1) < 0.15 } ?? false
      refusedScore = score
      if !isTheSame { return .retake("blurred") }
    }
    keptScores.append(score)
    return .keep
  }

  private func shotFeedback(_ pair: PairPicture, _ measures: [ShotMeasure], _ brightness: [Double]) -> Set<ScanFeedback>
  {
    let all = Brightness(pair.left.image).mean
    var feedback: Set<ScanFeedback> = []
    if all < settings.tooDarkLuma || all < 0.25 * lockedLuma {
      feedback.insert(.environmentTooDark)
    } else if all < 0.6 * lockedLuma || locked.gain ?? 1 >= settings.lowLightGain {
      feedback.insert(.environmentLowLight)
    }
    if measures.contains(where: { $0.brightness.clipped > 0.05 }) { feedback.insert(.clippedHighlights) }
    if let low = brightness.min(), let high = brightness.max(), high > 1.03 * low { feedback.insert(.flicker) }
    return feedback
  }

  /// Where the object is in both pictures of the camera's full format.
  private func objectRegions(_ axes: AxisAngles) -> [PixelRect] {
    let width = mode?.width ?? 0
    let height = mode?.height ?? 0
    let cameras = rig.geometry.camerasFromObject(axes)
    return (0..<2).map { side in
      let lens = rig.geometry.lenses[side].scaled(width: width, height: height)
      return box?.box.region(through: lens, cameraFromWorld: cameras[side])
        ?? PixelRect(middleOf: width, height)
    }
  }

  /// Hands over the pair to be stored, and remembers what it says about the object.
  func takePending(at axes: AxisAngles, byHand: Bool) -> (PairPicture, [ShotMeasure])? {
    guard let pair = pending else { return nil }
    pending = nil
    if !byHand { advisor.add(pair.left.image, in: objectRegions(axes)[0], turntable: axes.turntable) }
    return (pair, pendingMeasures)
  }

  /// Forgets what was learnt about the last pass.
  func beginPass() {
    keptScores = []
    advisor.reset()
  }

  /// The advice for the next pass.
  func advise(after kinds: [PassKind]) -> PassAdvice { advisor.advice(after: kinds) }
}
