import Glibc
import Journal
import Spelling
import Synchronization
import Threads

/// Lines for the journal; those for debugging only where they are wanted. A thread of its own writes them: nobody waits for
/// whoever reads them. What of a text would steer a terminal, or begin a line of its own, is spelt out. Where standard error
/// is the journal's they go to its socket, with the fields that are known; else, or where that takes nothing, to standard
/// error, where the journal listens with the priority as `<N>` in front.
struct Log: Sendable {
  static let standard = Log(
    writer: LogWriter(
      isJournal: JournalSocket.isBehind(2, stream: getenv("JOURNAL_STREAM").map { String(cString: $0) })))

  private let writer: LogWriter
  private var fields: [JournalField] = []
  private var isVerbose = false

  private init(writer: LogWriter) { self.writer = writer }

  /// Waits until everything is written, but not for ever. Blocks.
  func flush() { writer.flush() }

  /// The same, with lines for debugging.
  var verbose: Log {
    var log = self
    log.isVerbose = true
    return log
  }

  /// The same about a device, or a session; nil leaves it as it is.
  func about(device: String? = nil, session: String? = nil) -> Log {
    var log = self
    if let device { log.fields.append(.device(device)) }
    if let session { log.fields.append(.session(session)) }
    return log
  }

  func error(_ text: String) { write(3, text) }
  func warning(_ text: String) { write(4, text) }
  func info(_ text: String) { write(6, text) }
  func debug(_ text: String) {
    if isVerbose { write(7, text) }
  }

  private func write(_ priority: Int, _ text: String) {
    writer.add(
      JournalRecord(priority: priority, message: VisibleText.line(text), identifier: "twinrigd", fields: fields))
  }
}

/// Writes records in order as fast as they are taken. What is not taken in time is dropped and counted.
private final class LogWriter: Sendable {
  private struct State {
    var waiting: [JournalRecord] = []
    var lost = 0
    var isWriting = false
  }

  private static let mostWaiting = 1024
  private static let names = [3: "error", 4: "warning", 6: "info", 7: "debug"]
  private let state = Mutex(State())
  private let isJournal: Bool
  private let journal = JournalSocket()

  /// `isJournal` where the journal listens at standard error.
  init(isJournal: Bool) { self.isJournal = isJournal }

  func add(_ record: JournalRecord) {
    let mustStart = state.withLock { state in
      guard state.waiting.count < Self.mostWaiting else {
        state.lost += 1
        return false
      }
      state.waiting.append(record)
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if mustStart, BlockingThread.start("log", { self.drain() }) != 0 { drain() }
  }

  func flush() {
    for _ in 0..<100 where state.withLock({ $0.isWriting }) { usleep(10_000) }
  }

  private func drain() {
    while let record = next() {
      if isJournal, journal.send(record) { continue }
      let head = isJournal ? "<\(record.priority)>" : "twinrigd: \(Self.names[record.priority] ?? "info"): "
      var bytes = Array("\(head)\(record.message)\n".utf8)[...]
      while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
        if count > 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR { break }
      }
    }
  }

  private func next() -> JournalRecord? {
    state.withLock { state in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      if state.lost > 0 {
        defer { state.lost = 0 }
        return JournalRecord(
          priority: 4, message: "\(state.lost) lines were lost here: nobody took them", identifier: "twinrigd")
      }
      state.isWriting = false
      return nil
    }
  }
}
