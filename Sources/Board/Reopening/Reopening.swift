import Rig
import Synchronization

/// A device that may be absent: opened in the background, lost where an operation finds it gone, opened again when it is
/// back. What the devices of all kinds that can come and go have in common; `Presence` decides.
package final class Reopening<Device: Sendable>: Sendable {
  /// How the device is opened. Throws while it is not there. It is there when this returns: a chip has answered.
  package typealias Open = @Sendable () async throws(DeviceError) -> Device
  /// How a device that is there is asked for a sign of life.
  package typealias Check = @Sendable (Device) async throws(DeviceError) -> Void

  /// A device that was opened, and the how-manieth it is.
  package struct Opened: Sendable {
    package let device: Device
    fileprivate let number: Int
  }

  private struct State {
    var presence: Presence
    var opened: Opened?
    var number = 0
    /// The try that is under way or about to begin at once.
    var trying: Task<Void, Never>?
    var streams: [Int: AsyncStream<Opened?>.Continuation] = [:]
    var nextStream = 0
  }

  /// What sort of device it is.
  package let kind: String
  /// The device as the configuration names it.
  package let name: String
  private let register: DeviceRegister
  private let isLoss: @Sendable (DeviceError) -> Bool
  private let open: Open
  private let check: Check
  private let state: Mutex<State>

  /// A device that is opened from now on, and entered into `register`. `isLoss` says which errors of an operation mean that
  /// it is gone.
  package init(
    kind: String, name: String, register: DeviceRegister, presence: Presence = Presence(),
    isLoss: @escaping @Sendable (DeviceError) -> Bool = { $0.kind == .absent }, check: @escaping Check,
    open: @escaping Open
  ) {
    self.kind = kind
    self.name = name
    self.register = register
    self.isLoss = isLoss
    self.check = check
    self.open = open
    state = Mutex(State(presence: presence))
    register.enter(kind: kind, name: name) { [weak self] in await self?.look() }
    begin(after: .zero)
  }

  deinit { for stream in state.withLock({ $0.streams.values }) { stream.finish() } }

  /// The device, where it is there.
  package var current: Device? { state.withLock { $0.opened?.device } }

  /// Does something with the device. Throws why it is not there, and what the operation throws.
  package func perform<Value: ~Copyable & Sendable>(
    _ body: @Sendable (Device) async throws(DeviceError) -> Value
  ) async throws(DeviceError) -> Value {
    let opened = try await opened()
    do throws(DeviceError) { return try await body(opened.device) } catch {
      if isLoss(error) { lose(opened, error) }
      throw error
    }
  }

  /// Every opened device from now on, beginning with the one that is there, and nil whenever it is lost. A reader that
  /// falls behind gets the last.
  package func appearances() -> AsyncStream<Opened?> {
    let (stream, sink) = AsyncStream.makeStream(of: Opened?.self, bufferingPolicy: .bufferingNewest(1))
    let key = state.withLock { state in
      state.nextStream += 1
      state.streams[state.nextStream] = sink
      if let opened = state.opened { sink.yield(opened) }
      return state.nextStream
    }
    sink.onTermination = { [weak self] _ in self?.state.withLock { $0.streams[key] = nil } }
    return stream
  }

  /// Takes down that a device was found gone, unless it was replaced meanwhile.
  package func lose(_ opened: Opened, _ error: DeviceError) {
    take(.lost(named(error))) { state in
      guard state.opened?.number == opened.number else { return false }
      state.opened = nil
      for stream in state.streams.values { stream.yield(nil) }
      return true
    }
  }

  /// Asks a device that is there for a sign of life. Suspends until it has answered, if only with an error.
  package func look() async {
    guard let opened = state.withLock({ $0.opened }) else { return }
    do throws(DeviceError) {
      try await check(opened.device)
      take(.answered) { $0.opened?.number == opened.number }
    } catch {
      if isLoss(error) { lose(opened, error) }
    }
  }

  /// The device; waits for a try that is under way.
  private func opened() async throws(DeviceError) -> Opened {
    if let opened = state.withLock({ $0.opened }) { return opened }
    await state.withLock { $0.trying }?.value
    let (opened, presence) = state.withLock { ($0.opened, $0.presence.state) }
    if let opened { return opened }
    guard case .absent(let error) = presence else {
      throw DeviceError(.absent, device: name, operation: "open")
    }
    throw error
  }

  /// Whatever it is a part of, people know it by its own name.
  private func named(_ error: DeviceError) -> DeviceError {
    var error = error
    error.device = name
    return error
  }

  private func begin(after pause: Duration) {
    let task = Task { [weak self] in
      if pause > .zero { try? await ContinuousClock().sleep(for: pause) }
      await self?.attempt()
    }
    // whoever wants the device waits for a try, but not for a pause
    if pause == .zero { state.withLock { $0.trying = task } }
  }

  private func attempt() async {
    let event: Presence.Event
    var device: Device?
    do throws(DeviceError) {
      device = try await open()
      event = .opened
    } catch {
      event = .refused(named(error))
    }
    let found = device
    take(event) { state in
      state.trying = nil
      guard let found else { return true }
      state.number += 1
      let opened = Opened(device: found, number: state.number)
      state.opened = opened
      for stream in state.streams.values { stream.yield(opened) }
      return true
    }
  }

  /// Takes an event where `change` says that it holds, and does what comes of it.
  private func take(_ event: Presence.Event, where change: (inout State) -> Bool) {
    let pauses = state.withLock { state -> [Duration] in
      guard change(&state) else { return [] }
      var pauses: [Duration] = []
      for action in state.presence.handle(event) {
        switch action {
        case .open(let pause): pauses.append(pause)
        // within the lock: what is told last is what holds
        case .tell(let error): register.note(DeviceStatus(kind: kind, name: name, error: error))
        }
      }
      return pauses
    }
    for pause in pauses { begin(after: pause) }
  }
}
