/// Why a reconstruction ended without a model.
public struct ReconstructionError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure. Open: stages may name new ones.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind's name, as it appears in events and reports.
    public let rawValue: String
    /// A kind by name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The input could not be read.
    public static let invalidInput = Kind(rawValue: "invalidInput")
    /// Too few usable pictures, or none that see the object.
    public static let insufficientViews = Kind(rawValue: "insufficientViews")
    /// Passes could not be registered to each other.
    public static let stitchingIncomplete = Kind(rawValue: "stitchingIncomplete")
    /// No surface came out.
    public static let emptySurface = Kind(rawValue: "emptySurface")
    /// Another reconstruction has the folder.
    public static let busy = Kind(rawValue: "busy")
    /// There is not memory enough.
    public static let outOfMemory = Kind(rawValue: "outOfMemory")
    /// Reading or writing a file failed.
    public static let io = Kind(rawValue: "io")
    /// Given up on request.
    public static let cancelled = Kind(rawValue: "cancelled")
  }

  /// The kind of failure.
  public var kind: Kind
  /// The file or picture concerned, where there is one.
  public var place: String?
  /// What happened and what to do, for a person.
  public var message: String

  /// An error from its parts.
  public init(_ kind: Kind, place: String? = nil, _ message: String) {
    self.kind = kind
    self.place = place
    self.message = message
  }

  /// Memory ran out while it was needed `purpose`, as in "to decode a.jpg". The stage adds what can be done.
  static func outOfMemory(_ purpose: String) -> ReconstructionError {
    ReconstructionError(.outOfMemory, "not enough memory " + purpose)
  }

  /// What to do where memory ran out.
  public static let memoryAdvice =
    "allow more, or ask for less: --detail preview, fewer --threads, smaller pictures or fewer of them"

  /// One line for a person.
  public var description: String { place.map { "\($0): \(message)" } ?? message }
}
