import CCamera
import Rig

// What crosses the border between the shim and Swift.

extension camera_controls {
  /// Nil becomes NaN.
  init(_ controls: CameraControls) {
    self.init(
      exposure_us: controls.exposureMicroseconds ?? .nan, gain: controls.gain ?? .nan,
      red_gain: controls.redGain ?? .nan, blue_gain: controls.blueGain ?? .nan,
      lens_dioptres: controls.lensPosition ?? .nan)
  }
}

extension CameraControls {
  /// NaN becomes nil.
  init(_ raw: camera_controls) {
    func value(_ number: Double) -> Double? { number.isNaN ? nil : number }
    self.init(
      exposureMicroseconds: value(raw.exposure_us), gain: value(raw.gain), redGain: value(raw.red_gain),
      blueGain: value(raw.blue_gain), lensPosition: value(raw.lens_dioptres))
  }
}

extension LibcameraSource {
  /// Calls with room for a reason; returns the result and the reason.
  static func explained(_ call: (UnsafeMutablePointer<CChar>?, Int) -> Int32) -> (Int32, String) {
    var buffer = [CChar](repeating: 0, count: 1024)
    let result = buffer.withUnsafeMutableBufferPointer { call($0.baseAddress, $0.count) }
    return (result, result == 0 ? "" : buffer.withUnsafeBytes { text($0) })
  }

  /// What C wrote into a buffer.
  static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// How a camera's pictures lie in memory.
  static func layout(of camera: OpaquePointer) -> PictureLayout {
    var raw = camera_layout()
    camera_get_layout(camera, &raw)
    let order: [PixelLayout] = [.rgb, .bgr, .rgbx, .bgrx, .nv12, .yuv420, .yuyv]
    var encoding: YUVEncoding =
      switch Int(raw.encoding) {
      case Int(CAMERA_REC709.rawValue): .rec709
      case Int(CAMERA_REC2020.rawValue): .rec2020
      default: .jpeg
      }
    encoding.isFullRange = raw.is_full_range == 1
    return PictureLayout(
      pixels: order[Int(raw.format)], width: Int(raw.width), height: Int(raw.height), stride: Int(raw.stride),
      encoding: encoding)
  }

  /// What a frame says of a focusing.
  static func focusing(_ state: Int32) -> CompletedFrame.Focusing? {
    switch Int(state) {
    case Int(CAMERA_FOCUS_SCANNING.rawValue): .scanning
    case Int(CAMERA_FOCUS_REACHED.rawValue): .focused
    case Int(CAMERA_FOCUS_FAILED.rawValue): .failed
    default: nil
    }
  }

  /// What all cameras can be set to.
  static func limits(of cameras: [OpaquePointer]) -> ControlLimits {
    let each = cameras.map { camera in
      var raw = camera_limits()
      camera_get_limits(camera, &raw)
      return raw
    }
    func common(_ part: (camera_limits) -> camera_limit) -> ClosedRange<Double>? {
      let limits = each.map(part)
      guard limits.allSatisfy({ $0.is_present == 1 }) else { return nil }
      let low = limits.map(\.lowest).max() ?? 0
      let high = limits.map(\.highest).min() ?? 0
      return low <= high ? low...high : nil
    }
    var found = ControlLimits()
    found.exposure = common { $0.exposure_us }
    found.gain = common { $0.gain }
    found.colourGain = common { $0.colour_gain }
    found.lens = common { $0.lens_dioptres }
    found.hasAutofocus = each.allSatisfy { $0.has_autofocus == 1 }
    return found
  }
}
