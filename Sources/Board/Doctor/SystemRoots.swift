#if canImport(Glibc)
  import Glibc
#endif

/// Where the kernel shows what there is. A test gives folders of its own.
package struct SystemRoots: Sendable {
  /// Where sysfs is.
  package var sys = "/sys"
  /// Where procfs is.
  package var proc = "/proc"
  /// Where the nodes of devices are.
  package var dev = "/dev"
  /// Where programs keep what ends with the boot.
  package var run = "/run"

  /// Those of this computer.
  package init() {}

  /// Those of a computer whose root is a folder.
  package init(under folder: String) {
    sys = "\(folder)/sys"
    proc = "\(folder)/proc"
    dev = "\(folder)/dev"
    run = "\(folder)/run"
  }

  /// The text of a small file without its last line feed; nil where it cannot be read or is empty.
  func text(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }

  /// The names in a folder, sorted; none where there is no such folder.
  func names(in folder: String) -> [String] {
    guard let listing = opendir(folder) else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Whether there is something at a path.
  func has(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
