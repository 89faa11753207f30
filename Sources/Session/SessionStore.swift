#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#endif

/// One encoded picture of a pair, on its way to disk.
public struct PictureFile: Sendable {
  /// The encoded picture.
  public var bytes: [UInt8]
  /// How it is encoded.
  public var format: PictureFormat
  /// Sensor time in nanoseconds.
  public var sensorTimestamp: Int64
  /// Controls read back from the frame's metadata.
  public var controls: CameraReadback
  /// Sharpness of the measured region.
  public var sharpness: Double
  /// Mean brightness 0…1.
  public var meanLuma: Double
  /// Share of clipped pixels 0…1.
  public var clipped: Double

  /// A picture and its record.
  public init(
    bytes: [UInt8], format: PictureFormat = .jpeg, sensorTimestamp: Int64, controls: CameraReadback, sharpness: Double,
    meanLuma: Double, clipped: Double
  ) {
    self.bytes = bytes
    self.format = format
    self.sensorTimestamp = sensorTimestamp
    self.controls = controls
    self.sharpness = sharpness
    self.meanLuma = meanLuma
    self.clipped = clipped
  }

  fileprivate func record(file: String) -> FrameRecord {
    FrameRecord(
      file: file, sensorTimestamp: sensorTimestamp, controls: controls, sharpness: sharpness, meanLuma: meanLuma,
      clipped: clipped)
  }
}

/// The one writer of a session folder: append-only, each shot durable before the call returns.
///
/// A picture is written to a temporary name, synchronised and renamed; then its folder is synchronised; then one line
/// goes to the journal and is synchronised. So whatever the journal names is on disk, and a power cut costs at most the
/// shot in flight. Nothing durable is ever changed, renamed or deleted.
///
/// Every call blocks on the disk: use it from a thread of its own. A call that throws has added nothing to the session
/// and may be repeated.
public struct SessionStore: ~Copyable, Sendable {
  /// The session folder.
  public let folder: String
  /// What the session holds so far.
  public private(set) var contents: SessionContents
  private let journal: FileDescriptor
  private var journalBytes: Int
  private var lastSequence: Int
  private var lastPlate: Int
  private let observer: WriteObserver?

  /// Makes a session in `folder`, which must not hold one yet.
  public static func create(_ folder: String, manifest: SessionManifest) throws(SessionError) -> SessionStore {
    try create(folder, manifest: manifest, observer: nil)
  }

  /// The same, watched between every two durable steps.
  package static func create(_ folder: String, manifest: SessionManifest, observer: WriteObserver?)
    throws(SessionError) -> SessionStore
  {
    guard access(SessionLayout.manifest(in: folder), F_OK) != 0 else {
      throw SessionError(.busy, path: folder, operation: "create a session where there is one")
    }
    try manifest.checkPlausible(SessionLayout.manifest(in: folder))
    let place = DurableFolder(path: folder, observer: observer)
    try place.make()
    try place.write(try encoded(manifest, path: SessionLayout.manifest(in: folder)), as: "session.json")
    try place.synchronise()
    return try open(folder, observer: observer)
  }

  /// Takes up the session in `folder`: replays the journal, cuts a torn last line and removes pictures that were only
  /// half written. Throws `.busy` while another
  /// program writes it, `.damaged` where the journal is not ours.
  public static func open(_ folder: String) throws(SessionError) -> SessionStore {
    try open(folder, observer: nil)
  }

  /// The same, watched between every two durable steps.
  package static func open(_ folder: String, observer: WriteObserver?) throws(SessionError) -> SessionStore {
    guard SessionLayout.hasHead(folder) else {
      throw SessionError(.notFound, path: folder, operation: "open session", errno: ENOENT)
    }
    let path = SessionLayout.journal(in: folder)
    if access(path, F_OK) != 0 { try PictureFolders(in: folder).checkUnwritten(path) }
    let journal = try FileDescriptor(opening: path, O_RDWR | O_CREAT)
    try journal.lock()
    let replayed = try SessionReader.replay(folder, limits: SessionReader.Limits())
    if try journal.length() != replayed.bytes {
      try journal.truncate(to: replayed.bytes)
      try journal.synchronise()
    }
    try journal.truncate(to: replayed.bytes)
    try DurableFolder(path: folder, observer: observer).synchronise()
    return try SessionStore(
      folder: folder, contents: replayed.contents, journal: journal, journalBytes: replayed.bytes, observer: observer)
  }

  private init(
    folder: String, contents: SessionContents, journal: consuming FileDescriptor, journalBytes: Int,
    observer: WriteObserver?
  ) throws(SessionError) {
    self.folder = folder
    self.contents = contents
    self.journal = journal
    self.journalBytes = journalBytes
    self.observer = observer
    // Pictures that no line names stay where they are; their numbers are not used again.
    lastSequence = contents.lastSequence
    lastPlate = 0
    for name in try DurableFolder.names(in: folder) {
      guard SessionLayout.pass(of: name) != nil || name == SessionLayout.plates else { continue }
      let files = try DurableFolder.names(in: "\(folder)/\(name)")
      // a kill leaves them, nobody reads them, and only now is it certain that nobody writes them
      for file in files where SessionLayout.isUnfinishedPicture(file) { unlink("\(folder)/\(name)/\(file)") }
      let numbers = files.compactMap(SessionLayout.sequence(of:))
      if name == SessionLayout.plates {
        lastPlate = max(lastPlate, numbers.max() ?? 0)
      } else {
        lastSequence = max(lastSequence, numbers.max() ?? 0)
      }
    }
  }

  /// Adds a pair of the object. Returns its record once it is durable.
  public mutating func addShot(
    pass: Int, viewpoint: Int?, axes: AxisAngles, left: PictureFile, right: PictureFile
  ) throws(SessionError) -> ShotRecord {
    let sequence = lastSequence + 1
    lastSequence = sequence
    let files = try writePair(
      in: SessionLayout.pass(pass), (left.bytes, SessionLayout.picture(sequence, "left", left.format)),
      (right.bytes, SessionLayout.picture(sequence, "right", right.format)))
    let shot = ShotRecord(
      sequence: sequence, pass: pass, viewpoint: viewpoint, axes: axes, left: left.record(file: files.left),
      right: right.record(file: files.right))
    try append(.shot(shot))
    return shot
  }

  /// Adds a pair of the empty table, encoded already. Returns its record once it is durable.
  public mutating func addPlate(
    axes: AxisAngles, left: [UInt8], right: [UInt8], format: PictureFormat = .jpeg
  ) throws(SessionError) -> PlateRecord {
    let sequence = lastPlate + 1
    lastPlate = sequence
    let files = try writePair(
      in: SessionLayout.plates, (left, SessionLayout.picture(sequence, "left", format)),
      (right, SessionLayout.picture(sequence, "right", format)))
    let plate = PlateRecord(axes: axes, left: files.left, right: files.right)
    try append(.plate(plate))
    return plate
  }

  /// Pictures that the journal names and that are gone from the folder; nil where all are there.
  public var missing: LostRecord? { contents.missing(in: folder) }

  /// What is missing of a pass whose folder is gone as a whole; nil where it is there, or holds nothing yet.
  public func missing(ofPass pass: Int) -> LostRecord? {
    guard access("\(folder)/\(SessionLayout.pass(pass))", F_OK) != 0,
      contents.shots.contains(where: { $0.pass == pass })
    else { return nil }
    return missing
  }

  /// Where somebody removed the folder, or put another in its place, writing on would succeed and be for nothing.
  private func checkPlace() throws(SessionError) {
    guard try !journal.isStillAtItsPath() else { return }
    let what = access(SessionLayout.manifest(in: folder), F_OK) == 0 ? "journal" : "folder"
    throw SessionError(
      .notFound, path: folder, operation: "write: the session's \(what) is gone or has been replaced",
      remedy: "put it back")
  }

  private func writePair(
    in subfolder: String, _ left: (bytes: [UInt8], name: String), _ right: (bytes: [UInt8], name: String)
  ) throws(SessionError) -> (left: String, right: String) {
    try checkPlace()
    let place = DurableFolder(path: "\(folder)/\(subfolder)", observer: observer)
    try place.make()
    for picture in [left, right] { try place.write(picture.bytes, as: picture.name) }
    try place.synchronise()
    return ("\(subfolder)/\(left.name)", "\(subfolder)/\(right.name)")
  }

  /// Adds one line to the journal, durably. A line that could not be written whole is taken back.
  public mutating func append(_ entry: JournalEntry) throws(SessionError) {
    if let objection = contents.objection(to: entry) {
      throw SessionError(.damaged, path: folder, operation: objection)
    }
    try checkPlace()
    let line = try Self.encoded(entry, path: journal.path) + [UInt8(ascii: "\n")]
    do throws(SessionError) {
      try journal.write(line[...]) { observer?(.lineHalfWritten) }
      observer?(.lineWritten)
      try journal.synchronise(metadata: false)
    } catch {
      try? journal.truncate(to: journalBytes)
      throw error
    }
    journalBytes += line.count
    contents.replay(entry)
    observer?(.lineSynchronised)
  }

  private static func encoded(_ value: some Encodable, path: String) throws(SessionError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return [UInt8](try encoder.encode(value))
    } catch {
      throw SessionError(.damaged, path: path, operation: "encode: \(error)")
    }
  }
}
