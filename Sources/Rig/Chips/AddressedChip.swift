/// A chip at its address on a bus: registers read and written, and what goes wrong told as the device's own fault, with
/// the chip, address and bus in it.
struct AddressedChip: Sendable {
  /// The device as the configuration names it, e.g. `battery`.
  let device: String
  /// The chip's type, e.g. `MAX17048`.
  let model: String
  let bus: any I2CBus
  /// The seven-bit address.
  let address: UInt8

  /// Where it is, for errors.
  var place: String { "\(model) at \(hex(address)) on \(bus.name)" }

  /// Reads so many bytes beginning at a register. Throws what the bus throws, and `.faulty` where it returns too few.
  func read(_ register: UInt8, count: Int, during operation: String) async throws(DeviceError) -> [UInt8] {
    try await ask([register], count: count, during: operation)
  }

  /// Sends a command and reads the answer in the same transaction.
  func ask(_ command: [UInt8], count: Int, during operation: String) async throws(DeviceError) -> [UInt8] {
    let answers = try await transact([.write(command), .read(count: count)], operation)
    guard answers.count == 1, answers[0].count == count else {
      throw fault(operation, "the bus returned \(answers.map(\.count)) bytes where \(count) were asked for")
    }
    return answers[0]
  }

  /// Sends bytes, the first of which is a register or a command.
  func write(_ bytes: [UInt8], during operation: String) async throws(DeviceError) {
    _ = try await transact([.write(bytes)], operation)
  }

  /// An error of this chip that is not the bus's.
  func fault(_ operation: String, _ remedy: String, kind: DeviceError.Kind = .faulty) -> DeviceError {
    DeviceError(kind, device: device, operation: "\(operation) (\(place))", remedy: remedy)
  }

  private func transact(_ messages: [I2CMessage], _ operation: String) async throws(DeviceError) -> [[UInt8]] {
    do throws(DeviceError) {
      return try await bus.transact(address: address, messages)
    } catch {
      var told = error
      told.device = device
      told.operation = "\(operation) (\(place))"
      if told.remedy == nil, told.kind == .absent {
        told.remedy = "no chip answers there: check its power, wiring and address"
      }
      throw told
    }
  }
}

/// `0x0E`, as data sheets write it.
func hex<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) -> String {
  let digits = String(number, radix: 16, uppercase: true)
  return "0x" + String(repeating: "0", count: max(0, Number.bitWidth / 4 - digits.count)) + digits
}

/// Two bytes as a number, the most significant first.
func bigEndian(_ bytes: ArraySlice<UInt8>) -> UInt16 { bytes.reduce(0) { $0 << 8 | UInt16($1) } }

/// Two bytes as a number, the least significant first.
func littleEndian(_ bytes: ArraySlice<UInt8>) -> UInt16 { bytes.reversed().reduce(0) { $0 << 8 | UInt16($1) } }
