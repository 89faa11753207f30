import CLinux
import Control
import Synchronization

/// A client that sends exactly the bytes it is told to, and blocks on threads of its own, never on the cooperative pool.
final class RawClient: Sendable {
  struct Failure: Error { let what: String }

  private let descriptor: Int32
  private let received = Mutex<[UInt8]>([])

  init(_ path: String) throws {
    descriptor = linux_socket_connect(path)
    guard descriptor >= 0 else { throw Failure(what: "connect to \(path): \(descriptor)") }
  }

  deinit { linux_close(descriptor) }

  func send(_ text: String) async { await send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) async {
    await offPool { _ = bytes.withUnsafeBytes { linux_socket_send_all(self.descriptor, $0.baseAddress, $0.count) } }
  }

  func finishSending() { _ = linux_socket_finish_sending(descriptor) }

  /// Closes both ways, as a client that dies does.
  func vanish() { _ = linux_socket_shut_down(descriptor) }

  /// The next line without its end; nil at the end of the stream. A minute is more than any loaded machine needs.
  func line() async throws -> String? {
    if let line = bufferedLine() { return line }
    let line: Result<String?, Failure> = await offPool {
      while true {
        if let line = self.bufferedLine() { return .success(line) }
        var entry = linux_poll_entry(descriptor: self.descriptor, wanted: Int16(LINUX_POLL_IN), got: 0)
        guard linux_poll(&entry, 1, 60_000) > 0 else { return .failure(Failure(what: "nothing came")) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
          count = max(0, linux_socket_receive(self.descriptor, buffer.baseAddress, buffer.count))
        }
        if bytes.isEmpty { return .success(nil) }
        self.received.withLock { $0 += bytes }
      }
    }
    return try line.get()
  }

  private func bufferedLine() -> String? {
    received.withLock { bytes in
      guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      defer { bytes.removeFirst(end + 1) }
      return String(decoding: bytes[..<end], as: UTF8.self)
    }
  }

  /// Lines up to and with the end line of one answer; events before it are included.
  func answer() async throws -> [String] {
    var lines: [String] = []
    while let line = try await line() {
      lines.append(line)
      if !line.hasPrefix("- "), !line.hasPrefix("! ") { return lines }
    }
    throw Failure(what: "the stream ended after \(lines)")
  }

  /// Sends one line and returns its answer.
  func ask(_ request: String) async throws -> [String] {
    await send(request + "\n")
    return try await answer()
  }

  /// All lines to the end of the stream.
  func rest() async throws -> [String] {
    var lines: [String] = []
    while let line = try await line() { lines.append(line) }
    return lines
  }
}

/// Runs blocking work on a thread of its own.
func offPool<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
  return await withCheckedContinuation { continuation in
    let body = Unmanaged.passRetained(ThreadBody { continuation.resume(returning: work()) })
    let started = linux_thread_start(
      "test", { Unmanaged<ThreadBody>.fromOpaque($0!).takeRetainedValue().run() }, body.toOpaque())
    precondition(started == 0)
  }
}

private final class ThreadBody {
  let run: () -> Void
  init(_ run: @escaping () -> Void) { self.run = run }
}
