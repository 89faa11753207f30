import Codecs
import Imaging
import Rig
import Session
import Threads

/// Encodes pictures and writes a session, on a thread of its own: one shot is stored while the table moves on.
actor ShotRecorder {
  private let executor = ThreadExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let library: SessionLibrary
  private let quality: Int
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

  init(library: SessionLibrary, quality: Int, observer: WriteObserver?, claim: StateClaim?) {
    self.claim = claim
    self.library = library
    self.quality = quality
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

  private func checkClaim() throws(ScanRefusal) {
    do throws(SessionError) { try claim?.check() } catch { throw ScanRefusal(.inputOutput, error.description) }
  }

  private func check(free: Int64, for bytes: Int64) throws(ScanRefusal) {
    guard free - bytes < library.diskFloor else { return }
    let megabytes = { (n: Int64) in "\(n / 1_000_000) MB" }
    throw ScanRefusal(
      .noSpace,
      "\(library.root): the scan needs about \(megabytes(bytes)), \(megabytes(free)) are free and \(megabytes(library.diskFloor)) stay reserved; free some space"
    )
  }

  /// The last session there is, where a scan may go on with it.
  func lastResumable() -> (id: String, shots: Int)? {
    guard open == nil, let last = try? library.last(), let contents = try? last.contents.get(), contents.isResumable
    else { return nil }
    return (last.id, contents.shots.count)
  }

  /// Takes up a session.
  func resume(_ id: String, reason: String) throws(ScanRefusal) -> (folder: String, contents: SessionContents) {
    do {
      let summary = try library.session(id)
      let contents = try summary.contents.get()
      try checkClaim()
      guard contents.isResumable else {
        throw ScanRefusal(.badState, "session \(id) is \(contents.ended?.state ?? "closed"): it cannot be resumed")
      }
      let session = OpenSession(try SessionStore.open(summary.folder, observer: observer))
      owed = []
      open = session
      try session.store.append(.resumed(reason))
      return (summary.folder, session.store.contents)
    } catch let error as SessionError {
      throw ScanRefusal(error)
    } catch let refusal as ScanRefusal {
      throw refusal
    } catch {
      throw ScanRefusal(.inputOutput, "\(error)")
    }
  }

  /// Encodes and stores a pair of the object.
  func store(
    _ pair: PairPicture, _ measures: [ShotMeasure], pass: Int, viewpoint: Int?, axes: AxisAngles
  ) throws(ScanFault) -> ShotRecord {
    let files = try zip(pair.sides, measures).map { (side, measure) throws(ScanFault) in
      PictureFile(
        bytes: try encode(side.image), sensorTimestamp: side.sensorTimestamp, controls: side.readback,
        sharpness: measure.sharpness, meanLuma: measure.brightness.mean, clipped: measure.brightness.clipped)
    }
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
      return try session.store.addShot(
        pass: pass, viewpoint: viewpoint, axes: axes, left: files[0], right: files[1])
    } catch { throw ScanFault(disk: error) }
  }

  /// Stores the plates of the empty table.
  func store(_ plates: [Plate]) throws(ScanFault) {
    let session = try current()
    do throws(SessionError) {
      try settle(session)
      for plate in plates {
        _ = try session.store.addPlate(axes: plate.axes, left: plate.files[0], right: plate.files[1])
      }
    } catch { throw ScanFault(disk: error) }
  }

  /// Adds a line. One that cannot be written now is owed and goes before the next.
  func append(_ entry: JournalEntry) throws(ScanFault) {
    let session = try current()
    owed.append(entry)
    do { try settle(session) } catch { throw ScanFault(disk: error) }
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

  private func encode(_ image: RGBImage) throws(ScanFault) -> [UInt8] {
    do { return try JPEG.encode(image, quality: quality) } catch {
      throw ScanFault(.other, "encode a picture: \(error)")
    }
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
