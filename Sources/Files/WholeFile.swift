#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Reading files whole. Only files of bytes are read: a pipe without a writer would be waited for without end, and a
/// device may have no end.
public enum WholeFile {
  /// The bytes of the file at `path`, at most `limit` of them. Blocks.
  public static func read(_ path: String, limit: Int) throws(UnreadableFile) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .system(errno, during: .open) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .system(errno, during: .examine) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular(UnreadableFile.Sort(status.st_mode)) }
    guard status.st_size <= limit else { throw .tooLarge(bytes: Int(status.st_size)) }
    var bytes = try piece(of: file, Int(status.st_size))
    // it may grow while it is read
    var more = try piece(of: file, 1)
    while !more.isEmpty {
      bytes += more
      guard bytes.count <= limit else { throw .tooLarge(bytes: bytes.count) }
      more = try piece(of: file, 1 << 16)
    }
    return bytes
  }

  /// The next `size` bytes, fewer at the end of the file.
  private static func piece(of file: Int32, _ size: Int) throws(UnreadableFile) -> [UInt8] {
    // an array filled in place writes its length, and where that is nothing, into what all empty arrays share
    guard size > 0 else { return [] }
    var fault: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let n = systemRead(file, buffer.baseAddress! + count, size - count)
        if n < 0 && errno == EINTR { continue }
        if n < 0 { fault = errno }
        if n <= 0 { break }
        count += n
      }
    }
    if fault != 0 { throw .system(fault, during: .read) }
    return bytes
  }
}

/// Why a file could not be read.
public enum UnreadableFile: Error, Sendable, Hashable {
  /// What was being done to it.
  public enum Step: String, Sendable { case open, examine, read }
  /// What else has a name in a folder, for a person.
  public enum Sort: String, Sendable {
    case folder = "a folder"
    case pipe = "a pipe"
    case device = "a device"

    init(_ mode: mode_t) {
      switch mode & S_IFMT {
      case S_IFDIR: self = .folder
      case S_IFIFO: self = .pipe
      default: self = .device
      }
    }
  }
  /// The system refused, with an error number.
  case system(Int32, during: Step)
  /// It is no file of bytes.
  case notRegular(Sort)
  /// It has so many bytes at least, which is more than the limit.
  case tooLarge(bytes: Int)
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(descriptor, buffer, count)
}
