import Rig

#if canImport(Glibc)
  import Glibc
#endif

/// A battery or mains input that a driver of the kernel has: /sys/class/power_supply/NAME (Documentation/ABI/testing/
/// sysfs-class-power).
public struct SysfsPowerSupply: PowerSupply {
  /// The battery as the configuration names it.
  public let name: String
  /// `power_supply`.
  public let source = "power_supply"
  private let folder: String

  /// The kernel's supply called `supply`; `root` is where the class is.
  public init(name: String, supply: String, root: String = "/sys/class/power_supply") {
    self.name = name
    folder = "\(root)/\(supply)"
  }

  /// A raw reading. Throws `.absent` where there is no such supply, or its battery is taken out.
  public func read() async throws(DeviceError) -> PowerReading {
    guard access(folder, F_OK) == 0 else {
      throw DeviceError(
        .absent, device: name, operation: "read \(folder)", errno: ENOENT,
        remedy: "the kernel has no such supply; there are: \(others)")
    }
    if text("present") == "0" {
      throw DeviceError(.absent, device: name, operation: "read \(folder)", remedy: "the battery is taken out")
    }
    if ["Mains", "USB", "Wireless"].contains(text("type") ?? "") {
      guard let online = text("online") else { throw unreadable("online") }
      return PowerReading(level: nil, state: online == "0" ? .unknown : .full, volts: volts)
    }
    guard text("capacity") != nil || text("voltage_now") != nil else { throw unreadable("capacity") }
    return PowerReading(level: text("capacity").flatMap(Double.init).map { $0 / 100 }, state: state, volts: volts)
  }

  /// Microvolts in the file.
  private var volts: Double? { text("voltage_now").flatMap(Double.init).map { $0 / 1e6 } }

  private var state: PowerReading.State {
    switch text("status") {
    case "Charging": .charging
    case "Discharging": .discharging
    // on mains, but not filling: at the threshold that somebody set, or full
    case "Full", "Not charging": .full
    default: .unknown
    }
  }

  private func unreadable(_ file: String) -> DeviceError {
    DeviceError(.faulty, device: name, operation: "read \(folder)/\(file)", remedy: "its driver gives no value now")
  }

  private var others: String {
    let root = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? folder
    guard let listing = opendir(root) else { return "none" }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.isEmpty ? "none" : names.sorted().joined(separator: ", ")
  }

  /// A file's one line; nil where the driver has no such property, or no value of it now (ENODATA).
  private func text(_ file: String) -> String? {
    let descriptor = open("\(folder)/\(file)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }
}
