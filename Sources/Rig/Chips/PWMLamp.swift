/// A lamp on a channel of a PCA9685.
///
/// It flickers at the chip's frequency: with servos on the same chip at 50 Hz, exposures should be multiples of 20 ms.
public struct PWMLamp: Lamp {
  /// The lamp as the configuration names it.
  public let name: String
  private let chip: PCA9685
  private let channel: Int
  private let isInverted: Bool

  /// A lamp on channel 0…15. `isInverted` where the lamp's driver shines while the channel is off. It stays off (or,
  /// inverted, comes on) until its level is first set.
  public init(name: String, chip: PCA9685, channel: Int, isInverted: Bool = false) {
    self.name = name
    self.chip = chip
    self.channel = channel
    self.isInverted = isInverted
  }

  /// Sets brightness, 0 (off) … 1. Throws `.outOfRange` beyond that, `.absent` where no chip answers, `.faulty` where it is
  /// another chip.
  public func set(level: Double) async throws(DeviceError) {
    guard level >= 0, level <= 1 else {
      throw DeviceError(
        .outOfRange, device: name, operation: "set the level to \(level)", remedy: "a level is from 0 to 1")
    }
    do throws(DeviceError) {
      try await chip.prepare()
      try await chip.set(channel: channel, share: isInverted ? 1 - level : level)
    } catch {
      var told = error
      told.device = name
      throw told
    }
  }
}
