import CLinux
import Glibc
import Threads

/// What the outside world asks the process for.
enum ProcessSignal: Sendable {
  case stop
  case reload

  /// Signals as they come. They must have been taken over in `main`.
  static func all() -> AsyncStream<ProcessSignal> {
    let (stream, sink) = AsyncStream.makeStream(of: ProcessSignal.self, bufferingPolicy: .bufferingOldest(8))
    let started = BlockingThread.start("signals") {
      while true {
        switch linux_signals_wait() {
        case SIGTERM, SIGINT: sink.yield(.stop)
        case SIGHUP: sink.yield(.reload)
        default: break
        }
      }
    }
    if started != 0 { Log.standard.error("no thread for signals: kill -9 is the only way to end") }
    return stream
  }
}
