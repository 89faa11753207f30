import Rig
import Synchronization

/// A button's line.
final class SimulatedButton: InputLine {
  let name: String
  private let clock: SimulatedClock
  private let state = Mutex(State())

  private struct State {
    var isDown = false
    var readers: [Int: AsyncStream<LineEdge>.Continuation] = [:]
    var nextReader = 0
  }

  init(name: String, clock: SimulatedClock) {
    self.name = name
    self.clock = clock
  }

  func edges() async throws(DeviceError) -> AsyncStream<LineEdge> {
    let (stream, continuation) = AsyncStream.makeStream(of: LineEdge.self, bufferingPolicy: .bufferingNewest(16))
    let id = state.withLock { state in
      state.nextReader += 1
      state.readers[state.nextReader] = continuation
      return state.nextReader
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.readers.removeValue(forKey: id) }
    }
    return stream
  }

  func read() async throws(DeviceError) -> Bool { state.withLock { $0.isDown } }

  /// A finger presses the button and lets it go.
  func press() async {
    set(true)
    try? await clock.sleep(for: .milliseconds(120))
    set(false)
  }

  private func set(_ active: Bool) {
    let edge = LineEdge(active: active, at: clock.now)
    let readers = state.withLock { state in
      state.isDown = active
      return state.readers.values.map { $0 }
    }
    for reader in readers { reader.yield(edge) }
  }
}
