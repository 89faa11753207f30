import Rig

/// A PCA9685 as a register file that does what the data sheet says: registers count on only with auto-increment, the
/// prescaler is written only asleep.
actor ModelPCA9685: I2CBus {
  /// A pulse that was set, and when.
  struct Pulse: Sendable, Hashable {
    var at: Duration
    var channel: Int
    /// Ticks from on to off; 0 when fully off, 4096 when fully on.
    var ticks: Int
  }

  nonisolated let name = "i2c-7"
  private let clock: any RigClock
  private var registers = [UInt8](repeating: 0, count: 256)
  private(set) var pulses: [Pulse] = []
  private(set) var setUps = 0
  private var failing: (from: Int, error: DeviceError)?

  init(clock: any RigClock) {
    self.clock = clock
    Self.powerOn(&registers)
  }

  /// The supply drops for a moment.
  func loseSettings() { Self.powerOn(&registers) }

  /// All transactions after so many more pulses fail.
  func fail(afterPulses count: Int, with kind: DeviceError.Kind) {
    failing = (pulses.count + count, DeviceError(kind, device: name, operation: "transact"))
  }

  func pulses(channel: Int) -> [Pulse] { pulses.filter { $0.channel == channel } }

  private static func powerOn(_ registers: inout [UInt8]) {
    registers = [UInt8](repeating: 0, count: 256)
    registers[0...5] = [0x11, 0x04, 0xE2, 0xE4, 0xE8, 0xE0]
    registers[0xFE] = 0x1E
    for channel in 0..<16 { registers[0x09 + 4 * channel] = 0x10 }
  }

  func transact(address: UInt8, _ messages: [I2CMessage]) async throws(DeviceError) -> [[UInt8]] {
    guard address == 0x40 else { throw DeviceError(.absent, device: name, operation: "transact") }
    if let failing, pulses.count >= failing.from { throw failing.error }
    var register = 0
    var answers: [[UInt8]] = []
    for message in messages {
      switch message {
      case .write(let bytes):
        register = Int(bytes.first ?? 0)
        for byte in bytes.dropFirst() {
          store(byte, at: register)
          if isCounting { register += 1 }
        }
        notePulse(bytes)
      case .read(let count):
        answers.append((0..<count).map { registers[register + (isCounting ? $0 : 0)] })
      }
    }
    return answers
  }

  private var isCounting: Bool { registers[0] & 0x20 != 0 }

  private func store(_ byte: UInt8, at register: Int) {
    switch register {
    case 0: registers[0] = byte & 0x7F
    case 0xFA...0xFD: for channel in 0..<16 { registers[6 + 4 * channel + register - 0xFA] = byte }
    case 0xFE:
      guard registers[0] & 0x10 != 0 else { return }
      registers[0xFE] = max(3, byte)
      setUps += 1
    default: registers[register] = byte
    }
  }

  private func notePulse(_ bytes: [UInt8]) {
    guard bytes.count == 5, (0x06..<0x46).contains(bytes[0]) else { return }
    let channel = (Int(bytes[0]) - 6) / 4
    let set = registers[(6 + 4 * channel)..<(10 + 4 * channel)].map(Int.init)
    var ticks = (set[2] | set[3] << 8) - (set[0] | set[1] << 8)
    if set[3] & 0x10 != 0 {
      ticks = 0
    } else if set[1] & 0x10 != 0 {
      ticks = 4096
    }
    // asleep or without auto-increment nothing comes out as was meant
    guard registers[0] & 0x30 == 0x20 else { return }
    pulses.append(Pulse(at: clock.now.sinceOrigin, channel: channel, ticks: ticks))
  }
}
