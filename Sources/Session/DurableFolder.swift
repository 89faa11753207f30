#if canImport(Glibc)
  import Glibc
#endif

/// A moment between two durable steps: what a test can stop the world at.
package enum WriteStep: String, Sendable, Hashable, CaseIterable {
  /// The folder was made.
  case folderMade
  /// The temporary file exists, empty.
  case temporaryMade
  /// Half of the bytes are in the temporary file.
  case temporaryHalfWritten
  /// All bytes are in the temporary file.
  case temporaryWritten
  /// The temporary file is on disk.
  case temporarySynchronised
  /// The file has its name.
  case renamed
  /// The folder is on disk.
  case folderSynchronised
  /// Half of the journal line is appended.
  case lineHalfWritten
  /// The journal line is appended.
  case lineWritten
  /// The journal line is on disk.
  case lineSynchronised
}

/// Called between every two durable steps.
package typealias WriteObserver = @Sendable (WriteStep) -> Void

/// Files that are there whole or not at all: temporary name, fsync, rename, fsync of the folder.
package struct DurableFolder: Sendable {
  let path: String
  let observer: WriteObserver?

  /// The folder at `path`.
  package init(path: String, observer: WriteObserver? = nil) {
    self.path = path
    self.observer = observer
  }

  /// Makes the folder and those above it if need be, durably.
  package func makeAll() throws(SessionError) {
    var path = self.path.hasPrefix("/") ? "" : "."
    for part in self.path.split(separator: "/") {
      path += "/\(part)"
      try DurableFolder(path: path, observer: observer).make()
    }
  }

  /// Makes the folder if need be, durably.
  package func make() throws(SessionError) {
    if mkdir(path, 0o755) != 0 {
      let code = errno
      if code != EEXIST { throw SessionError(system: code, path: path, operation: "make folder") }
      return try checkFolder()
    }
    observer?(.folderMade)
    try Self.synchronise(parentOf: path)
    observer?(.folderSynchronised)
  }

  /// Throws where what has the folder's name is none.
  private func checkFolder() throws(SessionError) {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
    throw SessionError(inTheWay: path, operation: "make folder")
  }

  /// Writes `name` durably except for the folder's own fsync, which `synchronise` does once for several files.
  package func write(_ bytes: [UInt8], as name: String) throws(SessionError) {
    let temporary = "\(path)/\(Self.temporary(name))"
    do throws(SessionError) {
      let file = try FileDescriptor(opening: temporary, O_WRONLY | O_CREAT | O_TRUNC)
      observer?(.temporaryMade)
      try file.write(bytes[...]) { observer?(.temporaryHalfWritten) }
      observer?(.temporaryWritten)
      try file.synchronise()
      observer?(.temporarySynchronised)
    } catch {
      // half a picture is of no use to anyone, and its space is needed for the journal
      unlink(temporary)
      throw error
    }
    _ = try retrying("rename", "\(path)/\(name)") { rename(temporary, "\(path)/\(name)") }
    observer?(.renamed)
  }

  /// The name of a file while it is written.
  static func temporary(_ name: String) -> String { ".\(name).part" }

  /// Gives a file a name beside its own that nothing reads, so that the next one of its name does not replace it. Returns
  /// the new path. Not durable before `synchronise`.
  package func setAside(_ name: String) throws(SessionError) -> String {
    var copy = "\(path)/\(name).damaged"
    var number = 1
    while access(copy, F_OK) == 0 {
      number += 1
      copy = "\(path)/\(name).damaged-\(number)"
    }
    _ = try retrying("rename", "\(path)/\(name)") { rename("\(path)/\(name)", copy) }
    return copy
  }

  /// Makes the names in the folder durable.
  package func synchronise() throws(SessionError) {
    let folder = try FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY)
    try folder.synchronise()
    observer?(.folderSynchronised)
  }

  private static func synchronise(parentOf path: String) throws(SessionError) {
    let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let folder = try FileDescriptor(opening: parent, O_RDONLY | O_DIRECTORY)
    try folder.synchronise()
  }

  /// The bytes of a file, at most `limit` of them.
  package static func read(_ path: String, limit: Int) throws(SessionError) -> [UInt8] {
    try FileDescriptor.read(path, limit: limit)
  }

  /// The names in a folder, sorted; none where there is no folder yet. Throws where something else has its name: what is in
  /// the way of a library is not an empty one.
  package static func namesIfAny(in path: String) throws(SessionError) -> [String] {
    do throws(SessionError) { return try names(in: path) } catch {
      guard error.kind == .notFound else { throw error }
      var node = stat()
      guard lstat(path, &node) != 0 else { throw SessionError(inTheWay: path, operation: "list") }
      return []
    }
  }

  /// The names in a folder, sorted.
  package static func names(in path: String) throws(SessionError) -> [String] {
    guard let stream = opendir(path) else { throw SessionError(system: errno, path: path, operation: "list") }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
