#if canImport(Glibc)
  import Glibc
#endif

/// Where the node of a bus is. A bus is named as its node is (`i2c-1`), by a path, or as its adapter is: the numbers of
/// buses that are plugged in, or simulated, move.
package enum I2CNode {
  /// The path for a bus's name, also where there is no such node. `devices` and `classes` are where the kernel shows them.
  package static func path(of name: String, devices: String = "/dev", classes: String = "/sys/class") -> String {
    if name.hasPrefix("/") { return name }
    let plain = "\(devices)/\(name)"
    guard access(plain, F_OK) != 0 else { return plain }
    let numbered = adapters(classes).first { $0.adapter == name }?.node
    return numbered.map { "\(devices)/\($0)" } ?? plain
  }

  /// The nodes there are, `i2c-0` and so on, and the names of their adapters.
  package static func adapters(_ classes: String = "/sys/class") -> [(node: String, adapter: String)] {
    let folder = "\(classes)/i2c-dev"
    guard let listing = opendir(folder) else { return [] }
    defer { closedir(listing) }
    var nodes: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasPrefix("i2c-") { nodes.append(name) }
    }
    return nodes.sorted().map { ($0, line(of: "\(folder)/\($0)/name") ?? "") }
  }

  private static func line(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
