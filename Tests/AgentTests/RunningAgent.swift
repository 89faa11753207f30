import CLinux
import Control
import Synchronization
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#endif

/// The real `twinrigd` on a small simulated rig, in a folder of its own.
final class RunningAgent: Sendable {
  struct Failure: Error { let what: String }

  /// A rig that renders in no time: tiny pictures, no shadows, a person who reacts at once.
  static let configuration = """
    [cameras]
    width = 96
    height = 128
    preview_width = 48
    preview_height = 64
    [scan]
    burst = 1
    [simulation]
    reaction_s = 0.0
    threads = 1
    """

  let folder: String
  let socket: String
  /// Its process.
  let process: Int32
  private let ended = Mutex<Int32?>(nil)
  private let errors = Mutex("")

  /// Starts it. `script` is the shell script that plays `twinrig reconstruct`; with nil it is the real one. An agent
  /// `continuing` another one takes over its folder. A `shell` script that the agent is started through ends with
  /// `exec "$@"`; `servesSocket` is false where it hands over a socket of its own.
  static func start(
    _ configuration: String = configuration, script: String? = "exit 1", continuing previous: RunningAgent? = nil,
    state: String? = nil, through shell: String? = nil, servesSocket: Bool = true,
    socket: String? = nil
  ) async throws -> RunningAgent {
    let folder = previous?.folder ?? "/tmp/twinrig-agent-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try configuration.write(toFile: folder + "/rig.toml", atomically: true, encoding: .utf8)
    if let script {
      try ("#!/bin/sh\nOUT=$4\nmkdir -p \"$OUT\"\necho $$ > \"$OUT/pid\"\n" + script + "\n")
        .write(toFile: folder + "/twinrig", atomically: true, encoding: .utf8)
      chmod(folder + "/twinrig", 0o755)
    }
    let daemon = try neighbour("twinrigd")
    var arguments = ["--config", folder + "/rig.toml", "--state", state ?? folder + "/state"]
    if script != nil { arguments += ["--twinrig", folder + "/twinrig"] }
    if servesSocket { arguments += ["--socket", socket ?? folder + "/s"] }
    var program = daemon
    if let shell {
      arguments = ["-c", shell, "sh", daemon] + arguments
      program = "/bin/bash"
    }
    let (path, words) = (program, arguments)
    let result: Result<RunningAgent, Failure> = await withCheckedContinuation { continuation in
      onThread {
        run(path, words, folder, socket ?? folder + "/s") { continuation.resume(returning: $0) }
      }
    }
    return try result.get()
  }

  /// The path of a program that was built beside the tests.
  static func neighbour(_ name: String) throws -> String {
    try String(contentsOfFile: "/proc/self/cmdline", encoding: .utf8).prefix { $0 != "\0" }
      .split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/" + name
  }

  private init(process: Int32, folder: String, socket: String) {
    self.process = process
    self.folder = folder
    self.socket = socket
  }

  private static func run(
    _ program: String, _ arguments: [String], _ folder: String, _ socket: String,
    started: (Result<RunningAgent, Failure>) -> Void
  ) {
    var output: Int32 = -1
    var errors: Int32 = -1
    var options = linux_child_options(niceness: 0, memory_limit: 0, is_expendable: 0, parent_death_signal: SIGKILL)
    var argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    let child = linux_spawn(program, &argv, &options, &output, &errors)
    for argument in argv { free(argument) }
    guard child > 0 else { return started(.failure(Failure(what: "\(program): \(child)"))) }
    let agent = RunningAgent(process: child, folder: folder, socket: socket)
    started(.success(agent))
    linux_close(output)
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = buffer.withUnsafeMutableBytes { linux_read(errors, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      agent.errors.withLock { $0 += String(decoding: buffer[..<count], as: UTF8.self) }
    }
    linux_close(errors)
    _ = linux_wait_child_ended(child)
    agent.ended.withLock { $0 = linux_wait_child(child) }
  }

  /// What it wrote to its log.
  var log: String { errors.withLock { $0 } }

  /// Waits until its log has a text: what it writes before it answers may be read after that.
  func logs(_ text: String) async -> Bool {
    for _ in 0..<3000 where !hasEnded && !log.contains(text) { try? await Task.sleep(for: .milliseconds(10)) }
    return log.contains(text)
  }

  func signal(_ number: Int32) { _ = linux_kill(process, number) }

  /// Whether it has ended.
  var hasEnded: Bool { ended.withLock { $0 != nil } }

  /// Waits for its end: the exit code, or 128 + signal.
  func end() async throws -> Int32 {
    while true {
      if let code = ended.withLock({ $0 }) { return code }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Lets it write files of any size from now on.
  func liftFileLimit() {
    _ = system("prlimit --pid \(process) --fsize=unlimited")
  }

  /// Connects once it answers, and waits until it has found its axes.
  func client() async throws -> ControlClient {
    while true {
      if let client = try? ControlClient(connectingTo: socket, patience: .seconds(60)) {
        while try await client.ask(line: "status").data.first?.text("state") == "initializing" {
          try await Task.sleep(for: .milliseconds(20))
        }
        return client
      }
      if let code = ended.withLock({ $0 }) { throw Failure(what: "the agent ended with \(code): \(log)") }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Ends it and removes its folder.
  func cleanUp() async throws {
    if ended.withLock({ $0 == nil }) { signal(SIGKILL) }
    _ = try await end()
    try? FileManager.default.removeItem(atPath: folder)
  }
}

/// Runs blocking work on a thread of its own.
private func onThread(_ work: @escaping @Sendable () -> Void) {
  let body = Unmanaged.passRetained(ThreadBody(work))
  let started = linux_thread_start(
    "test", { Unmanaged<ThreadBody>.fromOpaque($0!).takeRetainedValue().run() }, body.toOpaque())
  precondition(started == 0)
}

private final class ThreadBody {
  let run: () -> Void
  init(_ run: @escaping () -> Void) { self.run = run }
}

extension ControlClient {
  /// Asks what must be refused; returns how it was.
  func refusal(of line: String) async throws -> Answer.Rejection {
    guard case .failure(let rejection) = try await ask(line: line).end else {
      throw RunningAgent.Failure(what: "\(line) was accepted")
    }
    return rejection
  }

  /// Waits for an event; those before it are gone.
  func event(_ kind: EventClass, where wanted: (Fields) -> Bool) async throws -> Fields {
    for await line in events {
      if case .event(kind, let fields) = line, wanted(fields) { return fields }
    }
    throw RunningAgent.Failure(what: "the events ended")
  }
}
