import CI2C
import Rig
import Threads

#if canImport(Glibc)
  import Glibc
#endif

/// A bus of the kernel's i2c-dev. Transactions block for their length (a byte takes 90 µs at 100 kHz), on a thread of the
/// bus's own.
public actor LinuxI2CBus: I2CBus {
  private let executor = ThreadExecutor()
  /// The bus's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The bus as the configuration names it: `i2c-1`, a path, or the name of its adapter.
  public nonisolated let name: String
  private nonisolated let path: String
  private let descriptor: Int32

  /// Opens the bus `i2c-1` or `/dev/i2c-1`, or that whose adapter is so called. Throws `.absent` where there is none, `.denied` with whose node it is.
  public init(_ name: String) throws(DeviceError) {
    self.name = name
    path = I2CNode.path(of: name)
    descriptor = i2c_open(path)
    guard descriptor < 0 else { return }
    switch -descriptor {
    case EACCES, EPERM:
      throw DeviceError(
        .denied, device: name, operation: "open the bus", errno: -descriptor,
        remedy: DeviceNode(path: path).refusal(group: "i2c", errno: -descriptor))
    case ENOENT, ENODEV, ENXIO:
      throw DeviceError(
        .absent, device: name, operation: "open the bus", errno: -descriptor,
        remedy: "there is no \(path): load i2c-dev, and on a Raspberry Pi set dtparam=i2c_arm=on in config.txt")
    default: throw DeviceError(.faulty, device: name, operation: "open the bus", errno: -descriptor)
    }
  }

  deinit { if descriptor >= 0 { i2c_close(descriptor) } }

  /// Whether an error says that the bus itself is gone, and not only a chip on it.
  public static func isGone(_ error: DeviceError) -> Bool { error.kind == .absent && error.errno == ENODEV }

  /// Looks whether the bus is still there, when it has no more to do. Throws `.absent` where its node is gone.
  public func check() async throws(DeviceError) {
    guard access(path, F_OK) == 0 else { throw failure(ENODEV, at: "see whether it is there") }
  }

  /// Performs the messages as one transaction. Throws `.absent` where no chip acknowledges, `.busy` where a driver of the
  /// kernel has the chip, `.timedOut` where the bus hangs, `.unsupported` where the adapter cannot do it.
  public func transact(address: UInt8, _ messages: [I2CMessage]) async throws(DeviceError) -> [[UInt8]] {
    let sizes = messages.map { message in
      switch message {
      case .write(let bytes): bytes.count
      case .read(let count): count
      }
    }
    let place = "address 0x" + (address < 16 ? "0" : "") + String(address, radix: 16)
    guard sizes.allSatisfy({ (1...8192).contains($0) }) else {
      throw DeviceError(.outOfRange, device: name, operation: place, remedy: "a message has 1 to 8192 bytes")
    }
    var bytes: [UInt8] = []
    for message in messages {
      switch message {
      case .write(let written): bytes += written
      case .read(let count): bytes += [UInt8](repeating: 0, count: count)
      }
    }
    let result = perform(address, messages, sizes, &bytes)
    guard result == 0 else { throw failure(-result, at: place) }
    var start = 0
    var read: [[UInt8]] = []
    for (message, size) in zip(messages, sizes) {
      if case .read = message { read.append(Array(bytes[start..<start + size])) }
      start += size
    }
    return read
  }

  /// All messages lie one after the other in `bytes`.
  private func perform(_ address: UInt8, _ messages: [I2CMessage], _ sizes: [Int], _ bytes: inout [UInt8]) -> Int32 {
    bytes.withUnsafeMutableBufferPointer { buffer in
      guard var next = buffer.baseAddress else { return -EINVAL }
      var parts: [i2c_message] = []
      for (message, size) in zip(messages, sizes) {
        var isRead: UInt8 = 0
        if case .read = message { isRead = 1 }
        parts.append(i2c_message(bytes: next, count: UInt16(size), is_read: isRead))
        next += size
      }
      return i2c_transact(descriptor, address, &parts, parts.count)
    }
  }

  private func failure(_ failed: Int32, at place: String) -> DeviceError {
    // an adapter that was unplugged fails in ways of its driver's own
    let number = access(path, F_OK) != 0 || failed == EBADF ? ENODEV : failed
    return switch number {
    case ENXIO, EREMOTEIO:
      DeviceError(
        .absent, device: name, operation: place, errno: number,
        remedy: "no chip answers there: check its power, its wires and its address (i2cdetect -y shows who answers)")
    case EBUSY:
      DeviceError(
        .busy, device: name, operation: place, errno: number,
        remedy: "a driver of the kernel has this chip: use what that offers (a battery: driver = \"power_supply\")")
    case ETIMEDOUT, EAGAIN:
      DeviceError(
        .timedOut, device: name, operation: place, errno: number, remedy: "the bus hangs: check wires and pull-ups")
    case EOPNOTSUPP:
      DeviceError(.unsupported, device: name, operation: place, errno: number, remedy: "the adapter cannot do this")
    case ENODEV:
      DeviceError(.absent, device: name, operation: place, errno: number, remedy: "the bus is gone: \(path)")
    default: DeviceError(.faulty, device: name, operation: place, errno: number)
    }
  }
}
