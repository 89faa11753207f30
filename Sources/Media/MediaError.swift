#if canImport(Glibc)
  import Glibc
#endif

/// Why bytes could not be read or written as what they claim to be.
public struct MediaError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. Open: a format may name a new one.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind's name, as it appears in messages.
    public let rawValue: String
    /// A kind by name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The bytes do not follow the format.
    public static let invalid = Kind(rawValue: "invalid")
    /// The bytes end before what they promise.
    public static let truncated = Kind(rawValue: "cut short")
    /// Valid, but a variant that is not read here.
    public static let unsupported = Kind(rawValue: "unsupported")
    /// More than the limits allow.
    public static let tooLarge = Kind(rawValue: "too large")
    /// The file is not there.
    public static let absent = Kind(rawValue: "absent")
    /// Reading or writing the file failed.
    public static let io = Kind(rawValue: "input/output failed")
  }

  /// The kind of failure.
  public var kind: Kind
  /// The file, with a line or byte offset where known.
  public var place: String?
  /// What happened and, where there is one, the remedy.
  public var message: String
  /// The system's error number, where there was one.
  public var errno: Int32?

  /// An error from its parts.
  public init(_ kind: Kind, place: String? = nil, _ message: String, errno: Int32? = nil) {
    self.kind = kind
    self.place = place
    self.message = message
    self.errno = errno
  }

  /// What happened without the place, for those who name it themselves.
  public var fault: String { kind.rawValue + ": " + reason }

  /// What happened, with the system's own reason where it has one.
  public var reason: String { message + (errno.map { " (\(String(cString: strerror($0))))" } ?? "") }

  /// One line for a person.
  public var description: String { (place.map { "\($0): " } ?? "") + fault }
}
