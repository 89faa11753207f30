import Board
import CLinux
import Glibc

/// How the computer is, from /proc and /sys. What cannot be read is nil.
enum Computer {
  /// The hottest thermal zone in °C.
  static var temperature: Double? {
    (0..<8).compactMap { number(in: "/sys/class/thermal/thermal_zone\($0)/temp") }.max().map { $0 / 1000 }
  }

  /// What the firmware says of supply and heat.
  static var throttling: Throttling? { Throttling(in: SystemRoots()) }

  /// /proc/meminfo in bytes.
  static var memory: [String: Int] {
    var values: [String: Int] = [:]
    for line in text(of: "/proc/meminfo")?.split(separator: "\n") ?? [] {
      let parts = line.split(separator: " ")
      if parts.count >= 2, let kilobytes = Int(parts[1]) { values[String(parts[0].dropLast())] = kilobytes << 10 }
    }
    return values
  }

  /// The load of the last minute.
  static var load: Double? { number(in: "/proc/loadavg") }

  /// Seconds since boot.
  static var uptime: Double { linux_seconds_since_boot() }

  /// Bytes free for us on the disk of a path.
  static func freeBytes(_ path: String) -> Int? {
    let bytes = twinrig_free_bytes(path)
    return bytes >= 0 ? Int(bytes) : nil
  }

  private static func number(in path: String) -> Double? {
    text(of: path)?.split { $0 == " " || $0 == "\n" }.first.flatMap { Double($0) }
  }

  private static func text(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 8192) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return bytes.isEmpty ? nil : text.last == "\n" ? String(text.dropLast()) : text
  }
}
