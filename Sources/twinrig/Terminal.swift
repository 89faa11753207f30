import Glibc
import Spelling
import Synchronization

/// Standard output and error, unbuffered: a script that reads our lines gets each when it is written. A line may hold text
/// of others, so in every line what would steer the terminal is spelt out.
enum Terminal {
  /// The error number of the first write to standard output that failed; 0 where none did.
  private static let fault = Atomic<Int32>(0)

  /// A line on standard output; whether it could be written.
  @discardableResult static func say(_ line: String) -> Bool { output(VisibleText.line(line) + "\n") }
  /// A text of several lines on standard output.
  static func say(lines text: String) { _ = output(lines(of: text)) }
  /// A line on standard error.
  static func complain(_ line: String) { _ = write(STDERR_FILENO, VisibleText.line(line) + "\n") }
  /// A text of several lines on standard error.
  static func complain(lines text: String) { _ = write(STDERR_FILENO, lines(of: text)) }
  private static func lines(of text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { VisibleText.line(String($0)) + "\n" }.joined()
  }

  /// A line on standard output that somebody has to learn: on standard error where standard output is lost.
  static func tell(_ line: String) {
    if isOutputLost || !say(line) { complain(line) }
  }
  /// A path on a line of standard output. Scripts get it as it is: they open it.
  static func tell(path: String) {
    if isOutputLost || isatty(STDOUT_FILENO) == 1 || !output(path + "\n") { tell(path) }
  }

  /// A piece of a line on standard error, as it is: moves of the cursor, and no text of others.
  static func drawAside(_ text: String) { _ = write(STDERR_FILENO, text) }
  /// A piece of a line on standard output, as it is: moves of the cursor, and no text of others.
  static func draw(_ text: String) { _ = output(text) }

  /// Whether something could not be written to standard output: nobody reads what would follow.
  static var isOutputLost: Bool { fault.load(ordering: .relaxed) != 0 }

  /// Gives standard input, output and error that are closed a place of their own: a file opened later would get their
  /// number, and our lines would go into it.
  static func occupyDescriptors() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
      // the wrong way round, so that what is written is still found to be lost
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Runs `react` on a thread of its own as soon as the reader of standard output is gone (`| head`), also where nothing
  /// is written then. A file has no reader: `react` never runs.
  static func whenUnread(_ react: @escaping @Sendable () -> Void) {
    Console.start("output") {
      // the end of a reader is told unasked
      var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while poll(&entry, 1, -1) < 0, errno == EINTR {}
      guard Int32(entry.revents) & (POLLERR | POLLHUP) != 0 else { return }
      _ = fault.compareExchange(expected: 0, desired: EPIPE, ordering: .relaxed)
      react()
    }
  }

  /// The exit code of a command that ended with `code`: what could not be written did not work, but a reader that has
  /// seen enough wants no more.
  static func exitCode(_ code: Int32) -> Int32 {
    let number = fault.load(ordering: .relaxed)
    return code == ExitCode.done && number != 0 && number != EPIPE ? ExitCode.failed : code
  }

  /// Writes to standard output; whether that worked. The first fault is told at once, but for a reader that has seen
  /// enough.
  private static func output(_ text: String) -> Bool {
    if fault.load(ordering: .relaxed) == EPIPE { return false }
    let number = write(STDOUT_FILENO, text)
    if number == 0 { return true }
    let isFirst = fault.compareExchange(expected: 0, desired: number, ordering: .relaxed).exchanged
    if isFirst, number != EPIPE {
      complain("twinrig: standard output cannot be written: \(String(cString: strerror(number)))")
    }
    return false
  }

  /// Writes all of it; the error number where that fails, else 0.
  private static func write(_ descriptor: Int32, _ text: String) -> Int32 {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      let number = count == 0 ? EIO : errno
      switch count > 0 ? 0 : number {
      case 0: bytes = bytes.dropFirst(count)
      case EINTR: break
      case EAGAIN:  // somebody else made it not wait
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&entry, 1, -1)
      default: return number
      }
    }
    return 0
  }
}
