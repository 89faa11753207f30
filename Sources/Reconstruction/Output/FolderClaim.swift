#if canImport(Glibc)
  import Glibc
#endif

/// A folder that belongs to one reconstruction as long as this lives. The claim ends with the process, however that ends,
/// and leaves nothing in the folder: it is a lock (`flock`) on the folder itself.
final class FolderClaim: Sendable {
  private let descriptor: Int32
  /// Folders that were not there before, outermost first.
  private let made: [String]

  /// Claims the folder at `path`. One that is not there is made, with those above it, where `makes` says so. Throws `.io`,
  /// and `.busy` where another reconstruction has it. Nothing is left behind then.
  init(_ path: String, makes: Bool) throws(ReconstructionError) {
    var made: [String] = []
    do throws(ReconstructionError) {
      if makes { try Self.make(path, &made) }
      descriptor = try Self.lock(path)
      self.made = made
    } catch {
      for folder in made.reversed() { rmdir(folder) }
      throw error
    }
  }

  deinit { close(descriptor) }

  /// Takes the folders away that were made for the claim, where nothing came into them.
  func removeWhereEmpty() {
    for folder in made.reversed() where rmdir(folder) != 0 { return }
  }

  /// Whether `path` is this very folder, whatever its name.
  func isSame(as path: String) -> Bool {
    var mine = stat()
    var other = stat()
    return fstat(descriptor, &mine) == 0 && stat(path, &other) == 0 && mine.st_dev == other.st_dev
      && mine.st_ino == other.st_ino
  }

  private static func make(_ path: String, _ made: inout [String]) throws(ReconstructionError) {
    var folder = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      folder += "/\(part)"
      if mkdir(folder, 0o755) == 0 {
        made.append(folder)
      } else if errno != EEXIST {
        throw unmade(path, errno)
      }
    }
  }

  private static func lock(_ path: String) throws(ReconstructionError) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unmade(path, errno) }
    // file systems without such locks (some networks) are trusted to have one user
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      close(descriptor)
      throw ReconstructionError(
        .busy, place: path, "another reconstruction is at work there; wait for its end, or stop it")
    }
    return descriptor
  }

  private static func unmade(_ path: String, _ number: Int32) -> ReconstructionError {
    let advice =
      switch number {
      case ENOTDIR, EEXIST: "it or something above it is no folder; name another"
      case EACCES, EPERM, EROFS: "you may not write there; name another, or see to its owner and mode"
      case ENOSPC, EDQUOT: "no space is left on the disk; free some"
      default: String(cString: strerror(number))
      }
    return ReconstructionError(.io, place: path, "the folder cannot be used: \(advice)")
  }
}
