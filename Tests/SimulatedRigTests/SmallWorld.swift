import Imaging
import Rig
import SimulatedRig

/// A world that is quick to draw, and whose time passes only where it is waited for.
func smallWorld(
  width: Int = 240, height: Int = 320, _ change: (inout SimulatedRigSettings) -> Void = { _ in }
) throws -> SimulatedWorld {
  var settings = SimulatedRigSettings()
  settings.geometry = .nominal(width: width, height: height)
  settings.mode = CameraMode(
    width: width, height: height, previewWidth: width / 2, previewHeight: height / 2, framesPerSecond: 30)
  settings.reaction = .milliseconds(20)
  settings.pace = .stepped
  change(&settings)
  return try SimulatedWorld(settings)
}

/// Controls that show the lit scene well, without noise to speak of.
let wellLit = CameraControls(exposureMicroseconds: 10_000, gain: 1, redGain: 1.6, blueGain: 1.4)

extension SimulatedWorld {
  /// Homes everything, lights the lamps, starts the cameras with locked controls.
  func begin(_ controls: CameraControls = wellLit, lamps: Double = 1) async throws {
    for axis in rig.axes { try await axis.home() }
    for lamp in rig.lamps { try await lamp.set(level: lamps) }
    try await rig.camera.start(rig.camera.modes[0])
    _ = try await rig.camera.apply(controls)
    try await rig.clock.sleep(for: .seconds(2))
  }

  /// The left picture of a capture.
  func picture() async throws -> RGBImage {
    let pair = try await rig.camera.capture()
    return pair.left.image
  }
}

/// The mean of |a - b| over all channels of a range of rows.
func difference(_ a: RGBImage, _ b: RGBImage, rows: Range<Int>? = nil) -> Double {
  let rows = rows ?? 0..<a.height
  var sum = 0
  for i in 3 * a.width * rows.lowerBound..<3 * a.width * rows.upperBound {
    sum += abs(Int(a.bytes[i]) - Int(b.bytes[i]))
  }
  return Double(sum) / Double(3 * a.width * rows.count)
}

/// Brightness of a byte in linear light.
func linear(_ byte: UInt8) -> Double {
  let s = Double(byte) / 255
  return s <= 0.04045 ? s / 12.92 : power((s + 0.055) / 1.055, 2.4)
}

#if canImport(Glibc)
  import Glibc
#endif

private func power(_ x: Double, _ y: Double) -> Double { pow(x, y) }
