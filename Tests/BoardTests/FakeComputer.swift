import Board
import Configuration
import Foundation

/// A computer as the kernel shows it, in a folder: files in the place of /sys, /proc, /dev and /run.
struct FakeComputer {
  let folder: String
  /// What `doctor` is asked about, as text of a configuration.
  var configuration = ""
  /// The board profile of that configuration.
  var board: String?
  var probe = FakeProbe()
  /// The agent's account: nobody's files are its own.
  var agent: Account? = Account(name: "twinrig", id: 4242, groups: [4242], groupNames: ["twinrig", "gpio", "i2c"])
  var caller = Account.current
  var year = 2026

  /// A healthy computer.
  init() throws {
    folder = "/tmp/twinrig-doctor-\(UUID().uuidString.prefix(8))"
    for name in ["sys/class", "proc/self", "dev", "run", "state"] { try makeFolder(name) }
    try write("/dev/root / ext4 rw,relatime 0 0\n", to: "proc/self/mounts")
    try write("MemTotal: 4000000 kB\nMemAvailable: 3000000 kB\n", to: "proc/meminfo")
    try write("", to: "run/systemd/timesync/synchronized")
    chmod("\(folder)/state", 0o777)
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
  }

  /// Writes a file that everybody may read and write, or has another mode.
  func write(_ text: String, to name: String, mode: mode_t = 0o666) throws {
    let path = "\(folder)/\(name)"
    if let slash = name.lastIndex(of: "/") { try makeFolder(String(name[..<slash])) }
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    chmod(path, mode)
  }

  /// The doctor of this computer.
  func doctor() throws -> Doctor {
    let text = "[agent]\nstate_folder = \"\(folder)/state\"\nsocket = \"\(folder)/s\"\n\(configuration)\n"
    let here = URL(fileURLWithPath: #filePath)
    let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    // keys of the root stand before the first table
    let profile = board.map { "board = \"\($0)\"\n" } ?? ""
    var doctor = Doctor(
      try TwinrigConfiguration(text: Array((profile + text).utf8), file: "\(root)/config/station.toml"))
    doctor.roots = SystemRoots(under: folder)
    doctor.probe = probe
    doctor.agent = agent
    doctor.caller = caller
    doctor.year = year
    return doctor
  }

  /// What doctor says about a subject.
  func findings(_ subject: String) async throws -> [Finding] {
    try await doctor().examine().filter { $0.subject == subject }
  }

  /// What doctor says first about a subject.
  func finding(_ subject: String) async throws -> Finding {
    guard let finding = try await findings(subject).first else { throw Missing(subject: subject) }
    return finding
  }

  struct Missing: Error { let subject: String }
}
