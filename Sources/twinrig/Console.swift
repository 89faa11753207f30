import CLinux
import Glibc

/// What reaches a command from its terminal.
enum ConsoleEvent: Sendable {
  /// A line was typed.
  case line(String)
  /// ^C was pressed, or somebody wants us to end.
  case interrupt
}

/// The terminal's side of a command that follows a job.
enum Console {
  /// Whether a person can be asked here.
  static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// Interrupts, and typed lines where there is a person. The signals must have been taken over before.
  static func events(readsLines: Bool) -> AsyncStream<ConsoleEvent> {
    let (stream, sink) = AsyncStream.makeStream(of: ConsoleEvent.self, bufferingPolicy: .bufferingOldest(16))
    start("signals") {
      while linux_signals_wait() > 0 { sink.yield(.interrupt) }
    }
    if readsLines {
      start("terminal") {
        while let line = readLine() { sink.yield(.line(line)) }
      }
    }
    return stream
  }

  /// Runs blocking work on a thread of its own; false where the system has none to give.
  @discardableResult static func start(_ name: String, _ run: @escaping @Sendable () -> Void) -> Bool {
    final class Body {
      let run: () -> Void
      init(_ run: @escaping () -> Void) { self.run = run }
    }
    let body = Unmanaged.passRetained(Body(run))
    let started = linux_thread_start(
      name, { Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().run() }, body.toOpaque())
    if started != 0 { body.release() }
    return started == 0
  }
}
