import Files
import Session
import Synchronization
import Threads

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is wanted of a reconstruction.
public struct ReconstructionRequest: Sendable, Codable, Hashable {
  /// The session.
  public var session: String
  /// Its folder.
  public var folder: String
  /// The level of detail.
  public var detail: String
  /// What the model is called.
  public var name: String
  /// The kinds of files that are wanted: `model`, `poses`, `bounds`, `pointcloud`.
  public var outputs: [String]

  /// A request from its parts.
  public init(
    session: String, folder: String, detail: String = "reduced", name: String = "", outputs: [String] = ["model"]
  ) {
    self.session = session
    self.folder = folder
    self.detail = detail
    self.name = name
    self.outputs = outputs
  }
}

/// What must survive a restart: the last job's number, and reconstructions that were asked for and have not ended. A power
/// cut in the middle of one lets the next start take it up again, from its checkpoints.
public final class JobLedger: Sendable {
  private struct Content: Codable {
    var lastJob = 0
    var open: [ReconstructionRequest] = []
    /// Sessions of those that a person has paused; older ledgers do not say.
    var paused: [String]?
  }

  private struct State {
    var content: Content
    var isDirty = false
    var isWriting = false
    /// Why the last writing failed.
    var fault: SessionError?
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// Job numbers are shorter than the protocol's numbers, with room for more jobs than a station ever does.
  private static let largestNumber = 1 << 30

  private let folder: DurableFolder
  private let claim: StateClaim?
  private let path: String
  private let state: Mutex<State>
  /// What was wrong with the one that was found.
  private let damage: SessionError?
  private let report: @Sendable (SessionError) -> Void

  /// The ledger in a folder, which is made if need be. One that cannot be read is set aside and counts as empty. That, and
  /// faults of later writes, go to `report`: a full disk must not stop a job.
  public init(
    folder: String, claim: StateClaim? = nil, report: @escaping @Sendable (SessionError) -> Void
  ) throws(SessionError) {
    self.claim = claim
    self.folder = DurableFolder(path: folder)
    self.report = report
    path = "\(folder)/jobs.json"
    try self.folder.makeAll()
    var found = Content()
    var damage: SessionError?
    do throws(SessionError) { found = try Self.content(path, in: self.folder) } catch { damage = error }
    self.damage = damage
    state = Mutex(State(content: found))
    if let damage { report(damage) }
  }

  /// What the ledger says. One that cannot be read is set aside before anybody writes a new one over it.
  private static func content(_ path: String, in folder: DurableFolder) throws(SessionError) -> Content {
    let bytes: [UInt8]
    do throws(SessionError) { bytes = try DurableFolder.read(path, limit: 1 << 20) } catch {
      if error.kind == .notFound { return Content() }
      throw try setAside(path, in: folder, error.fault)
    }
    let fault: String
    do throws(DamagedJSON) {
      let content = try JSONInput.decode(Content.self, from: bytes)
      if (0...largestNumber).contains(content.lastJob) { return content }
      fault = "\"lastJob\" is \(content.lastJob)"
    } catch {
      fault = "\(error)"
    }
    throw try setAside(path, in: folder, fault)
  }

  private static func setAside(
    _ path: String, in folder: DurableFolder, _ fault: String
  ) throws(SessionError) -> SessionError {
    let copy = try folder.setAside("jobs.json")
    return SessionError(
      .damaged, path: path, operation: "\(fault); jobs begin at 1 again, and none is taken up",
      remedy: "it is kept as \(copy): see there what was to be reconstructed")
  }

  /// What is wrong with it, nil where nothing is: it could not be written the last time, or what this program found at its
  /// start could not be read.
  public var trouble: SessionError? { state.withLock { $0.fault } ?? damage }

  /// The last number given to a job.
  public var lastJob: Int { state.withLock { $0.content.lastJob } }

  /// Reconstructions that were asked for and have not ended, oldest first.
  public var openReconstructions: [ReconstructionRequest] { state.withLock { $0.content.open } }

  /// Whether a person has paused the session's reconstruction.
  public func isPaused(_ session: String) -> Bool { state.withLock { $0.content.paused?.contains(session) ?? false } }

  func note(paused: Bool, _ session: String) {
    change { content in
      var sessions = content.paused?.filter { $0 != session } ?? []
      if paused { sessions.append(session) }
      content.paused = sessions
    }
  }

  func note(lastJob: Int) { change { $0.lastJob = max($0.lastJob, lastJob) } }

  func begin(_ request: ReconstructionRequest) {
    change { content in
      content.open.removeAll { $0.session == request.session }
      content.open.append(request)
    }
  }

  func end(session: String) {
    change { content in
      content.open.removeAll { $0.session == session }
      content.paused?.removeAll { $0 == session }
    }
  }

  /// Waits until everything is on disk.
  public func flush() async {
    await withCheckedContinuation { continuation in
      let isClean = state.withLock { state in
        if state.isWriting { state.waiting.append(continuation) }
        return !state.isWriting
      }
      if isClean { continuation.resume() }
    }
  }

  private func change(_ edit: (inout Content) -> Void) {
    let mustStart = state.withLock { state in
      edit(&state.content)
      state.isDirty = true
      defer { state.isWriting = true }
      return !state.isWriting
    }
    // A card may take a second to synchronise: nobody waits for that.
    if mustStart, BlockingThread.start("job-ledger", { self.write() }) != 0 { write() }
  }

  /// Writes until nothing has changed meanwhile.
  private func write() {
    while let content = nextContent() {
      do throws(SessionError) {
        guard let bytes = try? JSONEncoder().encode(content) else { continue }
        try claim?.check()
        try folder.write(Array(bytes), as: "jobs.json")
        try folder.synchronise()
        state.withLock { $0.fault = nil }
      } catch {
        state.withLock { $0.fault = error }
        report(error)
      }
    }
  }

  private func nextContent() -> Content? {
    let (content, waiting) = state.withLock { state in
      defer { state.isDirty = false }
      if state.isDirty { return (Optional(state.content), [] as [CheckedContinuation<Void, Never>]) }
      state.isWriting = false
      defer { state.waiting = [] }
      return (nil, state.waiting)
    }
    for continuation in waiting { continuation.resume() }
    return content
  }
}
