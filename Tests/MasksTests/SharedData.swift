import Foundation

/// The folder of measuring data beside the project; tests that need it are skipped where it is absent.
enum SharedData {
  static let root: String? = {
    let fromFile = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared").path
    let candidates = [ProcessInfo.processInfo.environment["TWINRIG_SHARED"], "../shared", fromFile]
    return candidates.compactMap { $0 }.first { FileManager.default.fileExists(atPath: $0 + "/data/rings") }
  }()

  static func ring(_ name: String) -> String? {
    guard let root else { return nil }
    let path = root + "/data/rings/" + name
    return FileManager.default.fileExists(atPath: path + "/par.txt") ? path : nil
  }
}
