import Files

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Reading small files whole.
enum TextFile {
  /// The bytes of a file of at most `limit` bytes; the failure is for a person.
  static func read(_ path: String, limit: Int) -> Result<[UInt8], Unreadable> {
    do throws(UnreadableFile) {
      return .success(try WholeFile.read(path, limit: limit))
    } catch {
      switch error {
      case .system(let number, _): return .failure(Unreadable(errno: number))
      case .notRegular(let sort):
        return .failure(Unreadable(errno: ESPIPE, reason: "\(sort.rawValue); a file is needed"))
      case .tooLarge: return .failure(Unreadable(errno: EFBIG, reason: "larger than \(limit) bytes"))
      }
    }
  }

  /// Whether there is a file that can be read.
  static func isReadable(_ path: String) -> Bool { objection(to: path) == nil }

  /// Why there is no file at the path that can be read, for a person; nil where there is one.
  static func objection(to path: String) -> String? {
    var status = stat()
    if stat(path, &status) != 0 || access(path, R_OK) != 0 { return String(cString: strerror(errno)) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return nil
    case S_IFDIR: return "a folder; a file is needed"
    default: return "no regular file"
    }
  }

  /// Whether there is a folder at the path.
  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The names of a folder's entries that end in `ending`, without it; none where it cannot be read.
  static func names(in folder: String, endingWith ending: String) -> [String] {
    guard let entries = opendir(folder) else { return [] }
    defer { closedir(entries) }
    var names: [String] = []
    while let entry = readdir(entries) {
      // in its place: a copy would read on behind the entry
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(ending) { names.append(String(name.dropLast(ending.count))) }
    }
    return names.sorted()
  }

  /// The folder a file stands in, without a `/` at its end; `.` for a bare name.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// A path, relative to a folder unless it is absolute.
  static func resolve(_ path: String, in folder: String) -> String {
    if path.hasPrefix("/") || folder == "." { return path }
    return folder.hasSuffix("/") ? folder + path : folder + "/" + path
  }
}

/// Why a file could not be read.
struct Unreadable: Error {
  /// The system's error number.
  var errno: Int32
  /// For a person.
  var reason: String

  init(errno: Int32, reason: String? = nil) {
    self.errno = errno
    self.reason = reason ?? String(cString: strerror(errno))
  }
}
