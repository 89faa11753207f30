import CLinux
import Glibc

/// Tells systemd how the service is (sd_notify(3)'s protocol: one datagram to NOTIFY_SOCKET). Does nothing elsewhere.
struct ServiceNotifier: Sendable {
  private let address: String?
  /// How often systemd wants to hear that we live; nil when it does not.
  let watchdog: Duration?

  /// Takes address and interval from the environment, and removes them: children have no business with them.
  static func fromEnvironment() -> ServiceNotifier {
    let address = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
    let microseconds = getenv("WATCHDOG_USEC").flatMap { Int64(String(cString: $0)) }
    let process = getenv("WATCHDOG_PID").flatMap { Int32(String(cString: $0)) }
    for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) }
    let isMeant = process == nil || process == getpid()
    return ServiceNotifier(
      address: address, watchdog: microseconds.flatMap { isMeant && $0 > 0 ? .microseconds($0) : nil })
  }

  private init(address: String?, watchdog: Duration?) {
    self.address = address
    self.watchdog = watchdog
  }

  func ready() { send("READY=1") }
  func alive() { send("WATCHDOG=1") }
  func stopping() { send("STOPPING=1") }
  /// One line for `systemctl status`.
  func status(_ text: String) { send("STATUS=\(text)") }

  private func send(_ text: String) {
    guard let address else { return }
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { linux_send_datagram(address, $0.baseAddress, $0.count) }
  }
}
