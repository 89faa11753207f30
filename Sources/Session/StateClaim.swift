#if canImport(Glibc)
  import Glibc
#endif

/// One program's hold on a state folder, for as long as it lives. Whoever is about to add to the folder asks first
/// whether it is still the one that was claimed: a folder that was removed and made anew may be another program's.
public final class StateClaim: Sendable {
  /// The folder.
  public let folder: String
  private let file: FileDescriptor

  /// Claims a folder, which is made if need be. Throws `.busy` where another program has it.
  public init(_ folder: String) throws(SessionError) {
    self.folder = folder
    try DurableFolder(path: folder).makeAll()
    file = try FileDescriptor(opening: "\(folder)/agent.lock", O_RDWR | O_CREAT)
    try claim()
  }

  private func claim() throws(SessionError) {
    var triesLeft = Self.tries
    while true {
      do throws(SessionError) { return try file.lock() } catch {
        guard error.kind == .busy else { throw error }
      }
      triesLeft -= 1
      if triesLeft == 0 {
        throw SessionError(.busy, path: folder, operation: "another agent uses this state folder")
      }
      usleep(50_000)
    }
  }

  /// A program that has just ended may leave a child behind that holds the file until it has become a program of its own:
  /// that is over within a second.
  private static let tries = 20

  /// Throws where the folder is gone or another has taken its place.
  public func check() throws(SessionError) {
    guard try !file.isStillAtItsPath() else { return }
    throw SessionError(
      .notFound, path: folder, operation: "the state folder was removed or replaced while the agent runs",
      remedy: "put it back, or start the agent again")
  }
}
