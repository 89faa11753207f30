import CLinux

/// What went wrong with the socket: what, where, and what to do.
public struct ControlError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of fault.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind's name.
    public let rawValue: String
    /// A kind by name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nobody listens there.
    public static let noAgent = Kind(rawValue: "no agent")
    /// Another agent listens there already.
    public static let occupied = Kind(rawValue: "occupied")
    /// We may not.
    public static let denied = Kind(rawValue: "denied")
    /// The other end closed the connection.
    public static let closed = Kind(rawValue: "closed")
    /// The agent serves as many clients as it takes.
    public static let full = Kind(rawValue: "full")
    /// The other end does not speak the protocol.
    public static let protocolViolation = Kind(rawValue: "protocol violation")
    /// The system refused.
    public static let system = Kind(rawValue: "system")
  }

  /// The kind of fault.
  public var kind: Kind
  /// The socket's path.
  public var path: String
  /// What was being done.
  public var operation: String
  /// The system's error number, where there was one.
  public var errno: Int32?
  /// What a person can do.
  public var remedy: String?

  /// An error from its parts.
  public init(_ kind: Kind, path: String, operation: String, errno: Int32? = nil, remedy: String? = nil) {
    self.kind = kind
    self.path = path
    self.operation = operation
    self.errno = errno
    self.remedy = remedy
  }

  /// One line for a person.
  public var description: String {
    var text = "\(path): \(operation)"
    if let errno {
      text += ": \(String(cString: linux_error_text(errno)))"
    } else if kind != .system {
      text += ": \(kind.rawValue)"
    }
    if let remedy { text += "; \(remedy)" }
    return text
  }
}
