import Capture
import Control

extension Station {
  /// Every verb whose feature exists, in the order of the protocol.
  var table: CommandTable {
    CommandTable(
      talkVerbs + scanVerbs + resultVerbs + jobVerbs + headVerbs + rigVerbs,
      eventClasses: [.state, .progress, .coverage, .feedback, .prompt, .sample, .file, .battery, .button, .device],
      jobIsRunning: { [jobs] in await jobs.isRunning($0) })
  }

  /// Refuses while a person moves an axis.
  func refuseWhileMoving() async throws(Refusal) {
    if await motion.isBusy { throw Refusal(.busy, "an axis moves at somebody's wish; stop it first") }
  }
}

/// Runs a piece of work that refuses in its module's terms, and says it in the protocol's.
func inProtocolTerms<Value: Sendable>(
  _ fields: Fields = [:], _ work: () async throws -> Value
) async throws(Refusal) -> Value {
  do {
    return try await work()
  } catch {
    throw Refusal(translating: error, fields)
  }
}
