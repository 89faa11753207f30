import Capture
import Control

extension Station {
  /// How long a command may take before it becomes a job.
  static let promptness = Duration.milliseconds(100)

  /// Answers with what the work comes to, or, where that takes longer than a request may, with a job that ends with it.
  /// `told` says of a late result what is worth telling.
  func promptly(
    told: @escaping @Sendable (_ job: Int, _ reply: Reply) async -> Void = { _, _ in },
    _ work: @escaping @Sendable () async throws(Refusal) -> Reply
  ) async throws(Refusal) -> Reply {
    let task = Task { () async -> Result<Reply, Refusal> in
      do throws(Refusal) { return .success(try await work()) } catch { return .failure(error) }
    }
    if let result = await Self.result(of: task, within: Self.promptness) { return try result.get() }
    let id = await jobs.open(.command, control: UncontrolledJob())
    Task { [jobs] in
      switch await task.value {
      case .success(let reply):
        await told(id, reply)
        let end = (try? reply.end.get())?.description ?? ""
        await jobs.move(id, to: .completed, reason: end)
      case .failure(let refusal): await jobs.move(id, to: .failed, reason: refusal.message)
      }
    }
    return Reply(ok: ["job": .integer(id)])
  }

  /// The task's value if it comes in time; the task goes on in any case.
  static func result<Value: Sendable>(of task: Task<Value, Never>, within time: Duration) async -> Value? {
    let (stream, sink) = AsyncStream.makeStream(of: Value?.self)
    Task { _ = sink.yield(await task.value) }
    let timer = Task {
      try? await ContinuousClock().sleep(for: time)
      sink.yield(nil)
    }
    defer { timer.cancel() }
    for await first in stream { return first }
    return nil
  }
}

/// For jobs that end by themselves in a moment.
struct UncontrolledJob: JobControl {
  func pause() async throws(JobRefusal) { throw JobRefusal(.badState, "this job cannot be paused") }
  func resume() async throws(JobRefusal) { throw JobRefusal(.badState, "this job is not paused") }
  func cancel() async throws(JobRefusal) { throw JobRefusal(.badState, "this job ends by itself in a moment") }
}

extension JobKind {
  /// A command that took longer than a request may.
  static let command = JobKind(rawValue: "command")
}
