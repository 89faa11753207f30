import Rig
import Testing

/// One transaction as a test expects it, and what the chip does then.
struct Exchange: Sendable {
  var messages: [I2CMessage]
  var answer: [[UInt8]] = []
  var failure: DeviceError.Kind?

  /// Bytes sent, and acknowledged.
  static func write(_ bytes: UInt8...) -> Exchange { Exchange(messages: [.write(bytes)]) }

  /// A register or command sent, and bytes read in the same transaction.
  static func read(_ command: UInt8..., gives answer: [UInt8]) -> Exchange {
    Exchange(messages: [.write(command), .read(count: answer.count)], answer: [answer])
  }

  /// The same, but the transaction fails.
  func failing(_ kind: DeviceError.Kind) -> Exchange { Exchange(messages: messages, failure: kind) }
}

/// A bus that expects exactly these transactions, byte for byte, and records an issue about any other.
actor ScriptedBus: I2CBus {
  nonisolated let name = "i2c-7"
  private let address: UInt8
  private let script: [Exchange]
  private var next = 0

  init(address: UInt8, _ script: [Exchange]) {
    self.address = address
    self.script = script
  }

  /// How many of the transactions have been asked for.
  var count: Int { next }
  /// Whether all of them have.
  var isFinished: Bool { next == script.count }

  func transact(address: UInt8, _ messages: [I2CMessage]) async throws(DeviceError) -> [[UInt8]] {
    guard next < script.count else {
      Issue.record("transaction \(next + 1) to \(address): \(messages), where no more were expected")
      throw DeviceError(.unsupported, device: name, operation: "follow the script")
    }
    let expected = script[next]
    next += 1
    if address != self.address || messages != expected.messages {
      Issue.record(
        "transaction \(next) to \(address): \(messages), instead of \(expected.messages) to \(self.address)")
      throw DeviceError(.unsupported, device: name, operation: "follow the script")
    }
    if let failure = expected.failure { throw DeviceError(failure, device: name, operation: "transact", errno: 121) }
    return expected.answer
  }
}

/// The error that the body throws; records an issue where it throws none.
func deviceError(
  _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async -> DeviceError? {
  do {
    try await body()
    Issue.record("no error; \(String(describing: comment))", sourceLocation: sourceLocation)
  } catch let error as DeviceError {
    return error
  } catch {
    Issue.record("\(error) is no DeviceError", sourceLocation: sourceLocation)
  }
  return nil
}

/// Waits until something has come about that another task does, for as long as even a busy machine takes.
func eventually(
  sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async -> Bool
) async throws {
  let deadline = ContinuousClock.now + .seconds(60)
  while ContinuousClock.now < deadline {
    if await condition() { return }
    try await ContinuousClock().sleep(for: .microseconds(100))
  }
  Issue.record("it never came about", sourceLocation: sourceLocation)
}
