import Foundation

/// Runs shell scripts that call the programs of this package, as a person or a script would.
public enum Program {
  /// How a script ended.
  public struct Outcome: Sendable {
    /// Its exit code, or 128 + the signal that ended it.
    public var code: Int32
    /// What it wrote to standard output and standard error.
    public var output: String, errors: String
  }

  /// Runs `script` in bash, in which the programs are found by name. Waits for its end.
  public static func run(_ script: String) throws -> Outcome {
    // pipes could fill up while the other one is read; files cannot
    let folder = NSTemporaryDirectory() + "twinrig-program-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", "exec >\(folder)/output 2>\(folder)/errors\nPATH='\(programs)':$PATH\n" + script]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let status = process.terminationStatus
    return Outcome(
      code: process.terminationReason == .uncaughtSignal ? 128 + status : status,
      output: try String(contentsOfFile: folder + "/output", encoding: .utf8),
      errors: try String(contentsOfFile: folder + "/errors", encoding: .utf8))
  }

  /// The folder the programs are in: that of the tests themselves.
  private static var programs: String {
    let line = (try? String(contentsOfFile: "/proc/self/cmdline", encoding: .utf8)) ?? ""
    return line.prefix { $0 != "\0" }.split(separator: "/").dropLast().map { "/\($0)" }.joined()
  }
}
