#if canImport(Glibc)
  import Glibc
#endif

/// What went wrong with a session's files: what, where, during what, and what a person can do about it.
public struct SessionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of fault. Open: later code may name a new one.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind's name, as it appears in messages.
    public let rawValue: String
    /// A kind by name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No such session or file.
    public static let notFound = Kind(rawValue: "not found")
    /// The content is not what the format says.
    public static let damaged = Kind(rawValue: "damaged")
    /// The disk is full, or would be.
    public static let noSpace = Kind(rawValue: "no space")
    /// Not allowed.
    public static let denied = Kind(rawValue: "denied")
    /// Another program writes this session.
    public static let busy = Kind(rawValue: "busy")
    /// A newer program wrote it.
    public static let unsupported = Kind(rawValue: "unsupported")
    /// Larger than a session may be.
    public static let tooLarge = Kind(rawValue: "too large")
    /// Something else has the name of what is wanted, or of a folder above it.
    public static let obstructed = Kind(rawValue: "something else is in its place")
    /// The system reported an error.
    public static let inputOutput = Kind(rawValue: "input/output error")
  }

  /// The kind of fault.
  public var kind: Kind
  /// The file or folder.
  public var path: String
  /// The line in the file, from 1, where one is to blame.
  public var line: Int?
  /// What was being done, or what was found.
  public var operation: String
  /// The system's error number, where there was one.
  public var errno: Int32?
  /// What a person can do.
  public var remedy: String?

  /// An error from its parts.
  public init(
    _ kind: Kind, path: String, line: Int? = nil, operation: String, errno: Int32? = nil, remedy: String? = nil
  ) {
    self.kind = kind
    self.path = path
    self.line = line
    self.operation = operation
    self.errno = errno
    self.remedy = remedy
  }

  /// The error of a system call that failed with `code`.
  init(system code: Int32, path: String, operation: String) {
    switch code {
    case ENOENT: self.init(.notFound, path: path, operation: operation, errno: code)
    case ENOSPC, EDQUOT, EFBIG:
      self.init(.noSpace, path: path, operation: operation, errno: code, remedy: "free some space")
    case EACCES, EPERM, EROFS:
      self.init(.denied, path: path, operation: operation, errno: code, remedy: "check owner and mode of the folder")
    case ENOTDIR, EISDIR, ELOOP, ENXIO, ENODEV:
      self.init(
        .obstructed, path: path, operation: operation, errno: code, remedy: Obstacle(on: path, code).remedy)
    case EWOULDBLOCK:
      self.init(.busy, path: path, operation: operation, errno: code, remedy: "another program writes this session")
    default:
      self.init(.inputOutput, path: path, operation: operation, errno: code, remedy: "see whether the disk is sound")
    }
  }

  /// The error where something that is no folder has a folder's name.
  init(inTheWay path: String, operation: String) {
    var status = stat()
    let code = stat(path, &status) == 0 ? ENOTDIR : Glibc.errno
    self.init(
      .obstructed, path: path, operation: operation, errno: code, remedy: Obstacle(on: path, code).remedy)
  }

  /// The file or folder, with the line where one is to blame.
  public var place: String { path + (line.map { ":\($0)" } ?? "") }

  /// One line for a person.
  public var description: String { "\(place): \(fault)" }

  /// What happened without the place, for those who name it themselves.
  public var fault: String {
    var text = "\(operation): \(kind.rawValue)"
    if let errno { text += " (\(String(cString: strerror(errno))))" }
    if let remedy { text += "; \(remedy)" }
    return text
  }
}
