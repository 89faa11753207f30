import Session
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Pictures that are gone, and folders that are no longer what they were.
@Suite struct LostRecordTests {
  let folder = TemporaryFolder()
  var place: String { "\(folder.path)/s" }

  private func sessionWithThreeShots() throws -> SessionContents {
    var store = try SessionStore.create(place, manifest: manifest())
    _ = try store.addPlate(axes: angles(0), left: [1], right: [2])
    try store.append(.pass(PassRecord(index: 1, kind: .first)))
    for viewpoint in 0..<3 {
      _ = try store.addShot(pass: 1, viewpoint: viewpoint, axes: angles(0), left: picture(1), right: picture(2))
    }
    try store.append(.passCompleted(1))
    return store.contents
  }

  @Test func whatIsMissingIsNamedOnceAndCountsNoMore() throws {
    let contents = try sessionWithThreeShots()
    #expect(contents.missing(in: place) == nil)
    try FileManager.default.removeItem(atPath: "\(place)/\(contents.shots[2].right.file)")
    folder.write([], "s/\(contents.shots[0].left.file)")
    try FileManager.default.removeItem(atPath: "\(place)/plates")
    let lost = try #require(contents.missing(in: place))
    #expect(lost == LostRecord(shots: [1, 3], plates: ["plates/0001-left.jpg"]))
    #expect(contents.passes(of: lost).map(\.shots) == [2])
    do {
      var store = try SessionStore.open(place)
      try store.append(.lost(lost))
    }
    let read = try SessionReader.read(place)
    #expect(read.shots.map(\.sequence) == [2] && read.plates.isEmpty && read.completedPasses.isEmpty)
    #expect(read.missing(in: place) == nil && read.lastSequence == 3)
    // their numbers are not used again
    var again = try SessionStore.open(place)
    let shot = try again.addShot(pass: 1, viewpoint: 0, axes: angles(0), left: picture(1), right: picture(2))
    #expect(shot.sequence == 4)
  }

  @Test func aSessionWithoutItsJournalIsNotBegunAnew() throws {
    let contents = try sessionWithThreeShots()
    let journal = "\(place)/journal.ndjson"
    try FileManager.default.moveItem(atPath: journal, toPath: journal + ".away")
    do throws(SessionError) {
      _ = try SessionStore.open(place)
      Issue.record("opened")
    } catch {
      #expect(error.kind == .damaged && error.description.contains("the journal is gone"), "\(error)")
    }
    #expect(!folder.has("s/journal.ndjson"))
    try FileManager.default.moveItem(atPath: journal + ".away", toPath: journal)
    #expect(try SessionStore.open(place).contents.shots == contents.shots)
  }

  @Test func nothingIsAddedToAFolderThatIsNoLongerTheSame() throws {
    var store = try SessionStore.create(place, manifest: manifest())
    try store.append(.pass(PassRecord(index: 1, kind: .first)))
    try FileManager.default.moveItem(atPath: place, toPath: place + ".away")
    #expect(throws: SessionError.self) { try store.append(.passCompleted(1)) }
    // another one in its place is not it
    try FileManager.default.copyItem(atPath: place + ".away", toPath: place)
    #expect(throws: SessionError.self) {
      try store.addShot(pass: 1, viewpoint: 0, axes: angles(0), left: picture(1), right: picture(2))
    }
    #expect(!folder.has("s/pass-01") && !folder.has("s.away/pass-01"))
    try FileManager.default.removeItem(atPath: place)
    try FileManager.default.moveItem(atPath: place + ".away", toPath: place)
    try store.append(.passCompleted(1))
    #expect(try SessionReader.read(place).completedPasses == [1])
  }

  @Test func aStateFolderIsClaimedOnceAndNoticedWhenItIsGone() throws {
    let state = "\(folder.path)/deep/state"
    let claim = try StateClaim(state)
    try claim.check()
    do throws(SessionError) {
      _ = try StateClaim(state)
      Issue.record("claimed twice")
    } catch {
      #expect(error.kind == .busy && error.description.contains("another agent uses this state folder"))
    }
    try FileManager.default.removeItem(atPath: state)
    #expect(throws: SessionError.self) { try claim.check() }
    // made anew it is somebody else's
    let other = try StateClaim(state)
    try other.check()
    #expect(throws: SessionError.self) { try claim.check() }
  }
}
