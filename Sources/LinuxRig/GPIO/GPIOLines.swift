import CGpiod
import Rig

#if canImport(Glibc)
  import Glibc
#endif

/// Where a line is: the chip by its label, because numbers of chips move, and the line's offset on it.
public struct GPIOPlace: Sendable, Hashable {
  /// The chip's label, e.g. `pinctrl-rp1`.
  public var chip: String
  /// The line's offset.
  public var offset: Int

  /// A place.
  public init(chip: String, offset: Int) {
    self.chip = chip
    self.offset = offset
  }
}

extension LineBias {
  var raw: UInt8 {
    switch self {
    case .asIs: UInt8(GPIO_BIAS_AS_IS.rawValue)
    case .none: UInt8(GPIO_BIAS_NONE.rawValue)
    case .pullUp: UInt8(GPIO_BIAS_PULL_UP.rawValue)
    case .pullDown: UInt8(GPIO_BIAS_PULL_DOWN.rawValue)
    }
  }
}

extension gpio_line {
  /// An output, inactive from the first moment on.
  static func output(_ offset: Int, isActiveLow: Bool) -> gpio_line {
    gpio_line(
      offset: UInt32(offset), is_output: 1, active_low: isActiveLow ? 1 : 0, bias: LineBias.asIs.raw, reports_edges: 0,
      is_active: 0, debounce_us: 0)
  }

  /// An input; it reports edges where `debounce` is given.
  static func input(_ offset: Int, isActiveLow: Bool, bias: LineBias, debounce: Duration? = nil) -> gpio_line {
    gpio_line(
      offset: UInt32(offset), is_output: 0, active_low: isActiveLow ? 1 : 0, bias: bias.raw,
      reports_edges: debounce == nil ? 0 : 1, is_active: 0,
      debounce_us: debounce.map { UInt32(clamping: Int64($0 / .microseconds(1))) } ?? 0)
  }
}

/// Lines of one chip that are ours as long as this lives. Requested once, with direction, bias, edges and debounce.
final class GPIOLines: Sendable {
  private nonisolated(unsafe) let request: OpaquePointer
  private let device: String

  /// Requests lines of the chip labelled `chip` for a device. Throws `.absent` where there is no such chip or line,
  /// `.busy` with who has a line, `.denied` with whose node it is.
  init(_ lines: [gpio_line], of chip: String, for device: String) throws(DeviceError) {
    self.device = device
    let path = try Self.find(chip, for: device)
    var request: OpaquePointer?
    let result = gpio_request_lines(path, "twinrig \(device)", lines, lines.count, &request)
    guard result == 0, let request else { throw Self.refusal(-result, lines, path: path, chip: chip, device: device) }
    self.request = request
  }

  deinit { gpio_release(request) }

  /// Drives the output at an index of the request.
  func set(_ index: Int, _ isActive: Bool) throws(DeviceError) {
    let result = gpio_set(request, index, isActive ? 1 : 0)
    guard result == 0 else { throw failure("set a line", -result) }
  }

  /// The level of the line at an index of the request.
  func get(_ index: Int) throws(DeviceError) -> Bool {
    let result = gpio_get(request, index)
    guard result >= 0 else { throw failure("read a line", -result) }
    return result == 1
  }

  /// What to poll for edges of a request of one line.
  var edgeDescriptor: Int32 { gpio_edge_descriptor(request) }

  /// Edges that have come, oldest first. Blocks where there is none.
  func edges() throws(DeviceError) -> [gpio_edge] {
    var edges = [gpio_edge](repeating: gpio_edge(), count: 16)
    let count = gpio_read_edges(request, &edges, edges.count)
    guard count >= 0 else { throw failure("read edges", -count) }
    return Array(edges.prefix(Int(count)))
  }

  /// What there is to say when the chip has gone while its lines were waited for.
  var gone: DeviceError { failure("wait for edges", ENODEV) }

  private func failure(_ operation: String, _ number: Int32) -> DeviceError {
    // the chip was unplugged, or its driver unloaded
    let isGone = [ENODEV, ENXIO, EIO].contains(number)
    return DeviceError(
      isGone ? .absent : .faulty, device: device, operation: operation, errno: number,
      remedy: isGone ? "its GPIO chip is gone: is its driver still loaded?" : nil)
  }

  /// The node of the chip with a label. Throws `.absent` where there is none, `.denied` with whose node it is.
  static func find(_ chip: String, for device: String) throws(DeviceError) -> String {
    let operation = "open the GPIO chip \(chip)"
    var path = [CChar](repeating: 0, count: 64)
    let result = gpio_find_chip(chip, &path, path.count)
    let node = Self.text(path)
    switch -result {
    case 0: return node
    case EACCES, EPERM:
      throw DeviceError(
        .denied, device: device, operation: operation, errno: -result,
        remedy: DeviceNode(path: node).refusal(group: "gpio", errno: -result))
    default:
      throw DeviceError(
        .absent, device: device, operation: operation, errno: -result,
        remedy: "no chip has this label; gpiodetect lists those there are")
    }
  }

  /// What a request of lines failed with, for a person.
  static func refusal(
    _ number: Int32, _ lines: [gpio_line], path: String, chip: String, device: String
  ) -> DeviceError {
    let offsets = lines.map { "\($0.offset)" }.joined(separator: ", ")
    let operation = "request line \(offsets) of \(chip)"
    switch number {
    case EBUSY:
      return DeviceError(
        .busy, device: device, operation: operation, errno: number,
        remedy: users(of: lines, path: path) ?? "somebody else has one of them")
    case EINVAL, ENOENT:
      return DeviceError(
        .absent, device: device, operation: operation, errno: number,
        remedy: "the chip has no such line, or the line cannot be used so; gpioinfo lists them")
    case EACCES, EPERM:
      return DeviceError(
        .denied, device: device, operation: operation, errno: number,
        remedy: DeviceNode(path: path).refusal(group: "gpio", errno: number))
    default: return DeviceError(.faulty, device: device, operation: operation, errno: number)
    }
  }

  /// `line 17 is used by "spi0 CS0"`.
  private static func users(of lines: [gpio_line], path: String) -> String? {
    let users = lines.compactMap { line -> String? in
      var name = [CChar](repeating: 0, count: 64)
      guard gpio_line_user(path, line.offset, &name, name.count) == 1 else { return nil }
      let consumer = text(name)
      return "line \(line.offset) is used by \(consumer.isEmpty ? "somebody who gives no name" : "\"\(consumer)\"")"
    }
    return users.isEmpty ? nil : users.joined(separator: ", ")
  }

  /// What C wrote into a buffer.
  static func text(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
