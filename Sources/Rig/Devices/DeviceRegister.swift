import Synchronization

/// What is known of a device that may come and go.
public struct DeviceStatus: Sendable, Hashable {
  /// What sort of device, e.g. `axis`, `lamp`, `button`, `bus`.
  public var kind: String
  /// The device as the configuration names it.
  public var name: String
  /// Why it cannot be used; nil while it is there.
  public var error: DeviceError?

  /// A status.
  public init(kind: String, name: String, error: DeviceError? = nil) {
    self.kind = kind
    self.name = name
    self.error = error
  }

  /// Whether it is there.
  public var isPresent: Bool { error == nil }
}

/// Which of a rig's devices are there. Those that cannot go, as simulated ones, are not in it.
public final class DeviceRegister: Sendable {
  /// Asks a device for a sign of life; see `Axis.check`.
  public typealias Check = @Sendable () async -> Void

  private struct Entry {
    var status: DeviceStatus
    let check: Check
  }

  private struct State {
    var entries: [Entry] = []
    var streams: [Int: AsyncStream<DeviceStatus>.Continuation] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// An empty register.
  public init() {}

  /// Enters a device, as one that is there. `check` is how to ask it.
  public func enter(kind: String, name: String, check: @escaping Check) {
    state.withLock { $0.entries.append(Entry(status: DeviceStatus(kind: kind, name: name), check: check)) }
  }

  /// Takes down that a device has come or gone, and tells whoever listens.
  public func note(_ status: DeviceStatus) {
    let streams = state.withLock { state in
      for (index, entry) in state.entries.enumerated()
      where entry.status.kind == status.kind && entry.status.name == status.name {
        state.entries[index].status = status
      }
      return Array(state.streams.values)
    }
    for stream in streams { stream.yield(status) }
  }

  /// Every device, as it is now.
  public var devices: [DeviceStatus] { state.withLock { $0.entries.map(\.status) } }

  /// The devices that are not there.
  public var absent: [DeviceStatus] { devices.filter { !$0.isPresent } }

  /// Every device and how to ask it for a sign of life.
  public var checks: [(name: String, check: Check)] {
    state.withLock { state in state.entries.map { ("\($0.status.kind) \($0.status.name)", $0.check) } }
  }

  /// Every change from now on, beginning with the devices that are not there. A reader that falls behind loses the oldest.
  public func changes() -> AsyncStream<DeviceStatus> {
    let (stream, sink) = AsyncStream.makeStream(of: DeviceStatus.self, bufferingPolicy: .bufferingNewest(256))
    let key = state.withLock { state in
      state.next += 1
      state.streams[state.next] = sink
      for entry in state.entries where !entry.status.isPresent { sink.yield(entry.status) }
      return state.next
    }
    sink.onTermination = { [weak self] _ in self?.state.withLock { $0.streams[key] = nil } }
    return stream
  }
}
