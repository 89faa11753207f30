/// How the pictures of a session are stored. Readers go by what is in a file; the ending is for people and other programs.
public enum PictureFormat: String, Sendable, Codable, Hashable, CaseIterable {
  /// JPEG.
  case jpeg
  /// HEVC's intra pictures in an ISO media file.
  case heic

  /// The ending of its files' names.
  public var ending: String {
    switch self {
    case .jpeg: "jpg"
    case .heic: "heic"
    }
  }
}
