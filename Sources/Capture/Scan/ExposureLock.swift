import Imaging
import Rig
import Session

#if canImport(Glibc)
  import Glibc
#endif

/// Chooses the exposure that a whole scan is shot with.
///
/// Against flicker an exposure is a whole number of the mains' half-waves (10 ms at 50 Hz, 8.333 ms at 60 Hz); what is
/// then missing or too much is gain. White balance stays as the cameras had found it.
struct ExposureLock: Sendable {
  let settings: ScanSettings

  /// One half-wave of the mains in microseconds.
  var halfWave: Double { 1e6 / (2 * settings.mainsHertz) }

  /// The controls to lock to, where `automatic` gave a picture of mean brightness `meanLuma` (sRGB, 0…1).
  func controls(automatic: CameraControls, meanLuma: Double) -> CameraControls {
    let exposure = automatic.exposureMicroseconds ?? halfWave
    let gain = automatic.gain ?? 1
    // light is linear, brightness is not: IEC 61966-2-1, roughly a power of 2.2
    let factor = min(8, max(0.125, pow(settings.targetLuma / max(0.01, meanLuma), 2.2)))
    return split(light: exposure * gain * factor, like: automatic)
  }

  /// The same, darker or brighter by a factor.
  func scaled(_ controls: CameraControls, by factor: Double) -> CameraControls {
    split(light: (controls.exposureMicroseconds ?? halfWave) * (controls.gain ?? 1) * factor, like: controls)
  }

  /// Splits an amount of light into exposure and gain.
  private func split(light: Double, like controls: CameraControls) -> CameraControls {
    let most = max(1, (settings.longestExposure / halfWave).rounded(.down))
    let waves = min(most, max(1, (light / halfWave).rounded(.down)))
    var result = controls
    if light < halfWave {
      // brighter than one half-wave allows: better some flicker than burnt-out pictures
      result.exposureMicroseconds = light
      result.gain = 1
    } else {
      result.exposureMicroseconds = waves * halfWave
      result.gain = min(settings.highestGain, max(1, light / (waves * halfWave)))
    }
    return result
  }

  /// What decides how bright and how warm a picture is.
  private static var controls: [(name: String, value: WritableKeyPath<CameraControls, Double?>)] {
    [("exposure", \.exposureMicroseconds), ("gain", \.gain), ("red gain", \.redGain), ("blue gain", \.blueGain)]
  }

  /// What was wanted of cameras that do not have it, by what they then report.
  static func missing(_ wanted: CameraControls, in readback: CameraControls) -> [String] {
    controls.filter { wanted[keyPath: $0.value] != nil && readback[keyPath: $0.value] == nil }.map(\.name)
  }

  /// What was wanted, less what the cameras do not have.
  static func possible(_ wanted: CameraControls, by readback: CameraControls) -> CameraControls {
    var possible = wanted
    for control in controls where readback[keyPath: control.value] == nil { possible[keyPath: control.value] = nil }
    return possible
  }

  /// Whether the cameras took what they were told, within a sensor's rounding; else what differs, for a person.
  func objection(to readback: CameraControls, wanted: CameraControls) -> String? {
    for (name, value) in Self.controls {
      guard let wanted = wanted[keyPath: value] else { continue }
      let actual = readback[keyPath: value]
      guard let actual else { return "the cameras do not report their \(name)" }
      if abs(actual / wanted - 1) > 0.05 { return "the cameras were told \(name) \(wanted) and report \(actual)" }
    }
    // 0 is a position, too: infinity
    guard let wanted = wanted.lensPosition, let actual = readback.lensPosition else { return nil }
    if (actual - wanted).magnitude > max(0.1, 0.02 * wanted) {
      return "the cameras were told lens position \(wanted) and report \(actual)"
    }
    return nil
  }

  /// What the locked controls say about the light.
  func feedback(_ controls: CameraControls, meanLuma: Double, clipped: Double) -> Set<ScanFeedback> {
    var feedback: Set<ScanFeedback> = []
    if meanLuma < settings.tooDarkLuma {
      feedback.insert(.environmentTooDark)
    } else if controls.gain ?? 1 >= settings.lowLightGain || meanLuma < settings.targetLuma / 3 {
      feedback.insert(.environmentLowLight)
    }
    if clipped > 0.03 { feedback.insert(.clippedHighlights) }
    if controls.exposureMicroseconds ?? halfWave < halfWave * 0.99 { feedback.insert(.flicker) }
    return feedback
  }
}
