import Files

#if canImport(Glibc)
  import Glibc
#endif

/// An open file or folder, closed exactly once when it is dropped.
struct FileDescriptor: ~Copyable, Sendable {
  let number: Int32
  let path: String

  /// Opens `path`; `flags` as open(2), close-on-exec is added.
  init(opening path: String, _ flags: Int32, mode: mode_t = 0o644) throws(SessionError) {
    number = try retrying("open", path) { open(path, flags | O_CLOEXEC, mode) }
    self.path = path
  }

  deinit { close(number) }

  /// Writes all bytes at the file's place; `halfway` runs once in the middle of them.
  func write(_ bytes: ArraySlice<UInt8>, halfway: () -> Void = {}) throws(SessionError) {
    let middle = bytes.startIndex + bytes.count / 2
    try writeAll(bytes[..<middle])
    halfway()
    try writeAll(bytes[middle...])
  }

  private func writeAll(_ bytes: ArraySlice<UInt8>) throws(SessionError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { buffer -> Int in
        while true {
          let n = Glibc.write(number, buffer.baseAddress, buffer.count)
          if n >= 0 || errno != EINTR { return n }
        }
      }
      guard count > 0 else { throw SessionError(system: count < 0 ? errno : EIO, path: path, operation: "write") }
      rest = rest.dropFirst(count)
    }
  }

  /// Makes the content durable; with `metadata` everything about the file, without it only what reading needs.
  func synchronise(metadata: Bool = true) throws(SessionError) {
    _ = try retrying("fsync", path) { metadata ? fsync(number) : fdatasync(number) }
  }

  /// The file's length in bytes.
  func length() throws(SessionError) -> Int {
    var status = stat()
    _ = try retrying("stat", path) { fstat(number, &status) }
    return Int(status.st_size)
  }

  /// Whether the path it was opened at still names this very file.
  func isStillAtItsPath() throws(SessionError) -> Bool {
    var own = stat()
    _ = try retrying("stat", path) { fstat(number, &own) }
    var there = stat()
    return stat(path, &there) == 0 && there.st_ino == own.st_ino && there.st_dev == own.st_dev
  }

  /// Cuts the file and puts its place at the new end.
  func truncate(to length: Int) throws(SessionError) {
    _ = try retrying("truncate", path) { ftruncate(number, off_t(length)) }
    _ = try retrying("seek", path) { Int32(truncatingIfNeeded: min(lseek(number, off_t(length), SEEK_SET), 1)) }
  }

  /// Claims the file for this program alone, as long as it is open.
  func lock() throws(SessionError) {
    _ = try retrying("lock", path) { flock(number, LOCK_EX | LOCK_NB) }
  }

  /// Reads the whole file, at most `limit` bytes.
  static func read(_ path: String, limit: Int) throws(SessionError) -> [UInt8] {
    do throws(UnreadableFile) {
      return try WholeFile.read(path, limit: limit)
    } catch {
      switch error {
      case .system(let number, let step): throw SessionError(system: number, path: path, operation: step.rawValue)
      case .notRegular(let sort):
        throw SessionError(
          .damaged, path: path, operation: "read: \(sort.rawValue) where a file is needed", remedy: "move it away")
      case .tooLarge(let bytes):
        throw SessionError(.tooLarge, path: path, operation: "read \(bytes) bytes, the limit is \(limit)")
      }
    }
  }
}

/// Repeats a system call while signals interrupt it; a negative result becomes an error.
func retrying(_ operation: String, _ path: String, _ call: () -> Int32) throws(SessionError) -> Int32 {
  while true {
    let result = call()
    if result >= 0 { return result }
    let code = errno
    if code != EINTR { throw SessionError(system: code, path: path, operation: operation) }
  }
}
