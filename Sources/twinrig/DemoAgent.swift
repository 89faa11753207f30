import CLinux
import Control
import Glibc
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An agent that lives as long as a command does.
final class DemoAgent: Sendable {
  private let process: Int32
  private let socket: String
  private let socketFolder: String
  private let log: String
  private let ended = Mutex<Int32?>(nil)

  /// Starts `twinrigd` beside this program; its log goes to a file.
  static func start(configuration: String, state: String, log: String) async throws(ClientFailure) -> DemoAgent {
    // A socket's path is short: it does not go into the user's folder.
    var template = Array("/tmp/twinrig-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ClientFailure(code: ExitCode.failed, message: "/tmp: \(String(cString: strerror(errno)))")
    }
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let program = neighbour("twinrigd")
    let arguments = ["--config", configuration, "--state", state, "--socket", folder + "/s"]
    let result: Result<DemoAgent, ClientFailure> = await withCheckedContinuation { continuation in
      // The agent ends when this thread does, so the thread waits for it.
      Console.start("agent") { run(program, arguments, folder, log) { continuation.resume(returning: $0) } }
    }
    return try result.get()
  }

  private init(process: Int32, folder: String, log: String) {
    self.process = process
    socketFolder = folder
    socket = folder + "/s"
    self.log = log
  }

  /// Connects once it answers.
  func connect() async throws(ClientFailure) -> ControlClient {
    while true {
      do throws(ControlError) {
        return try ControlClient(connectingTo: socket)
      } catch {
        guard error.kind == .noAgent else { throw ClientFailure(error) }
      }
      if let code = ended.withLock({ $0 }) {
        throw ClientFailure(code: ExitCode.failed, message: lastError ?? "twinrigd ended with code \(code); see \(log)")
      }
      try? await Task.sleep(for: .milliseconds(50))
    }
  }

  /// What the agent said last as an error: why it could not start.
  private var lastError: String? {
    guard let text = try? String(contentsOfFile: log, encoding: .utf8) else { return nil }
    let mark = "twinrigd: error: "
    return text.split(separator: "\n").last { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
  }

  /// Ends it in order, and waits for that.
  func stop() async {
    if ended.withLock({ $0 == nil }) { _ = linux_kill(process, SIGTERM) }
    var rounds = 0
    while ended.withLock({ $0 == nil }) {
      try? await Task.sleep(for: .milliseconds(50))
      rounds += 1
      if rounds == 600 { _ = linux_kill(process, SIGKILL) }
    }
    unlink(socket)
    rmdir(socketFolder)
  }

  private static func run(
    _ program: String, _ arguments: [String], _ folder: String, _ log: String,
    started: (Result<DemoAgent, ClientFailure>) -> Void
  ) {
    var output: Int32 = -1
    var errors: Int32 = -1
    var options = linux_child_options(niceness: 0, memory_limit: 0, is_expendable: 0, parent_death_signal: SIGTERM)
    var argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    let child = linux_spawn(program, &argv, &options, &output, &errors)
    for argument in argv { free(argument) }
    guard child > 0 else {
      let reason = String(cString: linux_error_text(-child))
      return started(.failure(ClientFailure(code: ExitCode.failed, message: "\(program): cannot be run: \(reason)")))
    }
    let agent = DemoAgent(process: child, folder: folder, log: log)
    started(.success(agent))
    linux_close(output)
    let file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = buffer.withUnsafeMutableBytes { linux_read(errors, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      _ = buffer.withUnsafeBytes { write(file, $0.baseAddress, count) }
    }
    linux_close(errors)
    linux_close(file)
    _ = linux_wait_child_ended(child)
    agent.ended.withLock { $0 = linux_wait_child(child) }
  }

  /// The path of a program that is installed beside this one.
  private static func neighbour(_ name: String) -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { raw in
      readlink("/proc/self/exe", raw.baseAddress!.assumingMemoryBound(to: CChar.self), raw.count)
    }
    guard count > 0, let slash = buffer[..<count].lastIndex(of: UInt8(ascii: "/")) else { return "/usr/bin/\(name)" }
    return String(decoding: buffer[..<slash], as: UTF8.self) + "/\(name)"
  }
}
