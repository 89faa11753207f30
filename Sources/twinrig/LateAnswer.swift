import Control

/// An answer that takes longer than a request may, as on a slow disk: the agent names a job instead, and what the answer
/// would have said is that job's end.
enum LateAnswer {
  /// The events that a client has to watch, from before it asks, so that it misses nothing of a late answer.
  static let classes = ["state", "file"]

  /// Whether the answer to a request may come late (docs/protocol.md, Transport). Of any other one a job alone is all it
  /// says.
  static func isPossible(for request: Request) -> Bool {
    switch (request.verb, request.words.first) {
    case ("coverage", _), ("capture", "start"), ("model", "set"), ("box", "reset"): true
    case ("capture", "resume"): request.words.count > 1
    case ("box", _): request.fields["set"] != nil
    default: false
    }
  }

  /// The job that an answer comes from, where it is still to come.
  static func job(of answer: Answer) -> Int? {
    guard answer.data.isEmpty, case .success(let fields) = answer.end, fields.all.count == 1 else { return nil }
    return fields.integer("job")
  }

  /// How the answer ends, as the state of its job tells; nil while it is still to come.
  static func end(_ fields: Fields) -> Result<Fields, ClientFailure>? {
    let reason = fields.text("reason") ?? ""
    switch fields.text("to") {
    case "completed":
      guard !reason.isEmpty, case .ok(_, _, let answer)? = try? Line(Array("OK \(reason)".utf8)[...]) else {
        return .success([:])
      }
      return .success(answer)
    case "failed", "cancelled": return .failure(ClientFailure(code: ExitCode.refused, message: reason))
    default: return nil
    }
  }

  /// Asks, and waits for the answer however late it comes.
  static func ask(_ request: Request, _ client: ControlClient) async throws(ClientFailure) -> Answer {
    _ = try await client.answer(Request(verb: "watch", words: classes))
    var answer = try await client.answer(request)
    guard let job = job(of: answer) else { return answer }
    let (files, end) = try await wait(for: job, client)
    // of a model that was changed the answer is what it is now
    if request.verb == "model" { return try await client.answer(Request(verb: "model", words: [request.words[1]])) }
    answer.data = files
    answer.end = .success(end)
    return answer
  }

  /// The files of a job, and what it ends with.
  private static func wait(
    for job: Int, _ client: ControlClient
  ) async throws(ClientFailure) -> (files: [Fields], end: Fields) {
    var files: [Fields] = []
    for await line in client.events {
      guard case .event(let kind, let fields) = line, fields.integer("job") == job else { continue }
      if kind == .file, let path = fields["path"] { files.append(["file": path]) }
      if kind == .state, let end = end(fields) { return (files, try end.get()) }
    }
    throw ClientFailure(code: ExitCode.failed, message: "the agent has ended")
  }
}
