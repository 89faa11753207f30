import Rig
import Synchronization

/// What was last asked of a device that comes and goes, and is asked again of one that is back.
final class LastWish<Device: Sendable, Value: Sendable>: Sendable {
  private let wanted = Mutex<Value?>(nil)
  private let follower = Mutex<Task<Void, Never>?>(nil)

  /// `ask` asks a device that is back; where that fails, whoever asks it next is told.
  init(of device: Reopening<Device>, ask: @escaping @Sendable (Device, Value) async throws(DeviceError) -> Void) {
    let task = Task { [weak self] in
      for await opened in device.appearances() {
        guard let self else { return }
        guard let opened, let value = self.wanted.withLock({ $0 }) else { continue }
        try? await ask(opened.device, value)
      }
    }
    follower.withLock { $0 = task }
  }

  deinit { follower.withLock { $0 }?.cancel() }

  /// Takes down what is wanted from now on.
  func want(_ value: Value) { wanted.withLock { $0 = value } }
}
