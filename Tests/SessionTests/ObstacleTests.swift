import Foundation
import Session
import Testing

/// Something else has the name of a folder or file that is wanted.
@Suite struct ObstacleTests {
  let folder = TemporaryFolder()
  private var root: String { "\(folder.path)/sessions" }
  private var library: SessionLibrary { SessionLibrary(root: root, diskFloor: 0) }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/\(name)", withDestinationPath: target)
  }

  private func fault(_ work: () throws -> Void) -> SessionError? {
    do {
      try work()
      return nil
    } catch {
      return error as? SessionError
    }
  }

  @Test(arguments: ["a file", "a link to itself", "a link to nothing", "a file above it"])
  func whatIsInTheWayOfALibraryIsNotAnEmptyOne(what: String) throws {
    var root = root
    switch what {
    case "a file": folder.write([1], "sessions")
    case "a link to itself": try link("sessions", to: root)
    case "a link to nothing": try link("sessions", to: "\(folder.path)/nowhere")
    default:
      folder.write([1], "sessions")
      root += "/deep/library"
    }
    let library = SessionLibrary(root: root, diskFloor: 0)
    let listed = fault { _ = try library.sessions() }
    let looked = fault { _ = try library.session("20261130-0001") }
    let made = fault { _ = try library.create { id, _ in manifest(id) } }
    for error in [listed, looked, made] {
      #expect(error?.kind == .obstructed, "\(what): \(String(describing: error))")
      #expect(error?.description.contains("\(folder.path)/sessions") == true)
      #expect(error?.remedy?.contains("disk") == false)
    }
  }

  @Test func aHeadThatCannotBeReachedIsADamagedSessionAndNotNone() throws {
    let id = try library.create { id, _ in manifest(id) }.contents.manifest.id
    try FileManager.default.removeItem(atPath: "\(root)/\(id)/session.json")
    try link("sessions/\(id)/session.json", to: "\(root)/\(id)/session.json")
    #expect(try library.sessions().map(\.id) == [id])
    let summary = try library.session(id)
    let error = fault { _ = try summary.contents.get() }
    #expect(error?.kind == .obstructed && error?.remedy?.contains("leads back to itself") == true, "\(summary)")
    #expect(fault { _ = try library.open(id) }?.kind == .obstructed)
  }

  @Test func anErrorSaysWhatIsInTheWayAndWhatToDo() throws {
    folder.makeFolder("s/agent.lock")
    folder.write([], "file")
    let lock = fault { _ = try StateClaim("\(folder.path)/s") }
    #expect(
      lock?.remedy?.contains("a folder has the name of a file: move it away") == true, "\(String(describing: lock))")
    let state = fault { _ = try StateClaim("\(folder.path)/file") }
    #expect(state?.remedy == "\(folder.path)/file is no folder: move it away")
    let below = fault { _ = try SessionReader.read("\(folder.path)/file/s") }
    #expect(below?.kind == .obstructed && below?.remedy == "\(folder.path)/file is no folder: move it away")
  }
}
