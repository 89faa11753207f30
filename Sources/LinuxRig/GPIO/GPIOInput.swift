import CGpiod
import CLinux
import Rig
import Synchronization
import Threads

/// A line that others drive: a button, a switch.
public final class GPIOInput: InputLine {
  /// The device as the configuration names it.
  public let name: String
  private let lines: GPIOLines
  private let debounce: Duration
  private let waker: Int32
  private let readers = Mutex(Readers())

  private struct Readers {
    var streams: [Int: AsyncStream<LineEdge>.Continuation] = [:]
    var next = 0
    var isWatched = false
    var failure: DeviceError?
  }

  /// Requests the line with its bias and edges. Contacts are debounced, by the kernel where it does that. Throws `.absent`,
  /// `.busy` with who has it, `.denied` with whose node it is.
  public init(
    _ place: GPIOPlace, name: String, bias: LineBias = .pullUp, isActiveLow: Bool = true,
    debounce: Duration = .milliseconds(15)
  ) throws(DeviceError) {
    self.name = name
    self.debounce = debounce
    let line = gpio_line.input(place.offset, isActiveLow: isActiveLow, bias: bias, debounce: debounce)
    lines = try GPIOLines([line], of: place.chip, for: name)
    waker = linux_waker_create()
    guard waker >= 0 else {
      throw DeviceError(.faulty, device: name, operation: "watch the line", errno: -waker)
    }
  }

  deinit { linux_close(waker) }

  /// The level now. Throws `.absent` where its chip has gone.
  public func read() async throws(DeviceError) -> Bool { try lines.get(0) }

  /// Edges from now on. Throws what ended the last watch: the chip is gone.
  public func edges() async throws(DeviceError) -> AsyncStream<LineEdge> {
    let (stream, sink) = AsyncStream.makeStream(of: LineEdge.self, bufferingPolicy: .bufferingNewest(64))
    let (key, starts, failure) = readers.withLock { readers -> (Int, Bool, DeviceError?) in
      guard readers.failure == nil else { return (0, false, readers.failure) }
      readers.next += 1
      readers.streams[readers.next] = sink
      defer { readers.isWatched = true }
      return (readers.next, !readers.isWatched, nil)
    }
    if let failure { throw failure }
    sink.onTermination = { [weak self] _ in self?.leave(key) }
    guard starts else { return stream }
    let result = BlockingThread.start("gpio-edges") { [self] in watch() }
    guard result == 0 else {
      leave(key)
      throw DeviceError(.faulty, device: name, operation: "start a thread", errno: -result)
    }
    return stream
  }

  private func leave(_ key: Int) {
    let isLast = readers.withLock { readers in
      readers.streams[key] = nil
      return readers.streams.isEmpty
    }
    if isLast { linux_waker_wake(waker) }
  }

  /// Reads edges until nobody wants them any more, or the line fails.
  private func watch() {
    do throws(DeviceError) {
      var debouncer = Debouncer(
        window: gpio_debounces() == 1 ? 0 : Int64(debounce / .nanoseconds(1)), isActive: try lines.get(0))
      while !isUnwanted() { try take(&debouncer) }
    } catch {
      let streams = readers.withLock { readers in
        readers.failure = error
        defer { readers.streams = [:] }
        return readers.streams
      }
      for stream in streams.values { stream.finish() }
    }
  }

  private func isUnwanted() -> Bool {
    readers.withLock { readers in
      guard readers.streams.isEmpty else { return false }
      readers.isWatched = false
      return true
    }
  }

  /// Waits for edges, for the end of a bounce, or for the last reader to leave.
  private func take(_ debouncer: inout Debouncer) throws(DeviceError) {
    var entries = [
      linux_poll_entry(descriptor: lines.edgeDescriptor, wanted: Int16(LINUX_POLL_IN), got: 0),
      linux_poll_entry(descriptor: waker, wanted: Int16(LINUX_POLL_IN), got: 0)
    ]
    let patience = debouncer.deadline.map { Int32(clamping: max(0, $0 - linux_now()) / 1_000_000 + 1) } ?? -1
    linux_poll(&entries, entries.count, patience)
    if entries[1].got != 0 { linux_waker_clear(waker) }
    // the kernel hangs up when the chip goes; to read then could wait for ever
    if entries[0].got & Int16(LINUX_POLL_IN) == 0, entries[0].got & Int16(LINUX_POLL_ERROR | LINUX_POLL_HANGUP) != 0 {
      throw lines.gone
    }
    if entries[0].got != 0 {
      for edge in try lines.edges() where debouncer.change(to: edge.is_active == 1, at: edge.time) {
        tell(edge.is_active == 1, edge.time)
      }
    }
    if debouncer.deadline != nil {
      let (level, now) = (try lines.get(0), linux_now())
      if debouncer.settle(at: level, time: now) { tell(level, now) }
    }
  }

  private func tell(_ isActive: Bool, _ time: Int64) {
    let edge = LineEdge(active: isActive, at: RigInstant(sinceOrigin: .nanoseconds(time)))
    for stream in readers.withLock({ Array($0.streams.values) }) { stream.yield(edge) }
  }
}
