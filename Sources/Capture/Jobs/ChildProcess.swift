import CLinux
import Glibc
import Synchronization
import Threads

/// How a child process ended.
public struct Termination: Sendable, Hashable {
  /// Its exit code, or 128 + the signal that ended it.
  public var code: Int32
  /// The end of what it wrote to standard error.
  public var errors: String

  /// The signal that ended it, if one did.
  public var signal: Int32? { code > 128 ? code - 128 : nil }
}

/// How to run a child.
public struct ChildLimits: Sendable, Hashable {
  /// Added to its niceness.
  public var niceness: Int
  /// Most bytes of private memory; nil for no limit.
  public var memory: UInt64?
  /// Whether it goes last for the disk, and first when the computer's memory runs out.
  public var isExpendable: Bool

  /// The usual: low priority, no limit.
  public init(niceness: Int = 10, memory: UInt64? = nil, isExpendable: Bool = false) {
    self.niceness = niceness
    self.memory = memory
    self.isExpendable = isExpendable
  }
}

/// A child process that tells its progress line by line. It dies with this process, whatever happens to it.
public final class ChildProcess: Sendable {
  /// What it writes to standard output, line by line; ends when it does. Lines longer than 64 KiB are cut there.
  public let lines: AsyncStream<String>
  private let sink: AsyncStream<String>.Continuation
  /// Zero once the child is gone and its id may be another's.
  private let process = Mutex<Int32>(0)
  private let ended: Mutex<(result: Termination?, waiting: [CheckedContinuation<Termination, Never>])>

  private init() {
    (lines, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
    ended = Mutex((nil, []))
  }

  /// Runs a program. Returns once it runs; throws where it cannot be run.
  public static func start(
    _ program: String, _ arguments: [String], limits: ChildLimits = ChildLimits()
  ) async throws(JobRefusal) -> ChildProcess {
    let child = ChildProcess()
    let failure: Int32 = await withCheckedContinuation { continuation in
      // The child dies when this thread does, so the thread waits for it.
      let started = BlockingThread.start("child-process") {
        child.run(program, arguments, limits) { continuation.resume(returning: $0) }
      }
      if started != 0 { continuation.resume(returning: started) }
    }
    if failure != 0 {
      throw JobRefusal(.inputOutput, "\(program): cannot be run: \(String(cString: linux_error_text(-failure)))")
    }
    return child
  }

  /// Sends a signal; nothing happens when the child has ended.
  public func signal(_ number: Int32) {
    process.withLock { if $0 > 0 { _ = linux_kill($0, number) } }
  }

  /// Waits for the end.
  public var termination: Termination {
    get async {
      await withCheckedContinuation { continuation in
        let result = ended.withLock { ended in
          if ended.result == nil { ended.waiting.append(continuation) }
          return ended.result
        }
        if let result { continuation.resume(returning: result) }
      }
    }
  }

  private func run(
    _ program: String, _ arguments: [String], _ limits: ChildLimits, started: (Int32) -> Void
  ) {
    var output: Int32 = -1
    var errors: Int32 = -1
    var options = linux_child_options(
      niceness: Int32(limits.niceness), memory_limit: limits.memory ?? 0, is_expendable: limits.isExpendable ? 1 : 0,
      parent_death_signal: SIGKILL)
    var argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    let child = linux_spawn(program, &argv, &options, &output, &errors)
    for argument in argv { free(argument) }
    guard child > 0 else { return started(child) }
    process.withLock { $0 = child }
    started(0)
    let tail = readAll(output, errors)
    _ = linux_wait_child_ended(child)
    let code = process.withLock { process in
      process = 0
      return linux_wait_child(child)
    }
    sink.finish()
    let result = Termination(code: code, errors: tail)
    let waiting = ended.withLock { ended in
      ended.result = result
      defer { ended.waiting = [] }
      return ended.waiting
    }
    for continuation in waiting { continuation.resume(returning: result) }
  }

  /// Reads both pipes to their ends; passes on the lines of the first and returns the end of the second.
  private func readAll(_ output: Int32, _ errors: Int32) -> String {
    var open = [
      linux_poll_entry(descriptor: output, wanted: Int16(LINUX_POLL_IN), got: 0),
      linux_poll_entry(descriptor: errors, wanted: Int16(LINUX_POLL_IN), got: 0)
    ]
    var line: [UInt8] = []
    var tail: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while open.contains(where: { $0.descriptor >= 0 }) {
      guard linux_poll(&open, open.count, -1) >= 0 else { break }
      for index in open.indices where open[index].descriptor >= 0 && open[index].got != 0 {
        let count = buffer.withUnsafeMutableBytes { linux_read(open[index].descriptor, $0.baseAddress, $0.count) }
        if count <= 0 {
          linux_close(open[index].descriptor)
          open[index].descriptor = -1
        } else if index == 0 {
          pass(buffer[..<count], &line)
        } else {
          tail = Array((tail + buffer[..<count]).suffix(4096))
        }
      }
    }
    if !line.isEmpty { sink.yield(String(decoding: line, as: UTF8.self)) }
    return String(decoding: tail, as: UTF8.self)
  }

  private func pass(_ bytes: ArraySlice<UInt8>, _ line: inout [UInt8]) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        sink.yield(String(decoding: line, as: UTF8.self))
        line.removeAll(keepingCapacity: true)
      } else if line.count < 64 << 10 {
        line.append(byte)
      }
    }
  }
}
