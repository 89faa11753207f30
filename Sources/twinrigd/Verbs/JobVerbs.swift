import Capture
import Control

extension Station {
  /// Jobs.
  var jobVerbs: [Command] {
    let id = Parameter("ID", .integer(1...Int(Int32.max)), "a job's number")
    return [
      Command("jobs", summary: "lists what runs and what ended lately") { [jobs] _ in
        let list = await jobs.jobs
        return Reply(data: list.map { .job($0) }, ok: ["count": .integer(list.count)])
      },
      Command("job", words: .required(id), summary: "shows one job") { [self] call throws(Refusal) in
        let job = Self.number(call)
        return Reply(data: [.job(try await inProtocolTerms(["job": .integer(job)]) { try await self.jobs.job(job) })])
      },
      Command("job pause", words: .required(id), summary: "stops a job for the time being") {
        [self] call throws(Refusal) in try await change(call) { try await $0.pause($1) }
      },
      Command("job resume", words: .required(id), summary: "lets a job go on") { [self] call throws(Refusal) in
        try await change(call) { try await $0.resume($1) }
      },
      Command("job cancel", words: .required(id), summary: "gives a job up") { [self] call throws(Refusal) in
        try await change(call) { try await $0.cancel($1) }
      }
    ]
  }

  private func change(
    _ call: Invocation, _ change: @Sendable (JobTable, Int) async throws -> JobRecord
  ) async throws(Refusal) -> Reply {
    let job = Self.number(call)
    let record = try await inProtocolTerms(["job": .integer(job)]) { try await change(self.jobs, job) }
    return Reply(ok: ["job": .integer(job), "state": .text(record.phase)])
  }

  private static func number(_ call: Invocation) -> Int { Int(call.words[0]) ?? 0 }
}
