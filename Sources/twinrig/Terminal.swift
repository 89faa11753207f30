import Glibc

/// Standard output and error, unbuffered: a script that reads our lines gets each when it is written.
enum Terminal {
  /// A line on standard output.
  static func say(_ text: String) { write(STDOUT_FILENO, text + "\n") }
  /// A line on standard error.
  static func complain(_ text: String) { write(STDERR_FILENO, text + "\n") }
  /// A piece of a line on standard error.
  static func drawAside(_ text: String) { write(STDERR_FILENO, text) }
  /// A piece of a line on standard output.
  static func draw(_ text: String) { write(STDOUT_FILENO, text) }

  private static func write(_ descriptor: Int32, _ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR { return }
    }
  }
}
