/// One message of a combined transaction.
public enum I2CMessage: Sendable, Hashable {
  /// Sends bytes.
  case write([UInt8])
  /// Asks for so many bytes.
  case read(count: Int)
}

/// A bus with chips on it. A transaction is indivisible: repeated starts between its messages, one stop at the end.
public protocol I2CBus: Sendable {
  /// The bus as the configuration names it.
  var name: String { get }
  /// Performs the messages and returns the bytes of each read, in order. Throws `.absent` where no chip acknowledges.
  func transact(address: UInt8, _ messages: [I2CMessage]) async throws(DeviceError) -> [[UInt8]]
}
