import Imaging

/// A move that an axis may make: checked against its limits, the speed filled in.
///
/// Every driver of an axis refuses the same moves in the same words.
public struct MoveRequest: Sendable, Hashable {
  /// Where to.
  public let target: Angle
  /// How fast, per second: above zero, at most the top speed.
  public let speed: Angle
  /// The move in words, for errors: `move to 40°`.
  public let operation: String

  /// Checks a move. Throws `.outOfRange` for a target that is no number or beyond the range, and for a speed of nothing,
  /// backwards or beyond the top speed.
  public init(to target: Angle, speed: Angle?, of axis: String, limits: AxisLimits) throws(DeviceError) {
    operation = "move to \(target.inWords)"
    self.target = target
    self.speed = speed ?? limits.topSpeed
    guard target.radians.isFinite, limits.range?.contains(target) ?? true else {
      let range = limits.range.map { "its range is \($0.lowerBound.inWords) to \($0.upperBound.inWords)" }
      throw DeviceError(.outOfRange, device: axis, operation: operation, remedy: range)
    }
    guard self.speed > .zero, limits.allows(self.speed) else {
      throw DeviceError(
        .outOfRange, device: axis, operation: "\(operation) at \(self.speed.inWords)/s",
        remedy: "its top speed is \(limits.topSpeed.inWords)/s")
    }
  }
}

extension AxisLimits {
  /// Whether there is a speed and an acceleration to move with.
  var areUsable: Bool {
    topSpeed > .zero && acceleration > .zero && topSpeed.radians.isFinite && acceleration.radians.isFinite
  }

  /// Whether the speed, of either sign, is within the top speed (but for rounding).
  func allows(_ speed: Angle) -> Bool { speed.radians.magnitude <= topSpeed.radians * (1 + 1e-9) }

  /// Checks a constant velocity. Throws `.outOfRange` beyond the top speed, `.unsupported` on an axis with a range.
  public func checkSpin(_ velocity: Angle, of axis: String) throws(DeviceError) {
    let operation = "spin at \(velocity.inWords)/s"
    guard velocity.radians.isFinite, allows(velocity) else {
      throw DeviceError(
        .outOfRange, device: axis, operation: operation, remedy: "its top speed is \(topSpeed.inWords)/s")
    }
    guard range == nil else {
      throw DeviceError(.unsupported, device: axis, operation: operation, remedy: "it cannot turn all the way round")
    }
  }
}

extension Angle {
  /// Degrees as a person reads them, to a hundredth.
  public var inWords: String { "\((degrees * 100).rounded() / 100)°" }
}

extension Duration {
  /// As a number of seconds.
  var asSeconds: Double {
    let parts = components
    return Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
  }
}
