import Session
import Threads

/// Writes a session, on a thread of its own: one shot is stored while the table moves on.
actor ShotRecorder {
  private let executor = ThreadExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let library: SessionLibrary
  private let observer: WriteObserver?
  private let claim: StateClaim?
  private var open: OpenSession?
  /// Journal lines that a full disk has refused so far: they go first.
  private var owed: [JournalEntry] = []

  /// A store that can be handed around inside the actor.
  private final class OpenSession {
    var store: SessionStore
    init(_ store: consuming SessionStore) { self.store = store }
  }

  init(library: SessionLibrary, observer: WriteObserver?, claim: StateClaim?) {
    self.claim = claim
    self.library = library
    self.observer = observer
  }

  /// Makes a session and opens it. Refuses where pictures of `expectedBytes` would not fit above the disk floor.
  func create(
    expectedBytes: Int64, _ manifest: @Sendable (_ id: String, _ created: String) -> SessionManifest
  ) throws(ScanRefusal) -> SessionContents {
    do {
      try checkClaim()
      // before there is a session: one that was refused must not be offered for going on with
      try library.prepare(observer: observer)
      try check(free: try library.freeBytes(), for: expectedBytes)
      owed = []
      open = OpenSession(try library.create(observer: observer, manifest))
      guard let open else { throw ScanRefusal(.inputOutput, "no session") }
      return open.store.contents
    } catch let error as SessionError {
      open = nil
      throw ScanRefusal(error)
    } catch let refusal as ScanRefusal {
      open = nil
      throw refusal
    } catch {
      throw ScanRefusal(.inputOutput, "\(error)")
    }
  }

  /// Refuses where pictures of so many bytes would not fit above the disk floor.
  func check(roomFor bytes: Int64) throws(ScanRefusal) {
    let free: Int64
    do throws(SessionError) { free = try library.freeBytes() } catch {
      // whoever writes next says what has become of the folder
      if error.kind == .notFound { return }
      throw ScanRefusal(error)
    }
    try check(free: free, for: bytes)
  }

  private func checkClaim() throws(ScanRefusal) {
    do throws(SessionError) { try claim?.check() } catch { throw ScanRefusal(.inputOutput, error.description) }
  }

  private func check(free: Int64, for bytes: Int64) throws(ScanRefusal) {
    guard free - bytes < library.diskFloor else { return }
    let megabytes = { (n: Int64) in "\(n / 1_000_000) MB" }
    let need = megabytes(bytes + 999_999)
    throw ScanRefusal(
      .noSpace,
      "\(library.root): the scan needs about \(need), \(megabytes(free)) are free and \(megabytes(library.diskFloor)) stay reserved; free some space"
    )
  }

  /// The last session there is, where a scan may go on with it.
  func lastResumable() -> (id: String, shots: Int)? {
    guard open == nil, let last = try? library.last(), let contents = try? last.contents.get(), contents.isResumable
    else { return nil }
    return (last.id, contents.shots.count - (contents.missing(in: last.folder)?.shots.count ?? 0))
  }

  /// Takes up a session, where there is room for the pairs that are still to be taken. Pictures that are gone from its folder
  /// are noted there: they count no more.
  func resume(
    _ id: String, reason: String, bytesOfPair: Int64
  ) throws(ScanRefusal) -> (folder: String, contents: SessionContents, loss: ScanLoss?) {
    do {
      try checkClaim()
      let summary = try session(id)
      let contents = try summary.contents.get()
      guard contents.isResumable else {
        throw ScanRefusal(.badState, "session \(id) is \(contents.ended?.state ?? "closed"): it cannot be resumed")
      }
      let planned = contents.manifest.shotsPerPass * contents.manifest.passes
      let taken = contents.shots.count { $0.viewpoint != nil }
      try check(roomFor: Int64(max(0, planned - taken)) * bytesOfPair)
      let session = OpenSession(try SessionStore.open(summary.folder, observer: observer))
      let pass = session.store.contents.passes.last?.index
      var loss: ScanLoss?
      if let lost = session.store.missing { loss = try note(lost, pass: pass, in: session) }
      try session.store.append(.resumed(reason))
      owed = []
      open = session
      return (summary.folder, session.store.contents, loss)
    } catch let error as SessionError {
      throw ScanRefusal(error)
    } catch let refusal as ScanRefusal {
      throw refusal
    } catch {
      throw ScanRefusal(.inputOutput, "\(error)")
    }
  }

  private func session(_ id: String) throws -> SessionSummary {
    do throws(SessionError) { return try library.session(id) } catch {
      guard error.kind == .notFound else { throw error }
      throw ScanRefusal(.notFound, "there is no session \(id); see sessions")
    }
  }

  /// Notes in the journal that pictures are gone. Says what that means while `pass` is under way.
  private func note(_ lost: LostRecord, pass: Int?, in session: OpenSession) throws(SessionError) -> ScanLoss {
    let loss = ScanLoss(lost, of: session.store.contents, folder: session.store.folder, pass: pass)
    try session.store.append(.lost(lost))
    return loss
  }

  /// How many shots of the session are there in its folder, and what is gone of those that were; notes the latter.
  func account() -> (kept: Int, loss: ScanLoss?) {
    guard let open else { return (0, nil) }
    let count = open.store.contents.shots.count
    guard let lost = open.store.missing else { return (count, nil) }
    let loss = ScanLoss(lost, of: open.store.contents, folder: open.store.folder, pass: nil)
    owed.append(.lost(lost))
    try? settle(open)
    return (count - lost.shots.count, loss)
  }

  /// Which directions the session's shots have seen.
  func coverage() -> Coverage { open.map { Coverage($0.store.contents) } ?? Coverage() }

  /// Stores a pair of the object. Where the folder of its pass was removed, also says what went with it.
  func store(
    _ files: [PictureFile], pass: Int, viewpoint: Int?, axes: AxisAngles
  ) throws(ScanFault) -> (shot: ShotRecord, loss: ScanLoss?) {
    let session = try current()
    do throws(SessionError) {
      let free = try library.freeBytes()
      let needed = Int64(files[0].bytes.count + files[1].bytes.count)
      if free - needed < library.diskFloor {
        throw SessionError(
          .noSpace, path: library.root,
          operation: "keep \(library.diskFloor / 1_000_000) MB free, \(free / 1_000_000) MB are left",
          remedy: "free some space")
      }
      try settle(session)
      var loss: ScanLoss?
      if let lost = session.store.missing(ofPass: pass) { loss = try note(lost, pass: pass, in: session) }
      let shot = try session.store.addShot(
        pass: pass, viewpoint: viewpoint, axes: axes, left: files[0], right: files[1])
      return (shot, loss)
    } catch { throw ScanFault(disk: error) }
  }

  /// Stores the plates of the empty table.
  func store(_ plates: [Plate]) throws(ScanFault) {
    let session = try current()
    do throws(SessionError) {
      try settle(session)
      for plate in plates {
        _ = try session.store.addPlate(
          axes: plate.axes, left: plate.files[0], right: plate.files[1], format: plate.format)
      }
    } catch { throw ScanFault(disk: error) }
  }

  /// Adds a line. One that cannot be written now is owed and goes before the next.
  func append(_ entry: JournalEntry) throws(ScanFault) {
    let session = try current()
    owed.append(entry)
    do { try settle(session) } catch { throw ScanFault(disk: error) }
  }

  /// Adds a line now or not at all: for what somebody is told to be durable.
  func appendAtOnce(_ entry: JournalEntry) throws(ScanRefusal) {
    guard let open else { throw ScanRefusal(.badState, "no session is open") }
    do throws(SessionError) {
      try settle(open)
      try open.store.append(entry)
    } catch {
      var refusal = ScanRefusal(error)
      // the command names no session: what was not found is a file of the one that is open
      if refusal.kind == .notFound { refusal.kind = .inputOutput }
      throw refusal
    }
  }

  private func settle(_ session: OpenSession) throws(SessionError) {
    while let entry = owed.first {
      try session.store.append(entry)
      owed.removeFirst()
    }
  }

  /// Writes the coverage dial into a session's folder, open or not; it is no part of the session's truth.
  func write(_ files: [(name: String, bytes: [UInt8])], into folder: String) throws(ScanFault) -> [String] {
    do throws(SessionError) {
      for file in files { try DurableFolder(path: folder).write(file.bytes, as: file.name) }
      return files.map { "\(folder)/\($0.name)" }
    } catch { throw ScanFault(disk: error) }
  }

  /// Closes the session, for the next program to open.
  func close() { open = nil }

  private func current() throws(ScanFault) -> OpenSession {
    guard let open else { throw ScanFault(.other, "no session is open") }
    return open
  }
}

extension ScanRefusal {
  /// What a failure of the session's files means for a command.
  init(_ error: SessionError) {
    let kind: Kind =
      switch error.kind {
      case .notFound: .notFound
      case .busy: .busy
      case .noSpace: .noSpace
      case .unsupported, .damaged: .badState
      default: .inputOutput
      }
    self.init(kind, "\(error)")
  }
}
