/// What went wrong with a device: what, where, during what, and what a person can do about it.
public struct DeviceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of fault. Open: a driver may name a new one.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind's name, as it appears in messages.
    public let rawValue: String
    /// A kind by name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The chip, node or camera is not there.
    public static let absent = Kind(rawValue: "absent")
    /// Another program holds it.
    public static let busy = Kind(rawValue: "busy")
    /// We are not allowed to use it.
    public static let denied = Kind(rawValue: "denied")
    /// It did not finish in time.
    public static let timedOut = Kind(rawValue: "timed out")
    /// It did not answer or answered nonsense.
    public static let faulty = Kind(rawValue: "faulty")
    /// The request is outside its limits.
    public static let outOfRange = Kind(rawValue: "out of range")
    /// It cannot do this at all.
    public static let unsupported = Kind(rawValue: "unsupported")
    /// The operation was given up on request.
    public static let cancelled = Kind(rawValue: "cancelled")
  }

  /// The kind of fault.
  public var kind: Kind
  /// The device as the configuration names it, e.g. `turntable`.
  public var device: String
  /// What was being done, e.g. `move to 40°`.
  public var operation: String
  /// The system's error number, where there was one.
  public var errno: Int32?
  /// What a person can do.
  public var remedy: String?

  /// An error from its parts.
  public init(_ kind: Kind, device: String, operation: String, errno: Int32? = nil, remedy: String? = nil) {
    self.kind = kind
    self.device = device
    self.operation = operation
    self.errno = errno
    self.remedy = remedy
  }

  /// One line for a person.
  public var description: String {
    var text = "\(device): \(operation): \(kind.rawValue)"
    if let errno { text += " (errno \(errno))" }
    if let remedy { text += "; \(remedy)" }
    return text
  }
}
