import Foundation

/// The data sets that are not part of the project: tests that need them are skipped where they are absent.
enum SharedData {
  static let root: String? = {
    let environment = ProcessInfo.processInfo.environment["TWINRIG_SHARED"]
    let beside = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared").path
    return [environment, beside].compactMap { $0 }.first { FileManager.default.fileExists(atPath: $0 + "/data") }
  }()

  static func path(_ name: String) -> String? {
    root.map { $0 + "/" + name }.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }
  }
}
