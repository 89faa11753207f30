import Control
import Session
import Threads

/// What a list says about one session.
struct SessionLine: Sendable {
  /// What is said about one that can be read.
  struct Digest: Sendable {
    var name: String
    var created: String
    var ended: String?
    var passes: Int
    var shots: Int
    var isResumable: Bool
  }

  let id: String
  let folder: String
  let digest: Result<Digest, SessionError>

  init(_ summary: SessionSummary) {
    id = summary.id
    folder = summary.folder
    digest = summary.contents.map { contents in
      Digest(
        name: contents.manifest.name, created: contents.manifest.created, ended: contents.ended?.state,
        passes: contents.passes.count, shots: contents.shots.count, isResumable: contents.isResumable)
    }
  }

  /// The line on the wire; `running` is the session that is being scanned.
  func fields(running: String?) -> Fields {
    switch digest {
    case .failure(let error): return ["id": .text(id), "state": "damaged", "reason": .text(error.description)]
    case .success(let digest):
      let isRunning = id == running
      return [
        "id": .text(id), "name": .text(digest.name), "created": .text(digest.created),
        "state": isRunning ? "running" : .text(digest.ended ?? "interrupted"), "passes": .integer(digest.passes),
        "shots": .integer(digest.shots), "resumable": .flag(!isRunning && digest.isResumable), "folder": .text(folder)
      ]
    }
  }
}

/// The list of sessions. A station that has been at work for a year has hundreds of them, and a request is answered in a
/// fifth of a second: a session is read again only where it has changed, and only once however many ask.
actor SessionIndex {
  private typealias Reading = Task<Result<[SessionLine], SessionError>, Never>

  private let library: SessionLibrary
  private var known: [String: (mark: SessionMark, line: SessionLine)] = [:]
  private var underway: Reading?
  /// Begins when the one under way has ended. Whoever asks meanwhile gets its result: the other may have looked too early.
  private var following: Reading?

  init(_ library: SessionLibrary) { self.library = library }

  /// Every session in the order they were made.
  func lines() async throws(SessionError) -> [SessionLine] {
    let reading: Reading
    if let following {
      reading = following
    } else if let before = underway {
      reading = Task {
        _ = await before.value
        self.promote()
        return await self.read()
      }
      following = reading
    } else {
      reading = Task { await self.read() }
      underway = reading
    }
    return try await reading.value.get()
  }

  private func promote() {
    underway = following
    following = nil
  }

  private func read() async -> Result<[SessionLine], SessionError> {
    let (library, known) = (library, known)
    let result = await BlockingThread.result("sessions") {
      Result { () throws(SessionError) in try Self.lines(of: library, known: known) }
    }
    underway = nil
    return result.map { entries in
      self.known = Dictionary(entries.map { ($0.line.id, $0) }) { first, _ in first }
      return entries.map(\.line)
    }
  }

  private static func lines(
    of library: SessionLibrary, known: [String: (mark: SessionMark, line: SessionLine)]
  ) throws(SessionError) -> [(mark: SessionMark, line: SessionLine)] {
    var entries: [(mark: SessionMark, line: SessionLine)] = []
    for mark in try library.marks() {
      if let entry = known[mark.id], entry.mark == mark {
        entries.append(entry)
      } else if let summary = try? library.session(mark) {
        entries.append((mark, SessionLine(summary)))
      }
    }
    return entries
  }
}
