import Glibc
import Spelling
import Synchronization
import Threads

/// Lines for the journal, on standard error; those for debugging only where they are wanted. A thread of its own writes
/// them: nobody waits for whoever reads them. What of a text would steer a terminal, or begin a line of its own, is spelt
/// out. Where the journal listens, each has its priority as `<N>` in front.
struct Log: Sendable {
  static let standard = Log(writer: LogWriter(), hasPriorities: getenv("JOURNAL_STREAM") != nil)

  private let writer: LogWriter
  private let hasPriorities: Bool
  private var isVerbose = false

  private init(writer: LogWriter, hasPriorities: Bool) {
    self.writer = writer
    self.hasPriorities = hasPriorities
  }

  /// Waits until everything is written, but not for ever. Blocks.
  func flush() { writer.flush() }

  /// The same, with lines for debugging.
  var verbose: Log {
    var log = self
    log.isVerbose = true
    return log
  }

  func error(_ text: String) { write(3, "error", text) }
  func warning(_ text: String) { write(4, "warning", text) }
  func info(_ text: String) { write(6, "info", text) }
  func debug(_ text: String) {
    if isVerbose { write(7, "debug", text) }
  }

  private func write(_ priority: Int, _ name: String, _ text: String) {
    let head = hasPriorities ? "<\(priority)>" : "twinrigd: \(name): "
    writer.add("\(head)\(VisibleText.line(text))\n")
  }
}

/// Writes lines in order as fast as standard error takes them. What it does not take in time is dropped and counted.
private final class LogWriter: Sendable {
  private struct State {
    var waiting: [String] = []
    var lost = 0
    var isWriting = false
  }

  private static let mostWaiting = 1024
  private let state = Mutex(State())

  func add(_ text: String) {
    let mustStart = state.withLock { state in
      guard state.waiting.count < Self.mostWaiting else {
        state.lost += 1
        return false
      }
      state.waiting.append(text)
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if mustStart, BlockingThread.start("log", { self.drain() }) != 0 { drain() }
  }

  func flush() {
    for _ in 0..<100 where state.withLock({ $0.isWriting }) { usleep(10_000) }
  }

  private func drain() {
    while let text = next() {
      var bytes = Array(text.utf8)[...]
      while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
        if count > 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR { break }
      }
    }
  }

  private func next() -> String? {
    state.withLock { state in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      if state.lost > 0 {
        defer { state.lost = 0 }
        return "twinrigd: \(state.lost) lines were lost here: nobody took them\n"
      }
      state.isWriting = false
      return nil
    }
  }
}
