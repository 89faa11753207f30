import Glibc
import Synchronization

/// Standard output and error, unbuffered: a script that reads our lines gets each when it is written.
enum Terminal {
  /// The error number of the first write to standard output that failed; 0 where none did.
  private static let fault = Atomic<Int32>(0)

  /// A line on standard output.
  static func say(_ text: String) { output(text + "\n") }
  /// A line on standard error.
  static func complain(_ text: String) { _ = write(STDERR_FILENO, text + "\n") }
  /// A piece of a line on standard error.
  static func drawAside(_ text: String) { _ = write(STDERR_FILENO, text) }
  /// A piece of a line on standard output.
  static func draw(_ text: String) { output(text) }

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

  /// The exit code of a command that ended with `code`: what could not be written did not work.
  static func exitCode(_ code: Int32) -> Int32 {
    let number = fault.load(ordering: .relaxed)
    return code == ExitCode.done && number != 0 && number != EPIPE ? ExitCode.failed : code
  }

  /// Writes to standard output. The first fault is told at once, but for a reader that has seen enough (`| head`).
  private static func output(_ text: String) {
    let number = write(STDOUT_FILENO, text)
    guard number != 0, fault.compareExchange(expected: 0, desired: number, ordering: .relaxed).exchanged,
      number != EPIPE
    else { return }
    complain("twinrig: standard output cannot be written: \(String(cString: strerror(number)))")
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
