import Capture
import Configuration

extension TwinrigConfiguration {
  /// How a scan is done.
  var scanSettings: ScanSettings {
    var settings = ScanSettings()
    settings.mainsHertz = Double(rig.mainsHertz)
    settings.burst = scan.burst
    settings.retakes = scan.retakes
    settings.cameraRestarts = scan.cameraRestarts
    settings.pictureFormat = cameras.imageFormat == .heic ? .heic : .jpeg
    settings.jpegQuality = scan.jpegQuality
    settings.heicQuality = scan.heicQuality
    settings.fNumber = cameras.fNumber
    settings.pixelPitch = cameras.pixelPitch
    // simulated lenses are fixed
    settings.lensPosition = cameras.driver == .libcamera ? cameras.lensPosition : nil
    settings.lampLevel = scan.lampLevel
    settings.moveSpeed = scan.moveSpeed
    settings.pan = scan.pan
    settings.tilt = scan.tilt
    settings.parked = scan.parked
    settings.settleLimit = scan.settleLimit
    settings.settleRatio = scan.settleRatio
    settings.targetLuma = scan.targetLuma
    settings.longestExposure = scan.longestExposure.microseconds
    settings.highestGain = scan.highestGain
    settings.lowLightGain = scan.lowLightGain
    settings.tooDarkLuma = scan.tooDarkLuma
    settings.plateStops = scan.plateStops
    settings.asksForPlates = scan.asksForPlates
    settings.promptTimeout = scan.promptTimeout
    settings.stepTimeout = scan.stepTimeout
    settings.mode = cameraMode
    return settings
  }

  /// What a scan is asked for when a start says nothing else.
  var scanRequest: ScanRequest {
    ScanRequest(
      shots: scan.shots, passes: scan.passes, detail: scan.detail.rawValue, overcapture: scan.overcapture)
  }

  /// The low-battery policy.
  var powerLimits: PowerLimits {
    var limits = PowerLimits()
    limits.warning = power.warning
    limits.low = power.low
    limits.lowClears = power.lowClears
    limits.critical = power.critical
    limits.voltageFloor = power.voltageFloor
    limits.criticalReadings = power.criticalReadings
    limits.criticalSpacing = power.criticalSpacing
    limits.bootHoldOff = power.bootHoldOff
    limits.staleAfter = power.staleAfter
    return limits
  }
}

extension Duration {
  fileprivate var microseconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) * 1e6 + Double(attoseconds) * 1e-12
  }
}
