import Glibc

/// Lines for the journal, on standard error; those for debugging only where they are wanted. Where the journal listens, each has its priority as `<N>` in front.
struct Log: Sendable {
  static let standard = Log(hasPriorities: getenv("JOURNAL_STREAM") != nil)

  private let hasPriorities: Bool
  private var isVerbose = false

  private init(hasPriorities: Bool) { self.hasPriorities = hasPriorities }

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
    var bytes = Array(text.split(separator: "\n").map { "\(head)\($0)\n" }.joined().utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
      if count > 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR { return }
    }
  }
}
