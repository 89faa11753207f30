import Glibc

/// Keeps two agents off one state folder.
enum StateLock {
  /// Takes the lock for the life of the process; false where another agent has it.
  static func take(_ folder: String) throws(UsageError) -> Bool {
    let path = "\(folder)/agent.lock"
    // Never closed: the lock must last, and the system closes it at the end.
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw UsageError(message: "\(path): \(String(cString: strerror(errno)))") }
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }
}
