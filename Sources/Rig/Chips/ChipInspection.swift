/// Finds out which chip answers at an address by reading only: nothing moves, and nothing on the chip changes.
public enum ChipInspection {
  /// A PCA9685: whether it is one, and what it does now, in a few words. Throws what the bus throws, and `.faulty` where it
  /// is another chip.
  public static func pulseGenerator(_ name: String, on bus: any I2CBus, at address: UInt8) async throws(DeviceError)
    -> String
  {
    let chip = AddressedChip(device: name, model: "PCA9685", bus: bus, address: address)
    try await PCA9685.identify(chip)
    let mode = try await chip.read(0x00, count: 1, during: "see whether the pulse generator runs")[0]
    return mode & 1 << 4 == 0 ? "it runs" : "it sleeps until the first move"
  }

  /// A Pololu Tic: whether it is one that would take targets. Throws what the bus throws, and `.faulty` where it is another
  /// chip, or one with an error that the agent does not clear by itself.
  public static func tic(_ name: String, on bus: any I2CBus, at address: UInt8) async throws(DeviceError) -> String {
    let operation = "ask the controller how it is"
    let chip = AddressedChip(device: name, model: "Tic", bus: bus, address: address)
    let status = try await Tic(chip: chip).status(during: operation)
    guard [0, 2, 4, 6, 8, 10].contains(status.state) else {
      throw chip.fault(operation, "its state is \(status.state), which a Tic does not know: is it a Tic?")
    }
    let graver = status.errors.subtracting([.deEnergized, .commandTimeout, .safeStart])
    guard graver.isEmpty else { throw chip.fault(operation, graver.inWords) }
    return status.flags.contains(.energized) ? "its motor has current" : "its motor has no current"
  }
}
