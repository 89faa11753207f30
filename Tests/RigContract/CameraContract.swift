import Imaging
import Rig

/// What every pair of cameras promises. Each case gets cameras that are not streaming. There are cameras without some
/// controls, or without any: what a control does is promised where frames report it.
public enum CameraContract {
  /// Manual settings that any camera can take.
  private static let manual = CameraControls(exposureMicroseconds: 5000, gain: 2, redGain: 1.5, blueGain: 1.25)

  /// All promises.
  public static let cases: [ContractCase<any StereoCamera>] = [
    ContractCase("offers a mode, and a preview no larger than its pictures") { camera in
      let mode = try first(camera)
      try require(mode.framesPerSecond > 0, "\(mode)")
      try require(mode.previewWidth <= mode.width && mode.previewHeight <= mode.height, "\(mode)")
    },
    ContractCase("gives nothing before it is started or after it is stopped") { camera in
      try await requireRefusal(.faulty) { _ = try await camera.capture() }
      try await camera.start(try first(camera))
      await camera.stop()
      try await requireRefusal(.faulty) { _ = try await camera.preview() }
    },
    ContractCase("cannot be started twice, but again after a stop") { camera in
      let mode = try first(camera)
      try await camera.start(mode)
      try await requireRefusal(.busy) { try await camera.start(mode) }
      await camera.stop()
      try await camera.start(mode)
      _ = try await camera.preview()
      await camera.stop()
    },
    ContractCase("refuses a mode it does not offer") { camera in
      var mode = try first(camera)
      mode.width += 2
      let other = mode
      try await requireRefusal(.unsupported) { try await camera.start(other) }
    },
    ContractCase("captures and previews are of the mode's sizes") { camera in
      let mode = try first(camera)
      try await camera.start(mode)
      let full = try await camera.capture()
      try require(
        full.left.image.width == mode.width && full.right.image.height == mode.height,
        "a capture of \(full.left.image.width)×\(full.right.image.height)")
      let small = try await camera.preview()
      try require(
        small.left.image.width == mode.previewWidth && small.right.image.height == mode.previewHeight,
        "a preview of \(small.left.image.width)×\(small.right.image.height)")
      await camera.stop()
    },
    ContractCase("timestamps rise, and a pair's are within a quarter of a frame") { camera in
      let mode = try first(camera)
      try await camera.start(mode)
      var last: Int64 = -1
      for _ in 0..<5 {
        let pair = try await camera.preview()
        try require(pair.left.sensorTimestamp > last, "\(pair.left.sensorTimestamp) after \(last)")
        last = pair.left.sensorTimestamp
        try require(
          Double(pair.skew.magnitude) < 0.25e9 / mode.framesPerSecond, "a skew of \(pair.skew) ns")
      }
      await camera.stop()
    },
    ContractCase("controls are read back, and frames carry them") { camera in
      try await camera.start(try first(camera))
      let automatic = try await camera.preview().left.controls
      let reported = try await camera.apply(manual)
      try require(isClose(reported, manual, where: automatic), "asked for \(manual), got \(reported)")
      let pair = try await camera.preview()
      try require(
        fixed(pair.left.controls) == fixed(reported) && fixed(pair.right.controls) == fixed(reported),
        "a frame with \(pair.left.controls)")
      await camera.stop()
    },
    ContractCase("what is automatic is reported all the same") { camera in
      try await camera.start(try first(camera))
      let manual = try await camera.apply(manual)
      _ = try await camera.apply(CameraControls())
      let pair = try await camera.preview()
      for (side, c) in [("left", pair.left.controls), ("right", pair.right.controls)] {
        let isMissing = { (part: (CameraControls) -> Double?) in (part(c) == nil) != (part(manual) == nil) }
        let missing = [
          isMissing { $0.exposureMicroseconds }, isMissing { $0.gain }, isMissing { $0.redGain },
          isMissing { $0.blueGain }
        ]
        try require(!missing.contains(true), "\(side) \(c) of \(manual)")
      }
      await camera.stop()
    },
    ContractCase("controls outside the sensor's limits are refused") { camera in
      try await camera.start(try first(camera))
      for controls in [
        CameraControls(exposureMicroseconds: 0), CameraControls(exposureMicroseconds: 1e12), CameraControls(gain: 1e6),
        CameraControls(gain: 0.01), CameraControls(redGain: -1)
      ] {
        try await requireRefusal(.outOfRange) { _ = try await camera.apply(controls) }
      }
      await camera.stop()
    },
    ContractCase("a restart keeps mode and controls") { camera in
      let mode = try first(camera)
      try await camera.start(mode)
      let reported = try await camera.apply(manual)
      try await camera.restart()
      let pair = try await camera.capture()
      try require(fixed(pair.left.controls) == fixed(reported), "asked for \(reported), got \(pair.left.controls)")
      try require(pair.left.image.width == mode.width, "another mode: \(pair.left.image.width)")
      await camera.stop()
    },
    ContractCase("lenses that can focus stay where they are put") { camera in
      try await camera.start(try first(camera))
      let window = PictureWindow(x: 0.3, y: 0.4, width: 0.4, height: 0.3)
      if let focus = try await camera.focus(left: window, right: window) {
        var wanted = manual
        let position = focus.position(expected: 1) ?? 1
        wanted.lensPosition = position
        let reported = try await camera.apply(wanted)
        for _ in 0..<10 {
          let pair = try await camera.preview()
          for lens in [reported.lensPosition, pair.left.controls.lensPosition, pair.right.controls.lensPosition] {
            let isThere = lens.map { ($0 - position).magnitude < 0.1 } ?? false
            try require(isThere, "put to \(position), is at \(lens ?? .nan)")
          }
        }
      }
      await camera.stop()
    },
    ContractCase("a hundred pairs that are dropped leave the buffers free") { camera in
      try await camera.start(try first(camera))
      for _ in 0..<100 { _ = try await camera.preview() }
      await camera.stop()
    }
  ]

  /// Controls less the lens, which follows the picture as long as nobody has put it anywhere.
  private static func fixed(_ controls: CameraControls) -> CameraControls {
    var controls = controls
    controls.lensPosition = nil
    return controls
  }

  private static func first(_ camera: any StereoCamera) throws -> CameraMode {
    guard let mode = camera.modes.first else { throw ContractViolation(description: "no modes") }
    return mode
  }

  /// Whether what the cameras report is what was asked for, in whatever they report at all.
  private static func isClose(
    _ reported: CameraControls, _ asked: CameraControls, where automatic: CameraControls
  ) -> Bool {
    func near(_ part: (CameraControls) -> Double?) -> Bool {
      guard let x = part(reported), let y = part(asked) else { return part(automatic) == nil && part(reported) == nil }
      return (x - y).magnitude <= 0.05 * y
    }
    return near(\.exposureMicroseconds) && near(\.gain) && near(\.redGain) && near(\.blueGain)
  }
}
