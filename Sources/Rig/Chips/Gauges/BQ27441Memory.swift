/// The control commands of a BQ27441 and its data memory (technical reference SLUUAC9A, sections 3.1, 4.1 and 6).
struct BQ27441Memory: Sendable {
  let chip: AddressedChip
  let clock: any RigClock

  private enum Control {
    static let status: UInt16 = 0x0000
    static let deviceType: UInt16 = 0x0001
    static let setConfigUpdate: UInt16 = 0x0013
    static let seal: UInt16 = 0x0020
    static let softReset: UInt16 = 0x0042
    static let unsealKey: UInt16 = 0x8000
  }

  private enum Register {
    static let control: UInt8 = 0x00
    static let voltage: UInt8 = 0x04
    static let dataClass: UInt8 = 0x3E
    static let dataBlock: UInt8 = 0x3F
    static let designCapacity: UInt8 = 0x4A  // offset 10 of the class "State"; in mAh, the most significant byte first
    static let checksum: UInt8 = 0x60
    static let dataControl: UInt8 = 0x61
  }

  /// Checks the device type, 0x0421. Throws `.faulty` where it is another.
  func identify() async throws(DeviceError) {
    let operation = "identify the gauge"
    let type = try await ask(Control.deviceType, operation)
    guard type == 0x0421 else {
      throw chip.fault(operation, "its device type is \(hex(type)) where a BQ27441 says 0x0421")
    }
  }

  /// Tells the chip the battery's design capacity in mAh, and leaves it as sealed as it was. Throws `.timedOut` when the
  /// chip does not enter or leave the mode for it within a second each, `.faulty` when it does not keep the value.
  func set(designCapacity: UInt16) async throws(DeviceError) {
    let operation = "set the design capacity to \(designCapacity) mAh"
    let wasSealed = try await ask(Control.status, operation) & 0x2000 != 0
    if wasSealed {
      // the key is the same word twice, with nothing in between
      try await send(Control.unsealKey, operation)
      try await send(Control.unsealKey, operation)
    }
    try await send(Control.setConfigUpdate, operation)
    try await waitFor(configUpdate: true, operation)
    do throws(DeviceError) {
      try await write(designCapacity, operation)
    } catch {
      // never leave it in a mode in which it does not gauge; it forgets what was not complete
      try? await send(Control.softReset, operation)
      throw error
    }
    // ends the mode, clears ITPOR, and makes it gauge anew
    try await send(Control.softReset, operation)
    try await waitFor(configUpdate: false, operation)
    if wasSealed { try await send(Control.seal, operation) }
  }

  private func write(_ capacity: UInt16, _ operation: String) async throws(DeviceError) {
    try await select(operation)
    let sum = try await chip.read(Register.checksum, count: 1, during: operation)[0]
    let old = try await chip.read(Register.designCapacity, count: 2, during: operation)
    let new = [UInt8(capacity >> 8), UInt8(capacity & 0xFF)]
    if old == new { return }
    try await chip.write([Register.designCapacity] + new, during: operation)
    // the checksum is 255 less the sum of the block's bytes, and writing it is what stores the block
    let changed = sum &+ old[0] &+ old[1] &- new[0] &- new[1]
    try await chip.write([Register.checksum, changed], during: operation)
    try await pause(.milliseconds(10), operation)
    try await select(operation)
    let kept = try await chip.read(Register.designCapacity, count: 2, during: operation)
    guard kept == new else {
      throw chip.fault(operation, "it kept \(bigEndian(kept[...])) mAh: power the gauge off and on")
    }
  }

  /// Shows the first block of the class "State" (82) at 0x40…0x5F.
  private func select(_ operation: String) async throws(DeviceError) {
    try await chip.write([Register.dataControl, 0], during: operation)
    try await chip.write([Register.dataClass, 82], during: operation)
    try await chip.write([Register.dataBlock, 0], during: operation)
    try await pause(.milliseconds(2), operation)
  }

  private func send(_ command: UInt16, _ operation: String) async throws(DeviceError) {
    try await chip.write(
      [Register.control, UInt8(command & 0xFF), UInt8(command >> 8)], during: operation)
    // at 400 kHz the bus must rest for 66 µs between packets
    try await pause(.milliseconds(1), operation)
  }

  private func ask(_ command: UInt16, _ operation: String) async throws(DeviceError) -> UInt16 {
    try await send(command, operation)
    return littleEndian(try await chip.read(Register.control, count: 2, during: operation)[...])
  }

  private func waitFor(configUpdate: Bool, _ operation: String) async throws(DeviceError) {
    let deadline = clock.now.advanced(by: .seconds(1))
    while true {
      let bytes = try await chip.read(Register.voltage, count: 4, during: operation)
      if BQ27441Flags(bytes).contains(.configUpdate) == configUpdate { return }
      if clock.now >= deadline {
        throw chip.fault(
          operation, "it does not \(configUpdate ? "enter" : "leave") the mode for it: power the gauge off and on",
          kind: .timedOut)
      }
      try await pause(.milliseconds(20), operation)
    }
  }

  private func pause(_ duration: Duration, _ operation: String) async throws(DeviceError) {
    do {
      try await clock.sleep(for: duration)
    } catch {
      throw chip.fault(operation, "it was given up", kind: .cancelled)
    }
  }
}
