import Control

/// `twinrig scan [name=…] [shots=…] … [--yes]`: starts a scan and stays with it until its model is ready. Prompts are
/// answered here where there is a person at the terminal, else at the rig.
enum ScanCommand {
  static func run(_ arguments: [String], _ options: ClientOptions) async throws(ClientFailure) -> Int32 {
    let asks = !arguments.contains("--yes") && !options.isJSON
    let words = arguments.filter { $0 != "--yes" }
    if let unknown = words.first(where: { $0.hasPrefix("-") }) {
      throw ClientOptions.misplaced(unknown, before: "scan", others: ["--yes"])
    }
    let start = try Request(arguments: ["capture", "start"] + words)
    let client = try options.connect()
    defer { client.close() }
    var follower = ScanFollower(client: client, isJSON: options.isJSON, asks: asks && Console.isInteractive)
    return try await follower.run(start)
  }
}

/// Follows a scan and the reconstruction that comes after it.
struct ScanFollower {
  /// What can happen while it follows.
  private enum Happening: Sendable {
    case agent(Line)
    case console(ConsoleEvent)
    case agentEnded
  }

  /// The model, once it is ready.
  private(set) var model: Fields?
  private let client: ControlClient
  private let printer: LinePrinter
  private let isJSON: Bool
  private let asks: Bool
  private let isUnattended: Bool
  private var bar = ProgressBar()
  private var pictureNotes = PictureNotes()
  /// The session of the scan, once it has begun.
  private(set) var session: String?
  private var scanJob = 0
  private var modelJob: Int?
  private var prompt: Fields?
  private var interrupts = 0
  private var isWaiting = false
  /// The job that the answer to the start comes from, where it takes its time.
  private var startJob: Int?
  /// The scan, and the model where one is made of it.
  private var steps = 1
  private var hasGivenUp = false
  /// Which pass of how many it is at, as far as it was told.
  private var pass: Int?
  private var passes = 1

  /// `isUnattended` where a simulated person does what is asked for: nobody could mend what a scan pauses for.
  init(client: ControlClient, isJSON: Bool, asks: Bool, isUnattended: Bool = false) {
    self.isUnattended = isUnattended
    self.client = client
    self.isJSON = isJSON
    self.asks = asks
    printer = LinePrinter(isJSON: isJSON)
  }

  /// Starts with the request and stays until the model is there, or nothing more comes of it. Returns the exit code.
  mutating func run(_ start: Request) async throws(ClientFailure) -> Int32 {
    // the rig is at work, and may be waiting for a person
    Terminal.whenUnread {
      let notice = "nobody reads standard output any more; the scan goes on, and what it needs is said here"
      Terminal.complain("twinrig: \(notice)")
    }
    // Watched from before the start: no event of the scan is missed.
    let watched = try await client.answer(Request(verb: "watch", words: WatchCommand.classes))
    if case .failure(let rejection) = watched.end {
      throw ClientFailure(code: ExitCode.refused, message: rejection.message)
    }
    // An agent that has just come up finds its axes first.
    let status = try await client.answer(Request(verb: "status"))
    isWaiting = status.data.first?.text("state") == "initializing"
    if !isWaiting, let code = try await begin(start) { return code }
    for await happening in happenings() {
      if isWaiting, case .agent(.event(.state, let fields)) = happening, fields.text("to") != "initializing" {
        isWaiting = false
        if let code = try await begin(start) { return code }
      } else if let code = try await take(happening) {
        bar.clear()
        return code
      }
    }
    throw ClientFailure(code: ExitCode.failed, message: "the agent has ended")
  }

  /// Starts the scan; returns the exit code where the agent refuses.
  private mutating func begin(_ start: Request) async throws(ClientFailure) -> Int32? {
    let started = try await client.answer(start)
    guard case .success(let fields) = started.end, let job = fields.integer("job") else {
      printer.show(started)
      return ExitCode.refused
    }
    if isJSON { printer.show(started) }
    // a slow disk: the answer is still to come, as the end of a job
    if fields["session"] == nil { startJob = job } else { try await noteStart(fields) }
    return nil
  }

  /// The scan has begun.
  private mutating func noteStart(_ fields: Fields) async throws(ClientFailure) {
    guard let job = fields.integer("job") else { return }
    startJob = nil
    scanJob = job
    session = fields.text("session")
    if isJSON { return }
    say("scan \(session ?? "?") is job \(job)")
    steps = try await isFollowedByModel() ? 2 : 1
    let status = try await client.answer(Request(verb: "status"))
    passes = status.data.first?.integer("passes") ?? 1
    pass = pass ?? status.data.first?.integer("pass")
  }

  /// Takes an answer that came late, as the end of a job.
  private mutating func takeLateAnswer(_ fields: Fields) async throws(ClientFailure) {
    guard let end = LateAnswer.end(fields) else { return }
    bar.clear()
    try await noteStart(try end.get())
  }

  /// Whether the agent makes a model of the scan by itself.
  private func isFollowedByModel() async throws(ClientFailure) -> Bool {
    let configuration = try await client.answer(Request(verb: "config"))
    return configuration.data.first { $0.text("key") == "reconstruction.automatic" }?.text("value") == "true"
  }

  /// Everything that happens, in one stream.
  private func happenings() -> AsyncStream<Happening> {
    let (stream, sink) = AsyncStream.makeStream(of: Happening.self, bufferingPolicy: .bufferingNewest(1024))
    let events = client.events
    Task {
      for await line in events { sink.yield(.agent(line)) }
      sink.yield(.agentEnded)
      sink.finish()
    }
    let console = Console.events(readsLines: asks)
    Task { for await event in console { sink.yield(.console(event)) } }
    return stream
  }

  /// Returns the exit code once everything is over.
  private mutating func take(_ happening: Happening) async throws(ClientFailure) -> Int32? {
    switch happening {
    case .agentEnded: throw ClientFailure(code: ExitCode.failed, message: "the agent has ended")
    case .console(.interrupt):
      interrupts += 1
      if isWaiting || interrupts > 1 { bar.clear() }
      if isWaiting { throw ClientFailure(code: ExitCode.cancelled, message: "cancelled before the scan began") }
      if interrupts > 1 { throw ClientFailure(code: ExitCode.cancelled, message: "left; the agent goes on giving up") }
      say("giving up; once more to leave at once")
      _ = try await client.answer(Request(verb: "job", words: ["cancel", String(modelJob ?? scanJob)]))
      return nil
    case .console(.line(let text)):
      try await answerPrompt(text)
      return nil
    case .agent(let line):
      guard case .event(let kind, let fields) = line else { return nil }
      if isJSON { printer.show(kind, fields) }
      if kind == .state, let startJob, fields.integer("job") == startJob {
        try await takeLateAnswer(fields)
        return nil
      }
      if isUnattended, kind == .state, fields.integer("job") == scanJob, fields.text("to") == "paused" {
        _ = try await client.answer(Request(verb: "job", words: ["cancel", String(scanJob)]))
        hasGivenUp = true
      }
      return take(kind, fields)
    }
  }

  private mutating func take(_ kind: EventClass, _ fields: Fields) -> Int32? {
    if kind != .sample { for line in pictureNotes.flush() { say(line) } }
    if fields.integer("job") == scanJob, let pass = fields.integer("pass") { self.pass = pass }
    switch kind {
    case .state: return takeState(fields)
    case .progress: showProgress(fields)
    case .prompt: takePrompt(fields)
    case .feedback: if let set = fields.text("set") { say("feedback: \(set)") }
    case .sample: takeSample(fields)
    case .file:
      if fields.integer("job") == modelJob, fields.text("kind") == "model" { model = fields }
    case .battery: if fields.text("low") == "1" { say("battery \(fields.text("name") ?? "?") is low") }
    case .button: if let effect = fields.text("effect") { say("button \(fields.text("id") ?? "?"): \(effect)") }
    case .overrun: say("\(fields.text("lost") ?? "some") events were lost")
    default: break
    }
    return nil
  }

  private mutating func takeSample(_ fields: Fields) {
    guard let verdict = fields.text("verdict"), verdict != "kept" else { return }
    let name = fields.text("name") ?? "viewpoint \(fields.text("viewpoint") ?? "?")"
    for line in pictureNotes.add(name, verdict: verdict, reason: fields.text("reason") ?? "") { say(line) }
  }

  private mutating func takeState(_ fields: Fields) -> Int32? {
    let job = fields.integer("job")
    if let notice = fields.text("notice") { say(notice) }
    // The reconstruction may begin before the end of the scan is told.
    if fields.text("kind") == "reconstruct", fields.text("session") == session { modelJob = job }
    guard let to = fields.text("to"), job == scanJob || job == modelJob && job != nil else { return nil }
    let reason = fields.text("reason").map { ": \($0)" } ?? ""
    if job == scanJob {
      if ["paused", "cancelling"].contains(to) { say("\(to)\(reason)") }
      if to == "paused", !isUnattended {
        say("  twinrig capture resume, or the rig's button, goes on; twinrig capture finish ends with what there is")
      }
      switch to {
      case "completed":
        guard fields["kept"] != nil else { return nil }
        say("scan completed, \(fields.text("kept") ?? "?") shots")
        return fields["next"] == nil ? ExitCode.done : nil
      case "failed", "cancelled":
        guard fields["kept"] != nil else { return nil }
        say("scan \(to)\(reason); \(fields.text("kept") ?? "?") shots are kept")
        return to == "failed" || hasGivenUp ? ExitCode.failed : ExitCode.cancelled
      default: return nil
      }
    }
    switch to {
    case "completed":
      say("model \(fields.text("model") ?? "?") is ready: \(model?.text("path") ?? "see models")")
      return ExitCode.done
    case "failed":
      say("reconstruction failed\(reason)")
      return ExitCode.failed
    case "cancelled":
      say("reconstruction cancelled\(reason); the session is kept")
      return ExitCode.cancelled
    default: return nil
    }
  }

  private mutating func showProgress(_ fields: Fields) {
    let job = fields.integer("job")
    // an open prompt stays the last line: the rig waits for a person
    guard !isJSON, prompt == nil, job == scanJob || job == modelJob else { return }
    // the first of two says what else is to come: how long that takes nobody knows before it has begun
    let isFirst = job == scanJob && steps == 2
    let step = steps == 2 ? (isFirst ? "1/2 " : "2/2 ") : ""
    var label = step + (job == scanJob ? "scan: " : "model: ") + (fields.text("stage") ?? "")
    // the stops are those of a pass, the fraction that of the whole scan
    if fields.text("stage") == "capture", passes > 1, let pass { label += ", pass \(pass) of \(passes)," }
    if let done = fields.text("done"), let of = fields.text("of") { label += " \(done)/\(of)" }
    bar.show(
      label, fraction: fields.number("fraction"), remaining: fields.number("eta"),
      then: isFirst ? ", then the model" : "")
  }

  /// Says what a person has to know; where standard output is lost, on standard error.
  private mutating func say(_ text: String) {
    if Terminal.isOutputLost { return Terminal.complain(text) }
    if !isJSON { bar.say(text) }
  }

  private mutating func takePrompt(_ fields: Fields) {
    if let closed = fields["closed"] {
      if prompt?.integer("id") == fields.integer("id") { prompt = nil }
      return say(Self.closing(closed, by: fields.text("by")))
    }
    prompt = fields
    say(Self.wish(fields.text("kind") ?? "?"))
    if let reason = fields.text("reason") { say("  \(reason)") }
    say("  \(wayToAnswer(fields))")
  }

  /// How a prompt can be answered from here.
  private func wayToAnswer(_ prompt: Fields) -> String {
    if isUnattended { return "(the simulated person does)" }
    let options = prompt.text("options")?.split(separator: ",").map(String.init) ?? []
    let advised = options.first { $0.hasPrefix(prompt.text("advice") ?? "?") } ?? options.first ?? "?"
    let others = options.filter { $0 != advised }.joined(separator: ", ")
    if asks { return "then press Enter" + (others.isEmpty ? "" : " (\(advised)), or type one of: \(others)") }
    let choice = others.isEmpty ? advised : "CHOICE, one of: \(advised), \(others)"
    return "then press the answer button, or enter elsewhere: twinrig answer \(prompt.text("id") ?? "ID") \(choice)"
  }

  /// What is said of a prompt that is over.
  private static func closing(_ answer: FieldValue, by whom: String?) -> String {
    if answer.isNothing || answer.isUnknown { return "the rig no longer asks for that" }
    return whom == "timeout" ? "nobody answered in time: \(answer.text)" : "answered: \(answer.text)"
  }

  private mutating func answerPrompt(_ text: String) async throws(ClientFailure) {
    guard let prompt, let id = prompt.text("id") else { return }
    let typed = text.split(separator: " ").first.map(String.init)
    let options = prompt.text("options")?.split(separator: ",").map(String.init) ?? []
    // The first letters are enough where only one option starts with them.
    guard let wish = typed ?? prompt.text("advice") else { return }
    let matching = options.filter { $0.hasPrefix(wish) }
    guard matching.count == 1 else { return say("  there are: \(options.joined(separator: ", "))") }
    let answer = try await client.answer(Request(verb: "answer", words: [id, matching[0]]))
    if case .failure(let rejection) = answer.end { say("  \(rejection.message)") }
  }

  /// What a prompt wants done.
  private static func wish(_ kind: String) -> String {
    switch kind {
    case "clear": "Please take the object off the table."
    case "place": "Please put the object on the table."
    case "flip": "Please turn the object over."
    case "height": "Please set the head to another height."
    default: "The rig asks: \(kind)."
    }
  }
}
