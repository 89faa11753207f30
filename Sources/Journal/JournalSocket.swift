import CLinux

#if canImport(Glibc)
  import Glibc
#endif

/// The socket at which the system's journal takes records.
public struct JournalSocket: Sendable {
  /// Where systemd has it.
  public static let usual = "/run/systemd/journal/socket"

  private let path: String

  /// The journal at a path.
  public init(path: String = usual) { self.path = path }

  /// Sends a record; whether the journal has taken it. Blocks while the journal is busy.
  public func send(_ record: JournalRecord) -> Bool {
    let bytes = record.bytes
    return bytes.withUnsafeBytes { linux_send_datagram(path, $0.baseAddress, $0.count) } == 0
  }

  /// Whether a descriptor of this process leads to the journal. `stream` is what systemd says of it, `JOURNAL_STREAM`: the
  /// numbers of its device and inode. Where output has been redirected since, they differ (systemd.exec(5)).
  public static func isBehind(_ descriptor: Int32, stream: String?) -> Bool {
    var status = stat()
    guard let stream, fstat(descriptor, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }
}
