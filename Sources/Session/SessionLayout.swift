#if canImport(Glibc)
  import Glibc
#endif

/// Where things lie in a session folder. The whole format: docs/session-format.md.
public enum SessionLayout {
  /// The head, written once.
  public static func manifest(in folder: String) -> String { "\(folder)/session.json" }
  /// Whether a folder holds a session. One that may not be looked into, or whose head is in a bad way, is one: reading it
  /// says what is wrong.
  static func hasHead(_ folder: String) -> Bool {
    access(manifest(in: folder), F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)
  }
  /// What the session holds, one line an entry.
  public static func journal(in folder: String) -> String { "\(folder)/journal.ndjson" }
  /// Checkpoints of the reconstruction.
  public static func work(in folder: String) -> String { "\(folder)/work" }
  /// What the reconstruction made.
  public static func result(in folder: String) -> String { "\(folder)/result" }
  /// The folder of a pass's pictures, relative to the session.
  static func pass(_ index: Int) -> String { "pass-\(padded(index, 2))" }
  /// The pass whose pictures are in the folder of that name, or nil for another folder.
  static func pass(of name: String) -> Int? {
    guard name.hasPrefix("pass-"), let index = Int(name.dropFirst(5)), pass(index) == name else { return nil }
    return index
  }
  /// The folder of the empty table's pictures, relative to the session.
  static let plates = "plates"
  /// A picture's name in its folder.
  static func picture(_ sequence: Int, _ side: String, _ format: PictureFormat) -> String {
    "\(padded(sequence, 4))-\(side).\(format.ending)"
  }
  /// Whether a name is that of a picture, of whatever format.
  static func isPicture(_ name: String) -> Bool {
    !name.hasPrefix(".") && PictureFormat.allCases.contains { name.hasSuffix("." + $0.ending) }
  }
  /// Whether a name is that of a picture that was being written.
  static func isUnfinishedPicture(_ name: String) -> Bool {
    guard let sequence = sequence(of: name) else { return false }
    return ["left", "right"].contains { side in
      PictureFormat.allCases.contains { name == DurableFolder.temporary(picture(sequence, side, $0)) }
    }
  }
  /// The number a picture's name starts with (temporary names included), or nil.
  static func sequence(of name: String) -> Int? {
    Int(name.drop { $0 == "." }.prefix { $0.isASCII && $0.isNumber })
  }

  static func padded(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
