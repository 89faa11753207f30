import CLinux
import Glibc
import Synchronization
import Threads

/// The end of one answer, with the data before it.
public struct Answer: Sendable, Hashable {
  /// The data lines.
  public var data: [Fields]
  /// The fields of the good end line, or the refusal.
  public var end: Result<Fields, Rejection>

  /// The agent's `ERR`.
  public struct Rejection: Error, Sendable, Hashable, CustomStringConvertible {
    /// For scripts. Open: a newer agent may have more.
    public var token: String
    /// For people.
    public var message: String
    /// Whatever else helps.
    public var fields: Fields

    /// The text for people.
    public var description: String { message }
  }
}

/// A client of the agent. One thread reads; answers come back in order, events as a stream.
public final class ControlClient: Sendable {
  private struct State {
    var waiting: [CheckedContinuation<Result<Answer, ControlError>, Never>] = []
    var data: [Fields] = []
    var failure: ControlError?
  }

  /// The longest line a client takes: an answer's value may be longer than any request.
  public static let longestLine = 1 << 20

  /// The socket's path.
  public let path: String
  /// What the agent said first.
  public let greeting: Fields
  /// Events as they come; ends with the connection. A reader that falls behind loses the oldest.
  public let events: AsyncStream<Line>
  private let eventSink: AsyncStream<Line>.Continuation
  private let descriptor: Int32
  private let state = Mutex(State())
  private let sending = Mutex(())

  /// Connects and reads the greeting. Blocks for at most `patience`. Throws `.noAgent`, `.denied`, `.full`, and
  /// `.closed` with the agent's reason.
  public init(connectingTo path: String, patience: Duration = .seconds(5)) throws(ControlError) {
    let descriptor = linux_socket_connect(path)
    guard descriptor >= 0 else { throw Self.connectError(path, errno: -descriptor) }
    self.path = path
    self.descriptor = descriptor
    (events, eventSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
    var reader = LineReader(descriptor: descriptor, path: path)
    do throws(ControlError) {
      greeting = try Self.greeting(&reader, patience: patience)
    } catch {
      linux_close(descriptor)
      throw error
    }
    let rest = reader
    let started = BlockingThread.start("control-client") { [self] in read(rest) }
    guard started == 0 else {
      throw ControlError(.system, path: path, operation: "start a thread", errno: -started)
    }
  }

  deinit { linux_close(descriptor) }

  /// Sends a request and waits for its answer.
  public func ask(_ request: Request) async throws(ControlError) -> Answer { try await ask(line: request.description) }

  /// Sends a line as it is and waits for its answer. The line must be a request: comments are not answered.
  public func ask(line: String) async throws(ControlError) -> Answer {
    let bytes = Array((line + "\n").utf8)
    let result = await withCheckedContinuation { continuation in
      // One sender at a time, so that answers find their requests in order; the reader never waits for a sender.
      let failure = sending.withLock { _ -> ControlError? in
        let failure = state.withLock { state -> ControlError? in
          if state.failure == nil { state.waiting.append(continuation) }
          return state.failure
        }
        if failure != nil { return failure }
        // Where this fails, the reader finds the connection's end and answers for it.
        _ = bytes.withUnsafeBytes { linux_socket_send_all(descriptor, $0.baseAddress, $0.count) }
        return nil
      }
      if let failure { continuation.resume(returning: .failure(failure)) }
    }
    return try result.get()
  }

  /// Says that no more requests come; answers and a `watch until=` still do.
  public func finishSending() { _ = linux_socket_finish_sending(descriptor) }

  /// Ends the connection. A client that is no longer wanted must be closed.
  public func close() { _ = linux_socket_shut_down(descriptor) }

  private func read(_ reader: LineReader) {
    var reader = reader
    var failure = ControlError(.closed, path: path, operation: "read", remedy: "the agent has ended; see its journal")
    do throws(ControlError) {
      while let line = try reader.next() { try take(line) }
    } catch {
      failure = error
    }
    let waiting = state.withLock { state in
      state.failure = failure
      defer { state.waiting = [] }
      return state.waiting
    }
    eventSink.finish()
    for continuation in waiting { continuation.resume(returning: .failure(failure)) }
  }

  private func take(_ text: ArraySlice<UInt8>) throws(ControlError) {
    let line: Line
    do throws(GrammarError) { line = try Line(text) } catch {
      throw ControlError(.protocolViolation, path: path, operation: "read an answer", remedy: error.message)
    }
    switch line {
    case .event: eventSink.yield(line)
    case .data(let fields): state.withLock { $0.data.append(fields) }
    case .ok(_, _, let fields): finish(.success(fields))
    case .error(_, let token, let message, let fields):
      finish(.failure(Answer.Rejection(token: token, message: message, fields: fields)))
    }
  }

  private func finish(_ end: Result<Fields, Answer.Rejection>) {
    let (continuation, answer) = state.withLock { state in
      defer { state.data = [] }
      let continuation = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
      return (continuation, Answer(data: state.data, end: end))
    }
    continuation?.resume(returning: .success(answer))
  }

  private static func greeting(_ reader: inout LineReader, patience: Duration) throws(ControlError) -> Fields {
    guard try reader.waitForBytes(patience) else {
      throw ControlError(
        .protocolViolation, path: reader.path, operation: "wait for the greeting", remedy: "is this twinrig's socket?")
    }
    guard let text = try reader.next() else {
      throw ControlError(.closed, path: reader.path, operation: "wait for the greeting")
    }
    switch try? Line(text) {
    case .ok(_, let words, let fields) where words == ["twinrig", "1"]: return fields
    case .error(_, let token, let message, _):
      throw ControlError(
        token == Refusal.Token.limit.rawValue ? .full : .closed, path: reader.path, operation: message,
        remedy: "try again later")
    default:
      throw ControlError(
        .protocolViolation, path: reader.path, operation: "read the greeting", remedy: "this is not twinrig 1")
    }
  }

  private static func connectError(_ path: String, errno number: Int32) -> ControlError {
    switch number {
    case ENOENT, ECONNREFUSED:
      ControlError(
        .noAgent, path: path, operation: "connect", errno: number,
        remedy: "is twinrigd running? another socket is named by --socket or TWINRIG_SOCKET")
    case EACCES, EPERM:
      ControlError(
        .denied, path: path, operation: "connect", errno: number, remedy: "join the group twinrig and log in again")
    default: ControlError(.system, path: path, operation: "connect", errno: number)
    }
  }
}

/// Cuts a stream into lines. Blocks.
struct LineReader {
  let descriptor: Int32
  let path: String
  private var bytes: [UInt8] = []
  private var start = 0

  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Whether bytes, or the end, come within a time.
  func waitForBytes(_ patience: Duration) throws(ControlError) -> Bool {
    var entry = linux_poll_entry(descriptor: descriptor, wanted: Int16(LINUX_POLL_IN), got: 0)
    let milliseconds = Int32(clamping: Int64(patience.seconds * 1000))
    return linux_poll(&entry, 1, milliseconds) > 0
  }

  /// The next line without its end; nil at the end of the stream.
  mutating func next() throws(ControlError) -> ArraySlice<UInt8>? {
    var searched = start
    while true {
      if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        return bytes[start..<end]
      }
      bytes.removeFirst(start)
      start = 0
      searched = bytes.count
      guard bytes.count <= ControlClient.longestLine else {
        throw ControlError(.protocolViolation, path: path, operation: "read", remedy: "a line has no end")
      }
      let buffer = [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
        count = max(0, linux_socket_receive(descriptor, buffer.baseAddress, buffer.count))
      }
      // A connection that broke and one that ended are the same to a client.
      if buffer.isEmpty { return nil }
      bytes += buffer
    }
  }
}
