import Imaging
import Rig
import SimulatedRig

/// `twinrig-bench simulation`: what a scan of the simulated rig costs, whose time is else virtual: a stop of the turntable
/// and the pair of full-size pictures taken there, on all processors.
enum SimulationCommand {
  static func run(_ words: ArraySlice<String>) async throws {
    let arguments = try Arguments(words, names: ["width", "stops"], flags: ["json"])
    let width = try arguments.whole("width", 1200, in: 90...6000)
    let stops = try arguments.whole("stops", 5, in: 1...1000)
    let rig = try SimulatedWorld(settings(width: width)).rig
    for lamp in rig.lamps { try await lamp.set(level: 1) }
    try await rig.turntable.home()
    try await rig.camera.start(rig.camera.modes[0])
    _ = try await rig.camera.capture()
    var times: [Double] = []
    var sum: UInt64 = 0
    for stop in 0..<stops {
      let began = ContinuousClock.now
      try await rig.turntable.move(to: .degrees(360 / Double(stops) * Double(stop)), speed: nil)
      // until nothing shakes any more
      try await rig.clock.sleep(for: .seconds(1))
      let pair = try await rig.camera.capture()
      times.append((ContinuousClock.now - began) / .seconds(1))
      sum ^= checksum(pair.left.image.bytes) &+ checksum(pair.right.image.bytes)
    }
    let median = times.sorted()[stops / 2]
    let height = width * 4 / 3
    if arguments.has("json") {
      print(
        "{\"width\": \(width), \"height\": \(height), \"seconds\": \(median), \"checksum\": \"\(hexadecimal(sum))\"}")
    } else {
      print(
        "a stop with a pair of \(width) × \(height)  \(fixed(median, 3)) s wall, median of \(stops)  \(hexadecimal(sum))"
      )
    }
  }

  /// The rig of the demo at another size.
  private static func settings(width: Int) -> SimulatedRigSettings {
    let height = width * 4 / 3
    var settings = SimulatedRigSettings()
    settings.object = .demo
    settings.mode = CameraMode(
      width: width, height: height, previewWidth: max(1, width / 4), previewHeight: max(1, height / 4),
      framesPerSecond: settings.mode.framesPerSecond)
    settings.geometry.stereo.left = settings.geometry.stereo.left.scaled(width: width, height: height)
    settings.geometry.stereo.right = settings.geometry.stereo.right.scaled(width: width, height: height)
    return settings
  }
}
