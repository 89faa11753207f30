import Imaging
import Rig
import Session

/// Exposure, and whether the room is the one that the plates show.
extension RigOperator {
  /// Lets automatic exposure settle and the lenses focus, chooses the scan's controls from what they found, and locks both cameras
  /// to them. The axes stand at `axes`.
  func lockAutomatically(at axes: AxisAngles) async throws(ScanFault) {
    do { _ = try await rig.camera.apply(CameraControls()) } catch { throw ScanFault(camera: error) }
    var pair = try await preview()
    var steady = 0
    for _ in 0..<40 where steady < 2 {
      let next = try await preview()
      let a = pair.left.controls
      let b = next.left.controls
      let before = (a.exposureMicroseconds ?? 1) * (a.gain ?? 1)
      let after = (b.exposureMicroseconds ?? 1) * (b.gain ?? 1)
      steady = abs(after / max(1e-9, before) - 1) < 0.02 ? steady + 1 : 0
      pair = next
    }
    var wanted = exposure.controls(automatic: pair.left.controls, meanLuma: middle(pair).mean)
    if let position = try await lensPosition(at: axes) { wanted.lensPosition = position }
    try await lock(to: wanted)
    // what burns out in the middle of the picture is lost for good: go darker, a bounded number of times
    for _ in 0..<4 {
      if locked.exposureMicroseconds == nil { break }
      if middle(try await preview()).clipped < 0.01 { break }
      wanted = exposure.scaled(wanted, by: 0.75)
      try await lock(to: wanted)
    }
  }

  /// How bright the middle of the left picture is, where the object is likely to be.
  func middle(_ pair: PairPicture) -> Brightness {
    let image = pair.left.image
    return Brightness(image, in: PixelRect(middleOf: image.width, image.height))
  }

  /// Sets controls on both cameras, reads them back and checks them. What the cameras do not have stays as it is.
  func lock(to wanted: CameraControls) async throws(ScanFault) {
    do { locked = try await rig.camera.apply(wanted) } catch { throw ScanFault(camera: error) }
    unlockable = ExposureLock.missing(wanted, in: locked)
    if let objection = exposure.objection(to: locked, wanted: ExposureLock.possible(wanted, by: locked)) {
      throw ScanFault(.other, "\(rig.camera.name): \(objection)")
    }
    lockedLuma = Brightness(try await preview().left.image).mean
  }

  /// The key of the plates that fit this rig as it stands.
  func plateKey() throws(ScanFault) -> String {
    guard let mode else { throw ScanFault(.other, "\(rig.camera.name): offers no format") }
    return PlateLibrary.key(
      geometry: rig.geometry, mode: mode, pan: settings.pan, tilt: settings.tilt, lamps: settings.lampLevel,
      lens: settings.lensPosition)
  }

  /// Whether what is around the table looks as on a plate: same light, same head pose, same things.
  func showsTheSameRoom(_ plate: Plate) async throws(ScanFault) -> Bool {
    let pair = try await preview()
    for (index, side) in pair.sides.enumerated() {
      let stored = plate.previews[index]
      guard stored.width == side.image.width, stored.height == side.image.height else { return false }
      let block = max(1, side.image.width / 50)
      let a = side.image.blockMeans(block)
      let b = stored.blockMeans(block)
      let table = tableRegion(side: index, axes: plate.axes, width: a.width, height: a.height)
      var difference: Float = 0
      var brightness: Float = 0
      var count: Float = 0
      for y in 0..<a.height {
        for x in 0..<a.width where !table.contains(x, y) {
          difference += abs(a[x, y] - b[x, y])
          brightness += b[x, y]
          count += 1
        }
      }
      if count > 0, difference > 0.08 * brightness + 1.5 * count { return false }
    }
    return true
  }

  /// The part of a picture of the given size in which things on the table are seen; the rim of the picture is always room.
  private func tableRegion(side: Int, axes: AxisAngles, width: Int, height: Int) -> PixelRect {
    let radius = rig.geometry.tableRadius
    let space = Box3(min: [-radius, 0, -radius], max: [radius, radius, radius])
    let lens = rig.geometry.lenses[side].scaled(width: width, height: height)
    let camera = rig.geometry.camerasFromObject(
      AxisAngles(turntable: .zero, pan: axes.pan, tilt: axes.tilt))[side]
    let all = PixelRect(width: width, height: height)
    let region = space.region(through: lens, cameraFromWorld: camera) ?? all
    let rimX = max(1, width / 16)
    let rimY = max(1, height / 16)
    return region.intersection(
      PixelRect(x: rimX, y: rimY, width: width - 2 * rimX, height: height - 2 * rimY))
  }

  /// How much two frames differ when nothing moves.
  func measureNoise() async throws(ScanFault) {
    var least = Double.infinity
    var before = blocks(try await preview())
    for _ in 0..<4 {
      let next = blocks(try await preview())
      least = min(least, difference(before, next))
      before = next
    }
    noise = max(0.0005, least)
    atRest = before
  }

  /// Both pictures on a grid of 2 × 2 pixels: half the noise, and a shift by a tenth of a pixel still shows.
  func blocks(_ pair: PairPicture) -> [FloatPlane] { pair.sides.map { $0.image.blockMeans(2) } }

  /// The larger of both cameras' frame differences, 0…1.
  func difference(_ a: [FloatPlane], _ b: [FloatPlane]) -> Double {
    zip(a, b).map { $0.rootMeanSquareDifference(to: $1) / 255 }.max() ?? 0
  }
}
