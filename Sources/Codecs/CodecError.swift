/// Why a picture could not be read or written: what, in which file, and the words of whoever found out.
public struct CodecError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. Open: a codec may name a new one.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind's name, as it appears in messages.
    public let rawValue: String
    /// A kind by name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The bytes are no picture of this kind, or broken beyond decoding.
    public static let invalid = Kind(rawValue: "not a valid picture")
    /// The picture decodes, but some of its data are missing or wrong.
    public static let damaged = Kind(rawValue: "damaged")
    /// A valid picture of a kind that is not decoded here.
    public static let unsupported = Kind(rawValue: "unsupported")
    /// More pixels or bytes than the limits allow.
    public static let tooLarge = Kind(rawValue: "too large")
    /// A library that would do it is not installed.
    public static let noCodec = Kind(rawValue: "no codec")
    /// The encoder failed.
    public static let failed = Kind(rawValue: "encoding failed")
    /// The file could not be read or written.
    public static let io = Kind(rawValue: "input/output failed")
    /// No memory for the pixels.
    public static let noMemory = Kind(rawValue: "out of memory")
  }

  /// The kind of failure.
  public var kind: Kind
  /// The file, where there is one.
  public var place: String?
  /// What happened, for a person.
  public var message: String

  /// An error from its parts.
  public init(_ kind: Kind, place: String? = nil, _ message: String) {
    self.kind = kind
    self.place = place
    self.message = message
  }

  /// What happened without the place, for those who name it themselves.
  public var fault: String { kind.rawValue + ": " + message }

  /// One line for a person.
  public var description: String { (place.map { "\($0): " } ?? "") + fault }
}
