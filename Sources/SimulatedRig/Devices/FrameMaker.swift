import CRender
import Dispatch
import Imaging
import Rig

/// From moments of the world to the bytes of two sensors: renders on a thread of its own, and keeps the last noise-free
/// picture of a scene at rest.
final class FrameMaker: @unchecked Sendable {
  // Everything mutable is touched on `queue` only.
  private let queue = DispatchQueue(label: "twinrig.simulated-cameras")
  private var renderer: SceneRenderer?
  private let makeRenderer: @Sendable () throws(DeviceError) -> SceneRenderer
  private let sensor: SensorSettings
  private let threads: Int
  private let seed: UInt64
  private let clock: SimulatedClock
  private var kept: [Key: LinearPicture] = [:]
  private var order: [Key] = []

  /// What a sensor does to one exposure.
  struct Exposure: Sendable {
    /// Exposure time times gain, in units of a 10 ms exposure at gain 1.
    var brightness: Double
    var gain: Double
    var redGain: Double, blueGain: Double
    /// Numbers the frame; noise is drawn from it.
    var frame: UInt64
  }

  /// Two pictures, and what a meter in the camera says of the left one.
  struct Pair: Sendable {
    var left: RGBImage, right: RGBImage
    /// Mean signal (share of full well) before white balance, weighted like brightness.
    var meteredSignal: Double
  }

  private struct Key: Hashable {
    var states: [SceneState]
    var side: Int
    var width: Int
  }

  /// How the sensor answers to red, green and blue light: white balance makes up for it.
  static let response: SIMD3<Double> = [0.62, 1, 0.72]
  /// The signal of radiance 1 after 10 ms at gain 1.
  private static let sensitivity = 0.8

  /// Makes its renderer when it is first needed.
  init(
    sensor: SensorSettings, clock: SimulatedClock, threads: Int, seed: UInt64,
    renderer: @escaping @Sendable () throws(DeviceError) -> SceneRenderer
  ) {
    self.clock = clock
    makeRenderer = renderer
    self.sensor = sensor
    self.threads = threads
    self.seed = seed
  }

  /// Makes a pair from what was to be seen during each side's exposure (one instant, or several where things moved).
  func pair(
    left: [SceneState], right: [SceneState], width: Int, height: Int, exposure: Exposure
  ) async throws(DeviceError) -> Pair {
    let result: Result<Pair, DeviceError> = await withCheckedContinuation { continuation in
      queue.async {
        let made = self.timeless { () throws(DeviceError) in
          let l = try self.linear(left, side: 0, width: width, height: height)
          let r = try self.linear(right, side: 1, width: width, height: height)
          return Pair(
            left: self.develop(l, exposure, side: 0), right: self.develop(r, exposure, side: 1),
            meteredSignal: self.meter(l, exposure))
        }
        continuation.resume(returning: made)
      }
    }
    return try result.get()
  }

  /// Makes what every picture needs, and puts the world in order for being looked at.
  func prepare() async throws(DeviceError) {
    let result: Result<Void, DeviceError> = await withCheckedContinuation { continuation in
      queue.async {
        continuation.resume(returning: self.timeless { () throws(DeviceError) in _ = try self.preparedRenderer() })
      }
    }
    try result.get()
  }

  /// Does work while the world's time stands still.
  private func timeless<Made>(_ work: () throws(DeviceError) -> Made) -> Result<Made, DeviceError> {
    let began = ContinuousClock.now
    let made = Result(catching: work)
    clock.discount(began.duration(to: .now))
    return made
  }

  private func preparedRenderer() throws(DeviceError) -> SceneRenderer {
    if let renderer { return renderer }
    let made = try makeRenderer()
    renderer = made
    return made
  }

  private func linear(_ states: [SceneState], side: Int, width: Int, height: Int) throws(DeviceError) -> LinearPicture {
    let key = Key(states: states, side: side, width: width)
    if let picture = kept[key] { return picture }
    let picture = try preparedRenderer().picture(states, side: side, width: width, height: height)
    kept[key] = picture
    order.append(key)
    // one full-size and one viewfinder pair
    if order.count > 4 { kept[order.removeFirst()] = nil }
    return picture
  }

  private func develop(_ picture: LinearPicture, _ e: Exposure, side: Int) -> RGBImage {
    let scale = FrameMaker.response * (e.brightness * FrameMaker.sensitivity)
    let settings = cr_sensor(
      scale: (Float(scale.x), Float(scale.y), Float(scale.z)), balance: (Float(e.redGain), 1, Float(e.blueGain)),
      shot: Float(e.gain / sensor.fullWell),
      read: Float((sensor.readNoise * e.gain / sensor.fullWell) * (sensor.readNoise * e.gain / sensor.fullWell)),
      vignetting: Float(sensor.vignetting), seed: seed &* 31 &+ e.frame &* 2 &+ UInt64(side))
    let count = 3 * picture.width * picture.height
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, n in
      let out = Rows(bytes: buffer.baseAddress!, settings: settings)
      Parallel.bands(picture.height, of: 32, threads: threads) { rows in
        withUnsafePointer(to: out.settings) {
          cr_sensor_rows(
            picture.values, Int32(picture.width), Int32(picture.height), Int32(rows.lowerBound),
            Int32(rows.upperBound), $0, out.bytes)
        }
      }
      n = count
    }
    return RGBImage(width: picture.width, height: picture.height, bytes: bytes)
  }

  private struct Rows: @unchecked Sendable {
    var bytes: UnsafeMutablePointer<UInt8>
    var settings: cr_sensor
  }

  private func meter(_ picture: LinearPicture, _ e: Exposure) -> Double {
    var mean = (Float(0), Float(0), Float(0))
    withUnsafeMutableBytes(of: &mean) {
      cr_sensor_meter(
        picture.values, Int32(picture.width), Int32(picture.height), $0.assumingMemoryBound(to: Float.self).baseAddress)
    }
    let light = 0.30 * Double(mean.0) + 0.59 * Double(mean.1) + 0.11 * Double(mean.2)
    return light * e.brightness * FrameMaker.sensitivity
  }
}
