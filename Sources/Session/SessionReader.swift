import Files

/// Reads a session folder back, as far as its journal is durable. Changes nothing, so it may run beside a scan.
public enum SessionReader {
  /// How much a session may hold; whatever is larger was not written by us.
  public struct Limits: Sendable {
    /// Bytes of `session.json`.
    public var manifestBytes = 1 << 20
    /// Bytes of `journal.ndjson`.
    public var journalBytes = 256 << 20
    /// Bytes of one journal line.
    public var lineBytes = 1 << 16

    /// The usual limits.
    public init() {}
  }

  /// Replays the session in `folder`. A torn last line of the journal is what a power cut leaves and does not count;
  /// any other damage throws `.damaged` with the line.
  public static func read(_ folder: String, limits: Limits = Limits()) throws(SessionError) -> SessionContents {
    try replay(folder, limits: limits).contents
  }

  /// The contents, and how many bytes of the journal they came from.
  static func replay(_ folder: String, limits: Limits) throws(SessionError) -> (contents: SessionContents, bytes: Int) {
    let manifest = try manifest(in: folder, limits: limits)
    // before the journal: a scan that runs on writes a picture before its line, and a pass's line before its pictures
    let pictures = try PictureFolders(in: folder)
    let path = SessionLayout.journal(in: folder)
    let bytes: [UInt8]
    do throws(SessionError) {
      bytes = try FileDescriptor.read(path, limit: limits.journalBytes)
    } catch  where error.kind == .notFound {
      try pictures.checkUnwritten(path)
      return (SessionContents(manifest: manifest), 0)
    }
    let replayed = try replay(bytes, of: manifest, path: path, limits: limits)
    try pictures.check(replayed.contents, journal: path)
    return replayed
  }

  private static func replay(
    _ bytes: [UInt8], of manifest: SessionManifest, path: String, limits: Limits
  ) throws(SessionError) -> (contents: SessionContents, bytes: Int) {
    var contents = SessionContents(manifest: manifest)
    var start = 0
    var line = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      line += 1
      let isLast = !bytes[(end + 1)...].contains(UInt8(ascii: "\n"))
      guard end - start <= limits.lineBytes else {
        throw SessionError(.tooLarge, path: path, line: line, operation: "a line of \(end - start) bytes")
      }
      let text = Array(bytes[start..<end])
      let entry: JournalEntry
      do throws(DamagedJSON) { entry = try JSONInput.decode(JournalEntry.self, from: text) } catch {
        // The line in flight at a power cut may be complete in length and yet hold blocks that were never written.
        if isLast, !isObject(text) { return (contents, start) }
        throw SessionError(.damaged, path: path, line: line, operation: "\(error)", remedy: remedy)
      }
      if let objection = contents.objection(to: entry) {
        throw SessionError(.damaged, path: path, line: line, operation: objection, remedy: remedy)
      }
      contents.replay(entry)
      start = end + 1
    }
    return (contents, start)
  }

  private static func manifest(in folder: String, limits: Limits) throws(SessionError) -> SessionManifest {
    let path = SessionLayout.manifest(in: folder)
    let bytes = try FileDescriptor.read(path, limit: limits.manifestBytes)
    let version = try decode(FormatVersion.self, from: bytes, path).format
    guard (1...SessionManifest.currentFormat).contains(version) else {
      throw SessionError(
        .unsupported, path: path, operation: "format \(version), this program knows \(SessionManifest.currentFormat)",
        remedy: "use the program that wrote it or a newer one")
    }
    let manifest = try decode(SessionManifest.self, from: bytes, path)
    try manifest.checkPlausible(path)
    return manifest
  }

  private static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8], _ path: String
  ) throws(SessionError) -> Value {
    do throws(DamagedJSON) { return try JSONInput.decode(type, from: bytes) } catch {
      throw SessionError(.damaged, path: path, operation: "\(error)", remedy: remedy)
    }
  }

  private static let remedy = "put the file back as it was, or scan again"

  private struct FormatVersion: Decodable { var format: Int }

  /// Whether the bytes are a JSON object at all, of whatever content.
  private static func isObject(_ bytes: [UInt8]) -> Bool {
    (try? JSONInput.decode([String: AnyValue].self, from: bytes)) != nil
  }
  private struct AnyValue: Decodable { init(from decoder: any Decoder) throws {} }
}
