import Rig
import Synchronization

/// What takes long to make and may never be wanted: made when it is first asked for, once, whoever asks.
final class Deferred<Value: Sendable>: Sendable {
  private let value: Mutex<Value?>
  private let make: @Sendable () throws(DeviceError) -> Value

  /// Nothing is made yet.
  init(_ make: @escaping @Sendable () throws(DeviceError) -> Value) {
    value = Mutex(nil)
    self.make = make
  }

  /// The value; others who ask wait meanwhile. Where it could not be made, the next to ask tries again.
  func get() throws(DeviceError) -> Value {
    try value.withLock { (value) throws(DeviceError) in
      if let value { return value }
      let made = try make()
      value = made
      return made
    }
  }
}
