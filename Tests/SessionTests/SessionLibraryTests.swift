import Session
import Testing

@Suite struct SessionLibraryTests {
  let folder = TemporaryFolder()
  var library: SessionLibrary { SessionLibrary(root: "\(folder.path)/deep/sessions", diskFloor: 0) }

  private func make() throws -> String {
    let store = try library.create { id, _ in manifest(id) }
    return store.contents.manifest.id
  }

  @Test func idsCountUpWhateverTheClockSays() throws {
    let first = try make()
    #expect(first.hasSuffix("-0001"))
    #expect(first.count == 13)
    // a session from a clock that was ahead
    var late = try SessionStore.create("\(library.root)/20990101-0041", manifest: manifest("20990101-0041"))
    try late.append(.ended("completed", reason: ""))
    let next = try make()
    #expect(next.hasSuffix("-0042"))
    #expect(try library.sessions().map(\.id) == [first, "20990101-0041", next])
    #expect(try library.sessions().map(\.isResumable) == [true, false, true])
  }

  @Test func aFolderWithoutAHeadIsNoSessionButKeepsItsNumber() throws {
    _ = try make()
    folder.makeFolder("deep/sessions/20261130-0002")
    #expect(try library.sessions().count == 1)
    #expect(try make().hasSuffix("-0003"))
  }

  @Test func aDamagedSessionIsListedWithItsError() throws {
    let id = try make()
    folder.write(Array("{\"format\":1".utf8), "deep/sessions/\(id)/session.json")
    let sessions = try library.sessions()
    #expect(sessions.map(\.id) == [id])
    #expect(!sessions[0].isResumable)
    guard case .failure(let error) = sessions[0].contents else {
      Issue.record("read what is damaged")
      return
    }
    #expect(error.kind == .damaged)
  }

  @Test(arguments: ["", "..", "../..", "20261130-0001/..", "20261130-00x1", "2026113-0001", "nonsense"])
  func namesThatAreNoIdAreNotFound(id: String) throws {
    _ = try make()
    do {
      _ = try library.session(id)
      Issue.record("found \(id)")
    } catch {
      #expect(error.kind == .notFound)
    }
  }

  @Test func anEmptyLibraryHasNoSessions() throws {
    #expect(try library.sessions().isEmpty)
  }

  @Test func freeSpaceIsMeasured() throws {
    _ = try make()
    #expect(try library.freeBytes() > 0)
    do {
      _ = try SessionLibrary(root: "/nowhere/at/all").freeBytes()
      Issue.record("measured nothing")
    } catch {
      #expect(error.kind == .notFound)
    }
  }
}
