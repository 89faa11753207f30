/// The stepper controller Pololu Tic on an I2C bus: its commands and variables (Pololu Tic user's guide, 0J71, sections 7,
/// 8 and 10). Numbers are sent the least significant byte first.
struct Tic: Sendable {
  let chip: AddressedChip

  /// Commands without data.
  enum Command: UInt8, Sendable {
    case exitSafeStart = 0x83
    case energize = 0x85
    case deEnergize = 0x86
    case haltAndHold = 0x89
    case resetCommandTimeout = 0x8C
  }

  /// Commands with four bytes of data.
  enum Setting: UInt8, Sendable {
    /// Signed, microsteps.
    case targetPosition = 0xE0
    /// Signed, microsteps per 10 000 s.
    case targetVelocity = 0xE3
    /// Microsteps per 10 000 s, at most 500 000 000.
    case topSpeed = 0xE6
    /// Microsteps per second in 100 s.
    case deceleration = 0xE9
    /// Microsteps per second in 100 s, at least 100.
    case acceleration = 0xEA
    /// Signed, microsteps; stops at once.
    case haltAndSetPosition = 0xEC
  }

  private static let getVariable: UInt8 = 0xA1
  private static let goHome: UInt8 = 0x97

  func send(_ command: Command, during operation: String) async throws(DeviceError) {
    try await chip.write([command.rawValue], during: operation)
  }

  func send(_ setting: Setting, _ value: Int32, during operation: String) async throws(DeviceError) {
    let bits = UInt32(bitPattern: value)
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
    try await chip.write([setting.rawValue] + bytes, during: operation)
  }

  /// Starts the search for a limit switch.
  func goHome(forward: Bool, during operation: String) async throws(DeviceError) {
    try await chip.write([Self.goHome, forward ? 1 : 0], during: operation)
  }

  /// Operation state, flags and errors: variables 0x00 to 0x03.
  func status(during operation: String) async throws(DeviceError) -> TicStatus {
    let bytes = try await chip.ask([Self.getVariable, 0x00], count: 4, during: operation)
    return TicStatus(
      state: bytes[0], flags: TicStatus.Flags(rawValue: bytes[1]),
      errors: TicStatus.Errors(rawValue: littleEndian(bytes[2...3])))
  }

  /// Where the motor is, in microsteps, and how fast, in microsteps per 10 000 s: variables 0x22 to 0x29.
  func motion(during operation: String) async throws(DeviceError) -> (position: Int32, velocity: Int32) {
    let bytes = try await chip.ask([Self.getVariable, 0x22], count: 8, during: operation)
    return (Self.number(bytes[0...3]), Self.number(bytes[4...7]))
  }

  /// How long ago the controller was switched on, in milliseconds: variable 0x35. Begins anew after 49 days.
  func upTime(during operation: String) async throws(DeviceError) -> UInt32 {
    UInt32(bitPattern: Self.number(try await chip.ask([Self.getVariable, 0x35], count: 4, during: operation)[...]))
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int32 {
    Int32(bitPattern: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
  }
}

/// What a Tic says about itself.
struct TicStatus: Sendable, Hashable {
  /// Operation state: 0 reset, 2 de-energised, 4 soft error, 6 waiting for the ERR line, 8 starting up, 10 normal.
  var state: UInt8
  var flags: Flags
  var errors: Errors

  /// Whether it takes targets.
  var isNormal: Bool { state == 10 && errors.isEmpty }

  /// Why it does not, and what a person can do.
  var inWords: String {
    errors.isEmpty ? "it does not start: its operation state is \(state)" : errors.inWords
  }

  struct Flags: OptionSet, Sendable, Hashable {
    let rawValue: UInt8
    static let energized = Flags(rawValue: 1 << 0)
    static let positionUncertain = Flags(rawValue: 1 << 1)
    static let homingActive = Flags(rawValue: 1 << 4)
  }

  /// The errors that stop the motor.
  struct Errors: OptionSet, Sendable, Hashable {
    let rawValue: UInt16
    static let deEnergized = Errors(rawValue: 1 << 0)
    static let motorDriver = Errors(rawValue: 1 << 1)
    static let lowVoltage = Errors(rawValue: 1 << 2)
    static let killSwitch = Errors(rawValue: 1 << 3)
    static let requiredInput = Errors(rawValue: 1 << 4)
    static let serial = Errors(rawValue: 1 << 5)
    static let commandTimeout = Errors(rawValue: 1 << 6)
    static let safeStart = Errors(rawValue: 1 << 7)
    static let errorLine = Errors(rawValue: 1 << 8)

    /// Each bit as the user's guide calls it, and what a person can do.
    private static let words: [(Errors, name: String, remedy: String)] = [
      (.lowVoltage, "low VIN", "switch the motor's supply on"),
      (.motorDriver, "motor driver error", "let the driver cool down and look for a short circuit at the motor"),
      (.killSwitch, "kill switch active", "release the kill switch"),
      (.errorLine, "ERR line high", "see what holds the ERR line"),
      (.requiredInput, "required input invalid", "set its control mode to Serial/I2C/USB in the Tic Control Center"),
      (.serial, "serial error", "check the wires of the bus"),
      (.commandTimeout, "command timeout", "the agent did not speak to it in time"),
      (.safeStart, "safe start violation", "set its control mode to Serial/I2C/USB in the Tic Control Center"),
      (.deEnergized, "intentionally de-energised", "something else has let go of the motor")
    ]

    /// All names, and the remedy of the gravest.
    var inWords: String {
      let set = Self.words.filter { contains($0.0) }
      guard let first = set.first else { return "unknown error \(hex(rawValue))" }
      return "it says “\(set.map(\.name).joined(separator: ", "))”: \(first.remedy)"
    }
  }
}

/// How long a Tic said it had been on, and when it said so.
struct TicUpTime: Sendable, Hashable {
  var seconds: Double
  var at: RigInstant

  /// Whether it was switched off since another time: it has been on for a second less than it would have, plus half a
  /// percent for clocks that differ. The count begins anew after 49 days, which looks the same and costs one homing.
  func hasRestarted(since before: TicUpTime) -> Bool {
    let passed = before.at.duration(to: at).asSeconds
    return seconds + 1 + 0.005 * passed < before.seconds + passed
  }
}
