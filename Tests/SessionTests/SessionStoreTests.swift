import Imaging
import Session
import Synchronization
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct SessionStoreTests {
  let folder = TemporaryFolder()
  var place: String { "\(folder.path)/s" }

  private func sessionWithTwoShots() throws -> SessionContents {
    var store = try SessionStore.create(place, manifest: manifest())
    _ = try store.addPlate(axes: angles(0), left: [1, 2, 3], right: [4, 5])
    try store.append(.pass(PassRecord(index: 1, kind: .first)))
    try store.append(.box(BoxRecord(pass: 1, min: [-10, 0, -20], max: [10, 30, 20], byHand: false)))
    _ = try store.addShot(pass: 1, viewpoint: 0, axes: angles(0), left: picture(1), right: picture(2))
    _ = try store.addShot(pass: 1, viewpoint: 1, axes: angles(90.5), left: picture(3), right: picture(4))
    try store.append(.passCompleted(1))
    return store.contents
  }

  @Test func whatWasAddedIsReadBack() throws {
    let written = try sessionWithTwoShots()
    let read = try SessionReader.read(place)
    #expect(read.manifest == written.manifest)
    #expect(read.plates == written.plates)
    #expect(read.boxes == written.boxes)
    #expect(read.passes == [PassRecord(index: 1, kind: .first)])
    #expect(read.shots == written.shots)
    #expect(read.shots.map(\.sequence) == [1, 2])
    #expect(read.shots[1].axes.turntable.degrees.rounded(.toNearestOrAwayFromZero) == 91)
    #expect(read.completedPasses == [1])
    #expect(read.ended == nil && read.isResumable)
    #expect(folder.bytes("s/\(read.shots[1].left.file)") == picture(3).bytes)
    #expect(folder.bytes("s/\(read.plates[0].right)") == [4, 5])
  }

  /// A name comes after its bytes, a line after the names, and the answer after the line, each on the disk.
  @Test func aShotGoesToTheDiskInOrder() throws {
    let steps = Steps()
    var store = try SessionStore.create(place, manifest: manifest(), observer: { steps.add($0) })
    try store.append(.pass(PassRecord(index: 1, kind: .first)))
    let file: [WriteStep] = [
      .temporaryMade, .temporaryHalfWritten, .temporaryWritten, .temporarySynchronised, .renamed
    ]
    let line: [WriteStep] = [.lineHalfWritten, .lineWritten, .lineSynchronised]
    for viewpoint in 0..<2 {
      steps.clear()
      _ = try store.addShot(
        pass: 1, viewpoint: viewpoint, axes: angles(0), left: picture(1), right: picture(2))
      // the pass has its folder made, durably, for its first picture
      let before: [WriteStep] = viewpoint == 0 ? [.folderMade, .folderSynchronised] : []
      #expect(steps.all == before + file + file + [.folderSynchronised] + line)
    }
  }

  private final class Steps: Sendable {
    private let state = Mutex<[WriteStep]>([])
    var all: [WriteStep] { state.withLock { $0.map { $0 } } }
    func add(_ step: WriteStep) { state.withLock { $0.append(step) } }
    func clear() { state.withLock { $0 = [] } }
  }

  @Test func journalLinesAreObjectsOfOneKind() throws {
    _ = try sessionWithTwoShots()
    let lines = String(decoding: folder.bytes("s/journal.ndjson"), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 6)
    #expect(lines[1] == "{\"pass\":{\"index\":1,\"kind\":\"first\"}}")
    #expect(lines[5] == "{\"passCompleted\":1}")
    #expect(lines.allSatisfy { $0.first == "{" && $0.last == "}" })
  }

  @Test func aTornLastLineIsCutWhenTheSessionIsTakenUp() throws {
    let written = try sessionWithTwoShots()
    let whole = folder.bytes("s/journal.ndjson")
    let last = whole.dropLast().lastIndex(of: 10)! + 1
    // every way in which the last line can be torn, its newline included
    for length in last..<whole.count {
      folder.write(Array(whole[..<length]), "s/journal.ndjson")
      #expect(try SessionReader.read(place).completedPasses == [])
      var store = try SessionStore.open(place)
      #expect(store.contents.shots == written.shots)
      try store.append(.passCompleted(1))
      #expect(folder.bytes("s/journal.ndjson") == whole)
    }
  }

  @Test func aLastLineOfBlocksThatWereNeverWrittenIsCutToo() throws {
    let written = try sessionWithTwoShots()
    folder.write(folder.bytes("s/journal.ndjson") + [UInt8](repeating: 0, count: 300) + [10], "s/journal.ndjson")
    #expect(try SessionReader.read(place).shots == written.shots)
    var store = try SessionStore.open(place)
    try store.append(.ended("completed", reason: ""))
    #expect(try SessionReader.read(place).ended?.state == "completed")
  }

  @Test func damageInTheMiddleNamesTheLine() throws {
    _ = try sessionWithTwoShots()
    var bytes = folder.bytes("s/journal.ndjson")
    let third = bytes.indices.filter { bytes[$0] == 10 }[1] + 5
    bytes[third] = UInt8(ascii: "}")
    folder.write(bytes, "s/journal.ndjson")
    do {
      _ = try SessionReader.read(place)
      Issue.record("damage went unnoticed")
    } catch {
      #expect(error.kind == .damaged)
      #expect(error.line == 3)
      #expect(error.description.contains("journal.ndjson:3"))
    }
  }

  @Test(arguments: [
    "{\"ended\":{\"state\":\"running\",\"reason\":\"\"}}", "{\"pass\":{\"index\":7,\"kind\":\"flip\"}}",
    "{\"passCompleted\":9}", "{\"dance\":1}",
    "{\"box\":{\"pass\":1,\"min\":[0,0,0],\"max\":[0,1,1],\"byHand\":false}}",
    "{\"plate\":{\"axes\":{\"turntable\":0,\"pan\":0,\"tilt\":0},\"left\":\"../../etc/passwd\",\"right\":\"b\"}}",
    "{\"plate\":{\"axes\":{\"turntable\":0,\"pan\":0,\"tilt\":0},\"left\":\"/etc/passwd\",\"right\":\"b\"}}",
    "{\"plate\":{\"axes\":{\"turntable\":0,\"pan\":0,\"tilt\":0},\"left\":\"\",\"right\":\"b\"}}"
  ]) func linesThatMakeNoSenseAreDamageWithTheirLine(line: String) throws {
    _ = try sessionWithTwoShots()
    folder.append(line + "\n", to: "s/journal.ndjson")
    do {
      _ = try SessionReader.read(place)
      Issue.record("accepted \(line)")
    } catch {
      #expect(error.kind == .damaged)
      #expect(error.line == 7)
    }
  }

  /// A journal that knows of no pass, beside pictures of one, is no scan of nothing: it must not be taken up.
  @Test(arguments: ["gone", "empty", "a line of nothing", "the plate's line alone"])
  func aJournalShorterThanThePicturesIsDamage(what: String) throws {
    _ = try sessionWithTwoShots()
    let whole = folder.bytes("s/journal.ndjson")
    switch what {
    case "gone": try FileManager.default.removeItem(atPath: "\(place)/journal.ndjson")
    case "empty": folder.write([], "s/journal.ndjson")
    case "a line of nothing": folder.write([UInt8](repeating: 0, count: 200) + [10], "s/journal.ndjson")
    default: folder.write(Array(whole[...whole.firstIndex(of: 10)!]), "s/journal.ndjson")
    }
    let left = folder.bytes("s/journal.ndjson")
    var refusals: [SessionError] = []
    do { _ = try SessionReader.read(place) } catch { refusals.append(error) }
    do { _ = try SessionStore.open(place) } catch { refusals.append(error) }
    #expect(refusals.map(\.kind) == [.damaged, .damaged])
    for refusal in refusals {
      #expect(
        refusal.path.hasSuffix("journal.ndjson") && refusal.remedy?.contains("put the whole journal back") == true)
    }
    #expect(folder.has("s/journal.ndjson") == (what != "gone") && folder.bytes("s/journal.ndjson") == left)
    folder.write(whole, "s/journal.ndjson")
    #expect(try SessionStore.open(place).contents.shots.count == 2)
  }

  /// Of the plates one pair may lie there without a line: the one in flight when the power went.
  @Test func platesWithoutAnyLineAreDamageToo() throws {
    var store = try SessionStore.create(place, manifest: manifest())
    _ = try store.addPlate(axes: angles(0), left: [1], right: [2])
    folder.write([], "s/journal.ndjson")
    #expect(try SessionReader.read(place).plates.isEmpty)
    folder.write([3], "s/plates/0002-left.jpg")
    do {
      _ = try SessionReader.read(place)
      Issue.record("plates went unnoticed")
    } catch {
      #expect(error.kind == .damaged && error.operation.contains("2 pairs of the empty table"))
    }
  }

  @Test func anyFlippedByteEitherReadsOrIsReported() throws {
    _ = try sessionWithTwoShots()
    let whole = folder.bytes("s/journal.ndjson")
    var seed: UInt64 = 7
    for _ in 0..<400 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      var bytes = whole
      bytes[Int(seed >> 33) % bytes.count] = UInt8(truncatingIfNeeded: seed >> 20)
      folder.write(bytes, "s/journal.ndjson")
      do {
        let contents = try SessionReader.read(place)
        #expect(contents.shots.count <= 2)
      } catch {
        #expect([.damaged, .tooLarge].contains(error.kind))
      }
    }
  }

  @Test func largerFilesThanASessionMayHoldAreRefused() throws {
    _ = try sessionWithTwoShots()
    var limits = SessionReader.Limits()
    limits.journalBytes = 100
    #expect(throws: SessionError.self) { try SessionReader.read(place, limits: limits) }
    limits = SessionReader.Limits()
    limits.lineBytes = 40
    #expect(throws: SessionError.self) { try SessionReader.read(place, limits: limits) }
  }

  @Test func aNewerFormatIsRefusedAndLeftAlone() throws {
    _ = try sessionWithTwoShots()
    let head = String(decoding: folder.bytes("s/session.json"), as: UTF8.self)
    folder.write(Array(head.replacing("\"format\":1", with: "\"format\":2").utf8), "s/session.json")
    let before = folder.bytes("s/journal.ndjson")
    do {
      _ = try SessionStore.open(place)
      Issue.record("a newer format was opened")
    } catch {
      #expect(error.kind == .unsupported)
    }
    #expect(folder.bytes("s/journal.ndjson") == before)
  }

  @Test func oneWriterAtATime() throws {
    let first = try SessionStore.create(place, manifest: manifest())
    do {
      _ = try SessionStore.open(place)
      Issue.record("two writers")
    } catch {
      #expect(error.kind == .busy)
    }
    #expect(first.contents.shots.isEmpty)
  }

  @Test func numbersOfPicturesWithoutALineAreNotUsedAgain() throws {
    _ = try sessionWithTwoShots()
    folder.write([9], "s/pass-01/0003-left.jpg")
    folder.write([9], "s/pass-01/.0004-left.jpg.part")
    var store = try SessionStore.open(place)
    let shot = try store.addShot(pass: 1, viewpoint: 2, axes: angles(180), left: picture(5), right: picture(6))
    #expect(shot.sequence == 5)
    #expect(folder.bytes("s/pass-01/0003-left.jpg") == [9])
    #expect(!folder.has("s/pass-01/.0004-left.jpg.part"))
  }

  /// What a kill leaves goes when the session is taken up; what is not ours, and what another writes, stays.
  @Test func halfWrittenPicturesGoWhenTheSessionIsTakenUp() throws {
    _ = try sessionWithTwoShots()
    let ours = ["pass-01/.0003-right.jpg.part", "pass-01/.12345-left.jpg.part", "plates/.0002-left.jpg.part"]
    let others = ["pass-01/.0003-right.jpg", "pass-01/.x-left.jpg.part", "plates/0007.part", "plates/.part"]
    for name in ours + others { folder.write([1], "s/\(name)") }
    _ = try SessionReader.read(place)
    #expect(ours.allSatisfy { folder.has("s/\($0)") })
    _ = try SessionStore.open(place)
    #expect(!ours.contains { folder.has("s/\($0)") })
    #expect(others.allSatisfy { folder.has("s/\($0)") })
  }

  @Test func aShotOfAPassThatHasNotBegunIsRefused() throws {
    var store = try SessionStore.create(place, manifest: manifest())
    do {
      _ = try store.addShot(pass: 1, viewpoint: 0, axes: angles(0), left: picture(1), right: picture(2))
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .damaged)
    }
    try store.append(.pass(PassRecord(index: 1, kind: .first)))
    _ = try store.addShot(pass: 1, viewpoint: 0, axes: angles(0), left: picture(1), right: picture(2))
    #expect(try SessionReader.read(place).shots.count == 1)
  }

  @Test func aFailedSessionResumesAndACompletedOneDoesNot() throws {
    var store = try SessionStore.create(place, manifest: manifest())
    try store.append(.ended("failed", reason: "camera"))
    #expect(store.contents.isResumable)
    try store.append(.resumed("by command"))
    #expect(store.contents.ended == nil)
    try store.append(.ended("completed", reason: ""))
    #expect(!store.contents.isResumable)
  }
}
