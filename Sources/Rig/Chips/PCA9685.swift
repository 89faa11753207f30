/// The 16-channel pulse generator PCA9685 (data sheet: NXP, rev. 4): servos and lamps at one common frequency.
///
/// Nothing is sent before the first use; then all channels are off until each is set. Every channel's user shares one such
/// actor, so that the chip is set up once.
public actor PCA9685 {
  /// How many channels there are.
  public static let channels = 16
  /// Ticks of a period.
  private static let ticks = 4096

  private enum Register {
    static let mode1: UInt8 = 0x00
    static let mode2: UInt8 = 0x01
    static let firstSubaddress: UInt8 = 0x02
    static let allCallAddress: UInt8 = 0x05
    static let firstChannel: UInt8 = 0x06  // four registers each: ON and OFF, low byte first
    static let allChannels: UInt8 = 0xFA
    static let prescale: UInt8 = 0xFE
  }

  private enum Mode1 {
    static let sleep: UInt8 = 1 << 4
    static let autoIncrement: UInt8 = 1 << 5
    static let restart: UInt8 = 1 << 7
  }

  /// Bit 4 of ON's high byte: always on; of OFF's: always off, which wins.
  private static let always: UInt8 = 1 << 4

  /// The chip as the configuration names it.
  public nonisolated let name: String
  /// The length of a period: what the prescaler makes of the frequency asked for.
  public nonisolated let period: Duration
  private let chip: AddressedChip
  private let clock: any RigClock
  private let prescale: UInt8
  private let setUp = Preparation()

  /// A chip whose pulses come `frequency` times a second, 24 to 1526 (50 is usual for servos). Throws `.outOfRange` beyond.
  public init(
    name: String, bus: any I2CBus, clock: any RigClock, address: UInt8 = 0x40, frequency: Double = 50
  ) throws(DeviceError) {
    self.name = name
    self.clock = clock
    let chip = AddressedChip(device: name, model: "PCA9685", bus: bus, address: address)
    self.chip = chip
    guard let prescale = Self.prescale(frequency: frequency) else {
      throw chip.fault(
        "set the frequency to \(frequency) Hz", "it can do 24 to 1526 Hz, and servos need about 50", kind: .outOfRange)
    }
    self.prescale = prescale
    period = .nanoseconds(Self.ticks * (Int(prescale) + 1) * 40)  // 25 MHz
  }

  /// PRE_SCALE = round(25 MHz / (4096 · f)) - 1, from 3 to 255; nil where the frequency asks for another.
  public static func prescale(frequency: Double) -> UInt8? {
    guard frequency > 0, frequency.isFinite else { return nil }
    let value = (25e6 / (Double(ticks) * frequency)).rounded() - 1
    return (3...255).contains(value) ? UInt8(value) : nil
  }

  /// A pulse in whole ticks: 1500 µs are 307 at 50 Hz.
  public nonisolated func ticks(pulse: Duration) -> Int {
    Int((pulse.asSeconds / period.asSeconds * Double(Self.ticks)).rounded())
  }

  /// Sees to it that the chip runs: sets it up at first, and again when it has lost its settings, as after a drop of its
  /// supply. To be called before a move, not before each pulse. Throws `.absent`, or `.faulty` where it is another chip.
  public func prepare() async throws(DeviceError) {
    let chip = chip
    let clock = clock
    let prescale = prescale
    let body = { @Sendable () async throws(DeviceError) in
      try await Self.setUp(chip, prescale: prescale, clock: clock)
    }
    try await setUp.run(body)
    if try await Self.runs(chip) { return }
    await setUp.forget()
    try await setUp.run(body)
  }

  /// Asks the chip for a sign of life, whether it is set up or not. Throws `.absent` where none answers.
  public func check() async throws(DeviceError) { _ = try await Self.runs(chip) }

  /// Sets a channel's pulse, from 0 to less than a period, once in each period from the next on. Throws `.outOfRange`
  /// beyond that, and what the bus throws.
  public func set(channel: Int, pulse: Duration) async throws(DeviceError) {
    try await set(channel, ticks: ticks(pulse: pulse), during: "set the pulse of channel \(channel)")
  }

  /// Sets the share of the time that a channel is on, 0…1, to 1/4096. Throws `.outOfRange` beyond that, and what the bus
  /// throws.
  public func set(channel: Int, share: Double) async throws(DeviceError) {
    let operation = "set the level of channel \(channel)"
    guard share >= 0, share <= 1 else {
      throw chip.fault(operation, "a level is from 0 to 1", kind: .outOfRange)
    }
    try await set(channel, ticks: Int((share * Double(Self.ticks)).rounded()), during: operation)
  }

  /// Switches a channel off: a servo gets no pulses and lets go.
  public func release(channel: Int) async throws(DeviceError) {
    try await set(channel, ticks: 0, during: "switch channel \(channel) off")
  }

  /// Switches all channels off and puts the chip to sleep, whoever set it up; what wants it next sets it up again. Channels
  /// `leavingOn` stay on: the drivers of their lamps are inverted. Throws `.absent`, or `.faulty` where it is another chip.
  public func shutDown(leavingOn: Set<Int> = []) async throws(DeviceError) {
    let operation = "switch everything off"
    try await Self.identify(chip)
    await setUp.forget()
    try await chip.write([Register.mode1, Mode1.autoIncrement], during: operation)
    try await chip.write([Register.allChannels] + Self.onAndOff(0), during: operation)
    for channel in leavingOn.sorted() { try await set(channel, ticks: Self.ticks, during: operation) }
    try await chip.write([Register.mode1, Mode1.autoIncrement | Mode1.sleep], during: operation)
  }

  private func set(_ channel: Int, ticks: Int, during operation: String) async throws(DeviceError) {
    guard (0..<Self.channels).contains(channel) else {
      throw chip.fault(operation, "its channels are 0 to \(Self.channels - 1)", kind: .outOfRange)
    }
    guard (0...Self.ticks).contains(ticks) else {
      throw chip.fault(operation, "a pulse is at most a period of \(period)", kind: .outOfRange)
    }
    try await chip.write(
      [Register.firstChannel + UInt8(4 * channel)] + Self.onAndOff(ticks), during: operation)
  }

  /// The four registers of a channel: on at tick 0, off at `ticks`; always on or always off at the ends, where the two
  /// counts would meet.
  private static func onAndOff(_ count: Int) -> [UInt8] {
    if count == 0 { return [0, 0, 0, always] }
    if count == ticks { return [0, always, 0, 0] }
    return [0, 0, UInt8(count & 0xFF), UInt8(count >> 8)]
  }

  /// Data sheet 7.3.1.1: the prescaler can be written only asleep, and the oscillator needs 500 µs to start. All channels
  /// are switched off before, so that nothing jerks to where an earlier program had left it.
  private static func setUp(_ chip: AddressedChip, prescale: UInt8, clock: any RigClock) async throws(DeviceError) {
    let operation = "set up the pulse generator"
    try await identify(chip)
    let running = Mode1.autoIncrement
    try await chip.write([Register.mode1, running | Mode1.sleep], during: operation)
    try await chip.write([Register.allChannels] + onAndOff(0), during: operation)
    try await chip.write([Register.prescale, prescale], during: operation)
    try await chip.write([Register.mode2, 0x04], during: operation)  // push-pull outputs, not inverted
    try await chip.write([Register.mode1, running], during: operation)
    do {
      try await clock.sleep(for: .microseconds(500))
    } catch {
      throw chip.fault(operation, "it was given up", kind: .cancelled)
    }
    try await chip.write([Register.mode1, running | Mode1.restart], during: operation)
    let found = try await chip.read(Register.prescale, count: 1, during: operation)[0]
    guard try await runs(chip), found == prescale else {
      throw chip.fault(
        operation, "its prescaler says \(hex(found)) after \(hex(prescale)) was written to it: is it a PCA9685?")
    }
  }

  /// Whether the chip is as set up: awake, with auto-increment. The restart bit may be still set.
  private static func runs(_ chip: AddressedChip) async throws(DeviceError) -> Bool {
    let mode = try await chip.read(Register.mode1, count: 1, during: "see whether the pulse generator runs")[0]
    return mode & ~Mode1.restart == Mode1.autoIncrement
  }

  /// The chip has no identity register, and shares its first address with the INA219: so before anything is written, the
  /// addresses it would also answer to (SUBADR1 and ALLCALLADR) must be what they are after power-on, which nobody changes.
  static func identify(_ chip: AddressedChip) async throws(DeviceError) {
    let operation = "identify the pulse generator"
    let sub = try await chip.read(Register.firstSubaddress, count: 1, during: operation)[0]
    let all = try await chip.read(Register.allCallAddress, count: 1, during: operation)[0]
    guard sub == 0xE2, all == 0xE0 else {
      throw chip.fault(
        operation,
        "its registers 2 and 5 say \(hex(sub)) and \(hex(all)) where a PCA9685 says 0xE2 and 0xE0; an INA219 has the same "
          + "address unless its jumpers are set")
    }
  }
}
