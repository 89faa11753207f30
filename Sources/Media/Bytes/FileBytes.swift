import Files
import Glibc

/// Whole files as bytes.
public enum FileBytes {
  /// Reads a whole file. Blocks. Throws `.absent`, `.tooLarge` beyond `limit` bytes, and `.io`.
  public static func read(_ path: String, limit: Int = 1 << 30) throws(MediaError) -> [UInt8] {
    do throws(UnreadableFile) {
      return try WholeFile.read(path, limit: limit)
    } catch {
      switch error {
      case .system(ENOENT, _): throw MediaError(.absent, place: path, "no such file")
      case .system(let number, let step):
        let what = step == .open ? "opened" : step == .examine ? "examined" : "read"
        throw MediaError(.io, place: path, "cannot be \(what)", errno: number)
      case .notRegular(let sort): throw MediaError(.io, place: path, "\(sort.rawValue); a file is needed")
      case .tooLarge(let bytes):
        throw MediaError(.tooLarge, place: path, "\(bytes) bytes where at most \(limit) are allowed")
      }
    }
  }

  /// Replaces a file in one step: written beside it, made durable, then renamed, so that a reader or a power cut sees
  /// the old contents or the new ones and nothing between. Blocks. Throws `.io` and leaves nothing behind.
  public static func write(_ bytes: [UInt8], to path: String) throws(MediaError) {
    let temporary = path + ".part"
    let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw unwritten(path, errno) }
    let fault = put(bytes, file)
    let closed = close(file)
    guard fault == 0, closed == 0, rename(temporary, path) == 0 else {
      let number = fault != 0 ? fault : errno
      unlink(temporary)
      throw unwritten(path, number)
    }
    syncFolder(of: path)
  }

  private static func put(_ bytes: [UInt8], _ file: Int32) -> Int32 {
    bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        let n = Glibc.write(file, buffer.baseAddress! + done, buffer.count - done)
        if n < 0 && errno == EINTR { continue }
        if n < 0 { return errno }
        done += n
      }
      return fsync(file) == 0 ? 0 : errno
    }
  }

  /// A rename is durable only once its folder is; a file system without folder sync keeps its own promise.
  private static func syncFolder(of path: String) {
    let end = path.lastIndex(of: "/")
    let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard handle >= 0 else { return }
    fsync(handle)
    close(handle)
  }

  private static func unwritten(_ path: String, _ number: Int32) -> MediaError {
    switch number {
    case ENOSPC, EDQUOT, EFBIG:
      MediaError(.io, place: path, "no space left on the disk; free some, then try again", errno: number)
    case EACCES, EPERM, EROFS:
      MediaError(.io, place: path, "may not be written; check owner and mode of the folder", errno: number)
    case ENOENT, ENOTDIR: MediaError(.absent, place: path, "its folder does not exist", errno: number)
    default: MediaError(.io, place: path, "cannot be written", errno: number)
    }
  }
}
