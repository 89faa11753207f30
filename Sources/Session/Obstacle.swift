#if canImport(Glibc)
  import Glibc
#endif

/// What is in the way of a file or folder, and what a person can do about it.
struct Obstacle {
  /// What to do.
  let remedy: String

  /// What made a system call on `path` fail with `code`.
  init(on path: String, _ code: Int32) {
    switch code {
    case EISDIR: remedy = "a folder has the name of a file: move it away"
    case ENXIO, ENODEV: remedy = "a pipe, socket or device has the name of a file: move it away"
    case ENOENT: remedy = "it is a link to what is not there: remove it, or make what it leads to"
    case ELOOP: remedy = "\(Self.first(of: path, where: Self.isLoop)) is a link that leads back to itself: remove it"
    default: remedy = "\(Self.first(of: path, where: Self.isNoFolder)) is no folder: move it away"
    }
  }

  /// The first of the path's beginnings that is so, or the whole.
  private static func first(of path: String, where isSo: (String) -> Bool) -> String {
    let ends = path.indices.dropFirst().filter { path[$0] == "/" }
    return ends.map { String(path[..<$0]) }.first(where: isSo) ?? path
  }

  private static func isLoop(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 && errno == ELOOP
  }

  private static func isNoFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
  }
}
