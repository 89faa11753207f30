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
    var contents = SessionContents(manifest: try manifest(in: folder, limits: limits))
    let path = SessionLayout.journal(in: folder)
    let bytes: [UInt8]
    do throws(SessionError) {
      bytes = try FileDescriptor.read(path, limit: limits.journalBytes)
    } catch  where error.kind == .notFound {
      return (contents, 0)
    }
    var start = 0
    var line = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      line += 1
      let isLast = !bytes[(end + 1)...].contains(UInt8(ascii: "\n"))
      guard end - start <= limits.lineBytes else {
        throw SessionError(.tooLarge, path: path, line: line, operation: "a line of \(end - start) bytes")
      }
      do {
        let entry = try JSONInput.decode(JournalEntry.self, from: Array(bytes[start..<end]))
        if let objection = contents.objection(to: entry) {
          throw SessionError(.damaged, path: path, line: line, operation: objection)
        }
        contents.replay(entry)
      } catch let error as SessionError {
        throw error
      } catch {
        // The line in flight at a power cut may be complete in length and yet hold blocks that were never written.
        if isLast, !Self.isObject(bytes[start..<end]) { return (contents, start) }
        throw SessionError(.damaged, path: path, line: line, operation: reason(error))
      }
      start = end + 1
    }
    return (contents, start)
  }

  private static func manifest(in folder: String, limits: Limits) throws(SessionError) -> SessionManifest {
    let path = SessionLayout.manifest(in: folder)
    let bytes = try FileDescriptor.read(path, limit: limits.manifestBytes)
    do {
      let version = try JSONInput.decode(FormatVersion.self, from: bytes).format
      guard (1...SessionManifest.currentFormat).contains(version) else {
        throw SessionError(
          .unsupported, path: path, operation: "format \(version), this program knows \(SessionManifest.currentFormat)",
          remedy: "use the program that wrote it or a newer one")
      }
      let manifest = try JSONInput.decode(SessionManifest.self, from: bytes)
      try manifest.checkPlausible(path)
      return manifest
    } catch let error as SessionError {
      throw error
    } catch {
      throw SessionError(.damaged, path: path, operation: reason(error))
    }
  }

  private struct FormatVersion: Decodable { var format: Int }

  /// Whether the bytes are a JSON object at all, of whatever content.
  private static func isObject(_ bytes: ArraySlice<UInt8>) -> Bool {
    (try? JSONInput.decode([String: AnyValue].self, from: Array(bytes))) != nil
  }
  private struct AnyValue: Decodable { init(from decoder: any Decoder) throws {} }

  private static func reason(_ error: any Error) -> String {
    switch error as? DecodingError {
    case .keyNotFound(let key, let context):
      return "\((context.codingPath + [key]).map(\.stringValue).joined(separator: ".")) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      let key = context.codingPath.map(\.stringValue).joined(separator: ".")
      return key.isEmpty ? context.debugDescription : "\(key): \(context.debugDescription)"
    default: return "\(error)"
    }
  }
}
