import Imaging
import Session
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A session whose numbers cannot be right is refused with the file and the key, by whoever reads it.
@Suite struct PlausibilityTests {
  let folder = TemporaryFolder()
  var place: String { "\(folder.path)/s" }

  /// A change of the head that no rig has, and the key to blame.
  struct Fault: Sendable, CustomTestStringConvertible {
    var key: String
    var change: @Sendable (inout SessionManifest) -> Void
    var testDescription: String { key }

    init(_ key: String, _ change: @escaping @Sendable (inout SessionManifest) -> Void) {
      self.key = key
      self.change = change
    }
  }

  static let faults = [
    Fault("shotsPerPass") { $0.shotsPerPass = 0 },
    Fault("passes") { $0.passes = -1 },
    Fault("geometry.stereo.left.width") { $0.geometry.stereo.left.width = 0 },
    Fault("geometry.stereo.left.fx") { $0.geometry.stereo.left.fx = 0 },
    Fault("geometry.stereo.right.fy") { $0.geometry.stereo.right.fy = -200 },
    Fault("geometry.stereo.right.cx") { $0.geometry.stereo.right.cx = 1e300 },
    Fault("geometry.stereo.left.k1") { $0.geometry.stereo.left.k1 = 1e9 },
    Fault("geometry.stereo.rightFromLeft") { $0.geometry.stereo.rightFromLeft.translation = .zero },
    Fault("geometry.stereo.rightFromLeft") { $0.geometry.stereo.rightFromLeft.rotation.row1 = [0, -1, 0] },
    Fault("geometry.leftFromTable") { $0.geometry.leftFromTable.rotation = Matrix3(.zero, .zero, .zero) },
    Fault("geometry.leftFromTable") { $0.geometry.leftFromTable.rotation.row0 = [2, 0, 0] },
    Fault("geometry.leftFromTable") { $0.geometry.leftFromTable.translation = .zero },
    Fault("geometry.panAxis.direction") { $0.geometry.panAxis.direction = .zero },
    Fault("geometry.tiltAxis.point") { $0.geometry.tiltAxis.point.y = 1e20 },
    Fault("geometry.tableRadius") { $0.geometry.tableRadius = -140 }
  ]

  @Test(arguments: faults) func aHeadNoRigHasIsRefusedWithItsKey(fault: Fault) throws {
    var head = manifest()
    fault.change(&head)
    // it is not even written
    #expect(throws: SessionError.self) { _ = try SessionStore.create(place, manifest: head) }
    #expect(!folder.has("s"))
    _ = try SessionStore.create(place, manifest: manifest())
    folder.write([UInt8](try JSONEncoder().encode(head)), "s/session.json")
    let error = try refusal()
    #expect(error.kind == .damaged)
    #expect(error.path == "\(place)/session.json")
    #expect(error.description.contains("\(fault.key) "), "\(error)")
    // whoever would go on with it is refused too
    #expect(throws: SessionError.self) { _ = try SessionStore.open(place) }
  }

  @Test(arguments: ["NaN", "1e999", "\"wide\"", "null"]) func aFocalLengthThatIsNoNumberIsRefused(text: String) throws {
    _ = try SessionStore.create(place, manifest: manifest())
    let head = String(decoding: folder.bytes("s/session.json"), as: UTF8.self)
    #expect(head.contains("\"fx\":200"))
    folder.write(Array(head.replacing("\"fx\":200", with: "\"fx\":\(text)").utf8), "s/session.json")
    let error = try refusal()
    #expect(error.kind == .damaged && error.path == "\(place)/session.json")
  }

  @Test(arguments: ["turntable", "pan", "tilt"]) func axesThatCannotStandSoAreDamageWithTheirLine(axis: String) throws {
    var store = try SessionStore.create(place, manifest: manifest())
    try store.append(.pass(PassRecord(index: 1, kind: .first)))
    _ = try store.addShot(pass: 1, viewpoint: 0, axes: angles(0), left: picture(1), right: picture(2))
    let journal = String(decoding: folder.bytes("s/journal.ndjson"), as: UTF8.self)
    #expect(journal.contains("\"\(axis)\":0"))
    folder.write(Array(journal.replacing("\"\(axis)\":0", with: "\"\(axis)\":1e30").utf8), "s/journal.ndjson")
    let error = try refusal()
    #expect(error.kind == .damaged && error.line == 2)
    #expect(error.description.contains("shot.axes.\(axis) "), "\(error)")
  }

  private func refusal() throws -> SessionError {
    do throws(SessionError) { _ = try SessionReader.read(place) } catch { return error }
    Issue.record("it was accepted")
    return SessionError(.notFound, path: "", operation: "")
  }
}
