import CLinux

#if canImport(Glibc)
  import Glibc
#endif

/// One line of a list of sessions.
public struct SessionSummary: Sendable {
  /// The session's name on the socket.
  public var id: String
  /// Its folder.
  public var folder: String
  /// What it holds, or why it cannot be read.
  public var contents: Result<SessionContents, SessionError>

  /// Whether a scan may go on where this one stopped.
  public var isResumable: Bool { (try? contents.get().isResumable) ?? false }
}

/// Where a session is, and a mark that is another one once anything has been added to it.
package struct SessionMark: Sendable, Hashable {
  /// The session's name on the socket.
  package var id: String
  /// Its folder.
  package var folder: String
  /// The journal's inode, length and time of change.
  package var journal: [Int]
}

/// All sessions under one folder. Deletes nothing.
public struct SessionLibrary: Sendable {
  /// The folder that holds a folder a session.
  public let root: String
  /// Free space below which no picture is taken, in bytes.
  public var diskFloor: Int64

  /// The library in `root`, which is made when the first session is.
  public init(root: String, diskFloor: Int64 = 500_000_000) {
    self.root = root
    self.diskFloor = diskFloor
  }

  /// Every session, in the order they were made.
  public func sessions() throws(SessionError) -> [SessionSummary] {
    try ids().map(summary)
  }

  /// Every session in the order they were made, without reading any of them.
  package func marks() throws(SessionError) -> [SessionMark] {
    try ids().map { id in
      let folder = folder(of: id)
      var status = stat()
      guard stat(SessionLayout.journal(in: folder), &status) == 0 else {
        return SessionMark(id: id, folder: folder, journal: [])
      }
      return SessionMark(
        id: id, folder: folder,
        journal: [Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec])
    }
  }

  /// The session that a mark is of, as it is now. Throws `.notFound` where it has gone meanwhile.
  package func session(_ mark: SessionMark) throws(SessionError) -> SessionSummary {
    guard SessionLayout.hasHead(mark.folder) else {
      throw SessionError(.notFound, path: mark.folder, operation: "find session \(mark.id)", remedy: "see sessions")
    }
    return summary(mark.id)
  }

  /// One session. Throws `.notFound`.
  public func session(_ id: String) throws(SessionError) -> SessionSummary {
    guard Self.number(of: id) != nil, try ids().contains(id) else {
      throw SessionError(.notFound, path: folder(of: id), operation: "find session \(id)", remedy: "see sessions")
    }
    return summary(id)
  }

  /// The session that was made last, nil where there is none.
  public func last() throws(SessionError) -> SessionSummary? { try ids().last.map(summary) }

  private func summary(_ id: String) -> SessionSummary {
    let folder = folder(of: id)
    return SessionSummary(
      id: id, folder: folder, contents: Result { () throws(SessionError) in try SessionReader.read(folder) })
  }

  /// A new session: its id is today's date and the number after the highest there is, so that order survives a clock
  /// that goes backwards. `manifest` gets the id and the time of creation.
  public func create(_ manifest: (_ id: String, _ created: String) -> SessionManifest) throws(SessionError)
    -> SessionStore
  {
    try create(observer: nil, manifest)
  }

  /// The same, watched between every two durable steps.
  package func create(
    observer: WriteObserver?, _ manifest: (_ id: String, _ created: String) -> SessionManifest
  ) throws(SessionError) -> SessionStore {
    try prepare(observer: observer)
    var number = try names().compactMap(Self.number(of:)).max() ?? 0
    let now = CivilTime.now()
    while true {
      number += 1
      let id = "\(now.day)-\(SessionLayout.padded(number, 4))"
      // mkdir decides between two programs that want the same number
      if mkdir(folder(of: id), 0o755) == 0 {
        observer?(.folderMade)
        return try SessionStore.create(folder(of: id), manifest: manifest(id, now.iso8601), observer: observer)
      }
      if errno != EEXIST { throw SessionError(system: errno, path: folder(of: id), operation: "make folder") }
    }
  }

  /// Takes up a session that is resumable. Throws `.notFound`, `.busy`, `.damaged`.
  public func open(_ id: String) throws(SessionError) -> SessionStore {
    try SessionStore.open(try session(id).folder)
  }

  /// Where a session lies.
  public func folder(of id: String) -> String { "\(root)/\(id)" }

  /// Bytes free for us on the library's disk.
  public func freeBytes() throws(SessionError) -> Int64 {
    let bytes = twinrig_free_bytes(root)
    if bytes >= 0 { return bytes }
    throw SessionError(system: Int32(-bytes), path: root, operation: "measure free space")
  }

  /// Makes the root, where it is not there yet.
  package func prepare(observer: WriteObserver? = nil) throws(SessionError) {
    try DurableFolder(path: root, observer: observer).makeAll()
  }

  private func names() throws(SessionError) -> [String] {
    try DurableFolder.namesIfAny(in: root)
  }

  /// Sessions that came to life: their head is durable.
  private func ids() throws(SessionError) -> [String] {
    try names().filter { Self.number(of: $0) != nil && SessionLayout.hasHead(folder(of: $0)) }
      .sorted { (Self.number(of: $0) ?? 0, $0) < (Self.number(of: $1) ?? 0, $1) }
  }

  /// The running number in `YYYYMMDD-NNNN`, or nil for another name.
  private static func number(of id: String) -> Int? {
    let parts = id.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 8, (4...9).contains(parts[1].utf8.count),
      parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } })
    else { return nil }
    return Int(parts[1])
  }
}
