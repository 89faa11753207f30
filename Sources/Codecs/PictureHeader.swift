/// What a picture's header says of it.
public struct PictureHeader: Sendable, Hashable {
  /// A format by which pictures are stored.
  public enum Format: String, Sendable, Hashable {
    /// JPEG (ISO/IEC 10918).
    case jpeg
    /// Portable Network Graphics (ISO/IEC 15948).
    case png
    /// HEVC in an ISO media file (ISO/IEC 23008-12).
    case heic
  }

  /// The format.
  public var format: Format
  /// Columns as decoded.
  public var width: Int
  /// Rows as decoded.
  public var height: Int
  /// Whether it has colour.
  public var hasColour: Bool
}
