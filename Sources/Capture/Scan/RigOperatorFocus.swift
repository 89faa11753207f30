import Imaging
import Rig
import Session

/// Where the lenses stand during a scan: found once, before plates and exposure, and kept.
///
/// Autofocus by itself would follow what moves, or take the background. And the object's pictures are compared with those of the
/// empty table, so both want the same focus: it cannot wait for the object.
extension RigOperator {
  /// Locks to controls of before. Where they say nothing of the lens, as those of older sessions, it is looked for now.
  func lockAgain(to previous: CameraControls, at axes: AxisAngles) async throws(ScanFault) {
    try await lock(to: previous)
    guard previous.lensPosition == nil, let position = try await lensPosition(at: axes) else { return }
    var wanted = previous
    wanted.lensPosition = position
    try await lock(to: wanted)
  }

  /// The position for both lenses in dioptres: as configured, or else found by focusing; nil for lenses that cannot.
  func lensPosition(at axes: AxisAngles) async throws(ScanFault) -> Double? {
    if let fixed = settings.lensPosition { return fixed }
    let windows = focusWindows(axes)
    let found: LensFocus?
    do { found = try await rig.camera.focus(left: windows[0], right: windows[1]) } catch {
      throw ScanFault(camera: error)
    }
    guard let found else { return nil }
    let distance = focusDistance(axes)
    let expected = min(max(1000 / distance, found.range.lowerBound), found.range.upperBound)
    if let position = found.position(expected: expected) { return position }
    focusTrouble =
      "\(rig.camera.name): their autofocus found nothing sharp where the object stands; their lenses are set to "
      + "\(Int(distance.rounded())) mm, as far as that is by the rig's geometry. If the pictures are blurred set "
      + "cameras.lens_dioptres, or put something with a pattern on the table"
    return expected
  }

  /// What a person should know of the focus.
  var focusNotices: [String] {
    let isDeaf = settings.lensPosition != nil && locked.lensPosition == nil
    let deaf = "\(rig.camera.name): they do not say that their lenses can be set: cameras.lens_dioptres has no effect"
    return [focusTrouble, isDeaf ? deaf : nil].compactMap { $0 }
  }

  /// What has to be sharp: the object, or as long as nobody knows it the middle of the table. That is so flat that nothing but
  /// the table is behind it where the cameras look down as usual: an empty one has to be enough to focus on.
  private var focusBox: Box3 {
    if let box { return box.box }
    let half = rig.geometry.tableRadius / 2
    return Box3(min: [-half, 0, -half], max: [half, half / 2, half])
  }

  /// Takes the box to the cameras' frames. What is about the table's axis need not turn with it.
  private func focusViews(_ axes: AxisAngles) -> [RigidTransform] {
    var axes = axes
    if box == nil { axes.turntable = .zero }
    return rig.geometry.camerasFromObject(axes)
  }

  /// Where both cameras see it.
  private func focusWindows(_ axes: AxisAngles) -> [PictureWindow] {
    let width = mode?.width ?? 1
    let height = mode?.height ?? 1
    return zip(focusViews(axes), rig.geometry.lenses).map { view, lens in
      let lens = lens.scaled(width: width, height: height)
      let seen = focusBox.region(through: lens, cameraFromWorld: view) ?? PixelRect(middleOf: width, height)
      return PictureWindow(seen, ofWidth: width, height: height)
    }
  }

  /// How far in front of the cameras its middle is, in millimetres.
  private func focusDistance(_ axes: AxisAngles) -> Double {
    let middle = (focusBox.min + focusBox.max) / 2
    let depths = focusViews(axes).map { ($0 * middle).z }
    return max(1, depths.reduce(0, +) / Double(depths.count))
  }
}

extension PictureWindow {
  /// A part of a picture of that size in pixels.
  fileprivate init(_ part: PixelRect, ofWidth width: Int, height: Int) {
    self.init(
      x: Double(part.x) / Double(width), y: Double(part.y) / Double(height),
      width: Double(part.width) / Double(width), height: Double(part.height) / Double(height))
  }
}
