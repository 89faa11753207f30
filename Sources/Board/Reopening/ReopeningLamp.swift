import Rig
import Synchronization

/// A lamp that may be absent. When it is back it has the level that was last asked for.
package final class ReopeningLamp: Lamp {
  /// The lamp as the configuration names it.
  package let name: String
  private let lamp: Reopening<any Lamp>
  private let wanted = Mutex<Double?>(nil)
  private let follower = Mutex<Task<Void, Never>?>(nil)

  /// A lamp behind a device that comes and goes.
  package init(_ lamp: Reopening<any Lamp>) {
    name = lamp.name
    self.lamp = lamp
    let task = Task { [weak self] in
      for await opened in lamp.appearances() {
        guard let self else { return }
        guard let opened else { continue }
        // where it fails, whoever sets it next is told
        if let level = self.wanted.withLock({ $0 }) { try? await opened.device.set(level: level) }
      }
    }
    follower.withLock { $0 = task }
  }

  deinit { follower.withLock { $0 }?.cancel() }

  /// Sets its brightness, 0…1. Throws why it is absent, and what the lamp throws.
  package func set(level: Double) async throws(DeviceError) {
    if (0...1).contains(level) { wanted.withLock { $0 = level } }
    try await lamp.perform { lamp throws(DeviceError) in try await lamp.set(level: level) }
  }
}
