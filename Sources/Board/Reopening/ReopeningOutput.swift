import Rig
import Synchronization

/// An output line that may be absent. When it is back it is driven to the level that was last asked for.
package final class ReopeningOutput<Line: OutputLine>: OutputLine {
  /// The line as the configuration names it.
  package let name: String
  private let line: Reopening<Line>
  private let wanted = Mutex<Bool?>(nil)
  private let follower = Mutex<Task<Void, Never>?>(nil)

  /// A line behind a device that comes and goes.
  package init(_ line: Reopening<Line>) {
    name = line.name
    self.line = line
    let task = Task { [weak self] in
      for await opened in line.appearances() {
        guard let self else { return }
        guard let opened else { continue }
        // where it fails, whoever drives it next is told
        if let level = self.wanted.withLock({ $0 }) { try? await opened.device.set(level) }
      }
    }
    follower.withLock { $0 = task }
  }

  deinit { follower.withLock { $0 }?.cancel() }

  /// Drives the line. Throws why it is absent, and what the line throws.
  package func set(_ active: Bool) async throws(DeviceError) {
    wanted.withLock { $0 = active }
    try await line.perform { line throws(DeviceError) in try await line.set(active) }
  }
}
