import Rig

#if canImport(Glibc)
  import Glibc
#endif

/// The nodes behind cameras, /dev/media*, and who may use and who uses them.
enum CameraNodes {
  private static var paths: [String] {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob("/dev/media*", 0, nil, &found) == 0 else { return [] }
    return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
  }

  /// What to do where we may not open them; nil where we may, or there are none.
  static var refusal: String? {
    for path in paths where access(path, R_OK | W_OK) != 0 {
      let number = errno
      if [EACCES, EPERM].contains(number) { return DeviceNode(path: path).refusal(group: "video", errno: number) }
    }
    return nil
  }

  /// `rpicam-hello (process 812) uses /dev/media2`. libcamera takes a lock on the node of a camera in use, which /proc/locks
  /// lists with its owner and its file's number.
  static var holders: String? {
    guard let file = fopen("/proc/locks", "r") else { return nil }
    defer { fclose(file) }
    var inodes: [String: String] = [:]
    for path in paths {
      var status = stat()
      if stat(path, &status) == 0 { inodes[Self.number(status)] = path }
    }
    var found: [String] = []
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      if let holder = holder(line, inodes), !found.contains(holder) { found.append(holder) }
    }
    return found.isEmpty ? nil : found.joined(separator: ", ")
  }

  /// `1: POSIX  ADVISORY  WRITE 812 00:06:1234 0 EOF`
  private static func holder(_ line: [CChar], _ inodes: [String: String]) -> String? {
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let words = text.split(separator: " ")
    guard words.count > 5, let process = Int32(words[4]), process != getpid(),
      let path = inodes[String(words[5])]
    else { return nil }
    return "\(command(of: process)) (process \(process)) uses \(path)"
  }

  /// A file as /proc/locks has it: its file system's numbers, two hexadecimal digits at least, and its own.
  private static func number(_ status: stat) -> String {
    let device = UInt64(status.st_dev)
    let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
    let minor = device & 0xFF | device >> 12 & ~0xFF
    let parts = [major, minor].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return "\(parts[0]):\(parts[1]):\(status.st_ino)"
  }

  private static func command(of process: Int32) -> String {
    guard let file = fopen("/proc/\(process)/comm", "r") else { return "somebody" }
    defer { fclose(file) }
    var name = [CChar](repeating: 0, count: 64)
    guard fgets(&name, Int32(name.count), file) != nil else { return "somebody" }
    return String(decoding: name.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
