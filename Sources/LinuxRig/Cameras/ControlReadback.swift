import Rig

/// What a camera's control may be set to; nil: it does not have the control.
package struct ControlLimits: Sendable, Hashable {
  /// Exposure in microseconds, analogue gain, gains of red and blue, lens position in dioptres.
  package var exposure: ClosedRange<Double>?, gain: ClosedRange<Double>?
  /// The white balance's gains, and the lens.
  package var colourGain: ClosedRange<Double>?, lens: ClosedRange<Double>?
  /// Whether the lens focuses by itself where it is asked to.
  package var hasAutofocus = false

  /// A camera without controls.
  package init() {}

  /// Whether there is anything to set.
  var isEmpty: Bool { self == ControlLimits() }

  /// What no camera could do, whether it has the control or not.
  private static let exposures: ClosedRange<Double> = 1...600e6, gains: ClosedRange<Double> = 0.1...10_000
  private static let others: ClosedRange<Double> = 0...100

  /// Refuses what is outside. Throws `.outOfRange` with the limits.
  package func check(_ controls: CameraControls, device: String) throws(DeviceError) {
    let wanted: [(String, Double?, ClosedRange<Double>?, ClosedRange<Double>)] = [
      ("exposure in microseconds", controls.exposureMicroseconds, exposure, Self.exposures),
      ("gain", controls.gain, gain, Self.gains),
      ("red gain", controls.redGain, colourGain, Self.others),
      ("blue gain", controls.blueGain, colourGain, Self.others),
      ("lens position", controls.lensPosition, lens, Self.others)
    ]
    for (what, value, range, plausible) in wanted {
      guard let value else { continue }
      let low = max(range?.lowerBound ?? plausible.lowerBound, plausible.lowerBound)
      let high = min(range?.upperBound ?? plausible.upperBound, plausible.upperBound)
      guard value >= low, value <= high else {
        throw DeviceError(
          .outOfRange, device: device, operation: "set \(what) \(value)", remedy: "use \(low) to \(high)")
      }
    }
  }
}

/// Whether a camera does what it was told, by what its frames' metadata say.
package struct ControlReadback: Sendable {
  private let wanted: CameraControls
  private let limits: ControlLimits
  private let settling: Int
  private var frames = 0
  /// What the last frame said otherwise.
  package private(set) var objection: String?

  /// Waits for `wanted` of a camera with such limits. The first `settling` frames were under way before the camera was told:
  /// they prove nothing. What it does not have, or never reports, is not waited for.
  package init(of wanted: CameraControls, limits: ControlLimits, settling: Int) {
    self.wanted = wanted
    self.limits = limits
    self.settling = limits.isEmpty ? 0 : settling
  }

  /// Takes the next frame's controls; true when they are in force.
  package mutating func take(_ reported: CameraControls) -> Bool {
    frames += 1
    objection = nil
    // a row's time, and the steps of sensors: coarse for the highest gains
    compare("exposure", wanted.exposureMicroseconds, reported.exposureMicroseconds, limits.exposure, 60, 0.02)
    compare("gain", wanted.gain, reported.gain, limits.gain, 0.04, 0.05)
    compare("red gain", wanted.redGain, reported.redGain, limits.colourGain, 0.02, 0.02)
    compare("blue gain", wanted.blueGain, reported.blueGain, limits.colourGain, 0.02, 0.02)
    compare("lens position", wanted.lensPosition, reported.lensPosition, limits.lens, 0.1, 0.02)
    return objection == nil && frames > settling
  }

  private mutating func compare(
    _ name: String, _ wanted: Double?, _ reported: Double?, _ range: ClosedRange<Double>?, _ step: Double,
    _ share: Double
  ) {
    guard objection == nil, range != nil, let wanted, let reported else { return }
    if (reported - wanted).magnitude > max(step, share * wanted) {
      objection = "reports \(name) \(reported) where \(wanted) was asked for"
    }
  }
}
