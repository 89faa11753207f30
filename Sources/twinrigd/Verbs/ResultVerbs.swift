import Capture
import Control
import Session
import Threads

extension Station {
  /// Sessions and models.
  var resultVerbs: [Command] {
    [
      Command("sessions", summary: "lists the sessions") { [self] _ throws(Refusal) in try await listSessions() },
      Command(
        "session", words: .required(Parameter("ID", .text, "a session")), summary: "shows one session"
      ) { [self] call throws(Refusal) in try await showSession(call.words[0]) },
      Command(
        "reconstruct", words: .required(Parameter("SESSION", .text, "a session")),
        keys: [
          Parameter("detail", .choice(["preview", "reduced", "medium"]), "the model's detail"),
          Parameter("output", .choices(["model", "poses", "bounds", "pointcloud"]), "what is wanted")
        ], summary: "makes a model of a session"
      ) { [self] call throws(Refusal) in try await reconstruct(call) },
      Command("models", summary: "lists the models") { [models] _ throws(Refusal) in
        let survey = try await offPool { Result { try models.survey() } }
        let rest: [Fields] = survey.damaged.map {
          ["id": .text($0.id), "state": "damaged", "reason": .text($0.error.description)]
        }
        return Reply(
          data: survey.models.map { .model($0) } + rest, ok: ["count": .integer(survey.models.count + rest.count)])
      },
      Command(
        "model", words: .required(Parameter("ID", .text, "a model")), summary: "shows one model"
      ) { [models] call throws(Refusal) in
        let id = call.words[0]
        return try await Self.model(id) { try models.model(id) }
      },
      Command(
        "model set", words: .required(Parameter("ID", .text, "a model")),
        keys: [
          Parameter("name", .freeText, "what people call it"), Parameter("description", .freeText, "a sentence"),
          Parameter("url", .freeText, "a page about it"), Parameter("price", .freeText, "what it costs")
        ], summary: "changes what is said about a model; an empty text removes it"
      ) { [self] call throws(Refusal) in
        let id = call.words[0]
        let models = models
        let change = ModelRecord.Change(
          name: call.text("name"), description: call.text("description"), url: call.text("url"),
          price: call.text("price"))
        guard change != ModelRecord.Change() else {
          throw Refusal(.badArgument, "model set needs at least one of name=, description=, url=, price=")
        }
        // the change is durable before it is answered for
        return try await promptly { () async throws(Refusal) in
          try await Self.model(id) { try models.change(id, change) }
        }
      }
    ]
  }

  private func listSessions() async throws(Refusal) -> Reply {
    let list = try await inProtocolTerms { try await self.index.lines() }
    let running = await runningSession
    return Reply(data: list.map { $0.fields(running: running) }, ok: ["count": .integer(list.count)])
  }

  private func showSession(_ id: String) async throws(Refusal) -> Reply {
    let summary = try await summary(of: id)
    var data: [Fields] = [SessionLine(summary).fields(running: await runningSession)]
    guard case .success(let contents) = summary.contents else { return Reply(data: data) }
    for pass in contents.passes {
      data.append([
        "pass": .integer(pass.index), "kind": .text(pass.kind.rawValue),
        "shots": .integer(contents.shots.count { $0.pass == pass.index }),
        "complete": .flag(contents.completedPasses.contains(pass.index)), "box": .box(contents.boxes[pass.index])
      ])
    }
    return Reply(data: data)
  }

  private var runningSession: String? {
    get async {
      let status = await controller.status
      return status.state.isIdle ? nil : status.session
    }
  }

  private func reconstruct(_ call: Invocation) async throws(Refusal) -> Reply {
    let id = call.words[0]
    let summary = try await summary(of: id)
    if await runningSession == id {
      throw Refusal(.busy, "session \(id) is being scanned", ["session": .text(id)])
    }
    let contents = try await inProtocolTerms(["session": .text(id)]) { try summary.contents.get() }
    guard !contents.shots.isEmpty else {
      throw Refusal(.badState, "session \(id) has no shots", ["session": .text(id)])
    }
    let request = ReconstructionRequest(
      session: id, folder: summary.folder, detail: call.text("detail") ?? contents.manifest.detail,
      name: contents.manifest.name, outputs: call.list("output") ?? ["model"])
    let job = try await inProtocolTerms { try await self.reconstructions.enqueue(request) }
    return Reply(ok: ["job": .integer(job), "session": .text(id)])
  }

  /// Makes the model of a scan that was completed, where that is wanted.
  func follow(_ session: String) async -> Result<Int?, Refusal> {
    guard configuration.reconstruction.automatic else { return .success(nil) }
    do throws(Refusal) {
      let summary = try await summary(of: session)
      let job = try await inProtocolTerms {
        let manifest = try summary.contents.get().manifest
        return try await self.reconstructions.enqueue(
          ReconstructionRequest(
            session: session, folder: summary.folder, detail: manifest.detail, name: manifest.name), waits: true)
      }
      return .success(job)
    } catch {
      return .failure(error)
    }
  }

  /// A session of the library.
  private func summary(of id: String) async throws(Refusal) -> SessionSummary {
    let sessions = sessions
    return try await Self.found("session", id) { try sessions.session(id) }
  }

  /// What is told of a model after something was done to it, or nothing but read.
  private static func model(
    _ id: String, _ work: @escaping @Sendable () throws -> LibraryModel
  ) async throws(Refusal) -> Reply {
    let model = try await found("model", id, work)
    return Reply(data: [.model(model) + .details(of: model)])
  }

  /// Something that is kept under a name; `noun` is also what its list is called but for the plural's s.
  private static func found<Value: Sendable>(
    _ noun: String, _ id: String, _ work: @escaping @Sendable () throws -> Value
  ) async throws(Refusal) -> Value {
    do throws(Refusal) { return try await offPool([noun: .text(id)]) { Result { try work() } } } catch {
      guard error.token == .notFound else { throw error }
      throw Refusal(.notFound, "there is no \(noun) \(id); see \(noun)s", [noun: .text(id)])
    }
  }
}

/// Lets a few in at a time: whoever asks again and again without waiting for answers must not fill the agent with threads.
private actor Turnstile {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ places: Int) { free = places }

  func enter() async {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
  }

  func leave() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}

private let files = Turnstile(4)

/// Reads files on a thread of its own; errors come out in the protocol's terms.
func offPool<Value: Sendable>(
  _ fields: Fields = [:], _ work: @escaping @Sendable () -> Result<Value, any Error>
) async throws(Refusal) -> Value {
  await files.enter()
  let result = await BlockingThread.result("files", work)
  await files.leave()
  switch result {
  case .success(let value): return value
  case .failure(let error): throw Refusal(translating: error, fields)
  }
}

extension Fields {
  /// Sizes are centimetres, as shops show them.
  static func model(_ model: LibraryModel) -> Fields {
    let size = model.record.size.map { $0 / 10 }
    return [
      "id": .text(model.record.id), "name": .text(model.record.name), "file": .text(model.file),
      "bytes": .integer(model.bytes), "x": .number(size?.x, decimals: 2), "y": .number(size?.y, decimals: 2),
      "z": .number(size?.z, decimals: 2)
    ]
  }

  static func details(of model: LibraryModel) -> Fields {
    [
      "description": .text(orNone: model.record.description), "url": .text(orNone: model.record.url),
      "price": .text(orNone: model.record.price), "session": .text(orNone: model.record.session),
      "created": .text(model.record.created), "glb": .text(model.webFile), "preview": .text(model.preview),
      "report": .text(model.report)
    ]
  }
}
