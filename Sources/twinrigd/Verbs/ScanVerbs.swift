import Capture
import Control
import Session

extension Station {
  /// Guided capture.
  var scanVerbs: [Command] {
    [
      Command(
        "capture start",
        keys: [
          Parameter("name", .freeText, "what to call it"),
          Parameter("shots", .integer(4...400), "stops of the turntable in a pass"),
          Parameter("passes", .integer(1...9), "passes"),
          Parameter("detail", .choice(["preview", "reduced", "medium"]), "the model's detail"),
          Parameter("overcapture", .yesNo, "more shots than this rig will use, kept for a bigger machine"),
          Parameter("box", .numbers(count: 6, unit: "mm"), "the object's box: x0,y0,z0,x1,y1,z1")
        ], summary: "starts a scan"
      ) { [self] call throws(Refusal) in try await start(call) },
      Command("capture pause", summary: "pauses after the shot in flight") { [self] _ throws(Refusal) in
        try await scanCommand { try await $0.pause() }
      },
      Command(
        "capture resume", words: .optional(Parameter("ID", .text, "a session that a crash or a fault interrupted")),
        summary: "goes on after a pause, or takes up a session"
      ) { [self] call throws(Refusal) in try await resume(call.words.first) },
      Command("capture cancel", summary: "gives the scan up; what was taken is kept") { [self] _ throws(Refusal) in
        try await scanCommand { try await $0.cancel() }
      },
      Command("capture finish", summary: "ends the scan with what there is") { [self] _ throws(Refusal) in
        try await scanCommand { try await $0.finish() }
      },
      Command("shot", summary: "takes a pair by hand") { [self] _ throws(Refusal) in
        try await scanCommand { try await $0.shot() }
      },
      Command(
        "box", keys: [Parameter("set", .numbers(count: 6, unit: "mm"), "corners: x0,y0,z0,x1,y1,z1")],
        summary: "shows the object's box, or sets it"
      ) { [self] call throws(Refusal) in try await box(call.numbers("set")) },
      Command("box reset", summary: "goes back to the box that was found") { [self] _ throws(Refusal) in
        try await change(.reset)
      },
      Command("coverage", summary: "says which directions have enough pictures, and draws the dial") {
        [self] _ throws(Refusal) in try await coverage()
      },
      Command(
        "answer",
        words: .required(
          Parameter("ID", .integer(1...Int(Int32.max)), "the prompt's number"),
          Parameter("CHOICE", .choice(ScanChoice.allCases.map(\.rawValue)), "one of the prompt's options")),
        summary: "answers a prompt"
      ) { [self] call throws(Refusal) in try await answer(call.words) }
    ]
  }

  private func start(_ call: Invocation) async throws(Refusal) -> Reply {
    try await refuseWhileMoving()
    let configured = configuration.scanRequest
    var request = ScanRequest(
      name: call.text("name") ?? configured.name, shots: call.integer("shots") ?? configured.shots,
      passes: call.integer("passes") ?? configured.passes, detail: call.text("detail") ?? configured.detail,
      overcapture: call.flag("overcapture") ?? configured.overcapture)
    if let box = call.numbers("box") { request.box = Self.corners(box) }
    // the session is durable before it is answered for
    return try await promptly { [scans, request] () async throws(Refusal) in
      let (job, session) = try await Self.blaming("box") { try await scans.start(request) }
      return Reply(ok: ["job": .integer(job), "session": .text(session)])
    }
  }

  private func resume(_ session: String?) async throws(Refusal) -> Reply {
    guard let session else {
      // whether there is room for the rest is asked of the disk
      return try await promptly { [self] () async throws(Refusal) in
        try await scanCommand { try await $0.unpause() }
      }
    }
    try await refuseWhileMoving()
    return try await promptly { [scans] () async throws(Refusal) in
      let job = try await inProtocolTerms(["session": .text(session)]) { try await scans.takeUp(session) }
      return Reply(ok: ["job": .integer(job), "session": .text(session)])
    }
  }

  private func scanCommand(
    _ command: @Sendable (ScanController) async throws -> Void
  ) async throws(Refusal) -> Reply {
    let job = await scans.currentJob
    try await inProtocolTerms { try await command(self.controller) }
    return Reply(ok: job.map { ["job": .integer($0)] } ?? [:])
  }

  private func box(_ numbers: [Double]?) async throws(Refusal) -> Reply {
    guard let numbers else {
      let status = await controller.status
      guard let record = status.box else {
        throw Refusal(.badState, "there is no box yet; the state is \(status.state.rawValue)")
      }
      return Reply(ok: ["box": .box(record), "pass": .integer(record.pass), "by_hand": .flag(record.byHand)])
    }
    let corners = Self.corners(numbers)
    return try await change(.set(min: corners.min, max: corners.max))
  }

  /// The box is durable before it is answered for.
  private func change(_ change: BoxChange) async throws(Refusal) -> Reply {
    try await promptly { [controller] () async throws(Refusal) in
      let record = try await Self.blaming("set") { try await controller.box(change) }
      return Reply(ok: ["box": .box(record), "pass": .integer(record.pass), "by_hand": .flag(record.byHand)])
    }
  }

  private func coverage() async throws(Refusal) -> Reply {
    try await promptly(
      told: { [jobs] job, reply in
        for file in reply.data {
          await jobs.tell(.file(job: job, kind: "coverage", path: file.text("file") ?? "", model: nil))
        }
      },
      { [controller] () async throws(Refusal) in
        let summary = await controller.coverage
        let paths = try await inProtocolTerms { try await controller.writeCoverage() }
        return Reply(
          data: paths.map { ["file": .text($0)] },
          ok: [
            "covered": .integer(summary.covered), "of": .integer(summary.of), "pictures": .integer(summary.pictures)
          ])
      })
  }

  private func answer(_ words: [String]) async throws(Refusal) -> Reply {
    guard let id = Int(words[0]), let choice = ScanChoice(rawValue: words[1]) else {
      throw Refusal(.internal, "a checked word was not one")
    }
    let job = await scans.currentJob
    try await inProtocolTerms(["prompt": .integer(id)]) { try await self.controller.answer(id, choice) }
    return Reply(ok: job.map { ["job": .integer($0)] } ?? [:])
  }

  /// Work that finds fault with one value alone: the key that it stood at.
  private static func blaming<Value: Sendable>(
    _ key: String, _ work: () async throws -> Value
  ) async throws(Refusal) -> Value {
    do throws(Refusal) { return try await inProtocolTerms([:], work) } catch {
      guard error.token == .badArgument else { throw error }
      throw Refusal(error.token, error.message, error.fields + ["key": .text(key)])
    }
  }

  private static func corners(_ numbers: [Double]) -> (min: SIMD3<Double>, max: SIMD3<Double>) {
    (SIMD3(numbers[0], numbers[1], numbers[2]), SIMD3(numbers[3], numbers[4], numbers[5]))
  }
}
