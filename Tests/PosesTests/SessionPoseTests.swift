import Codecs
import Imaging
import Reconstruction
import Session
import SimulatedRig
import Testing

private let reader: ViewPictures.Reader = { path throws(ReconstructionError) in
  do throws(CodecError) {
    return try Picture.read(path)
  } catch {
    throw ReconstructionError(.invalidInput, place: path, error.description)
  }
}

private func poses(_ scan: SimulatedScan) throws -> PoseResult {
  let set = try ViewSetReader.read(session: scan.folder)
  let pictures = ViewPictures(of: set, reader: reader)
  let masks = try MaskStage.run(set, pictures: pictures, progress: NoProgress())
  return try PoseStage.run(set, masks: masks, pictures: pictures, progress: NoProgress())
}

/// A scan is rendered and followed through hundreds of pictures: minutes without optimisation, seconds with it.
private var isOptimised: Bool {
  var isDebug = false
  assert(
    {
      isDebug = true
      return true
    }())
  return !isDebug
}

@Suite(.serialized, .enabled(if: isOptimised)) struct SessionPoseTests {
  @Test func flippedAndRaisedPassesAreJoinedToTheFirst() async throws {
    let scan = try await SimulatedScan(.demo, seed: 3, stops: 16, passes: [.first, .flip, .height])
    let result = try poses(scan)
    #expect(result.views.views.count == 96)
    #expect(!result.isStitchingIncomplete && result.passesNotTurnedOver.isEmpty)
    #expect(result.statistics.rmsAfter < 0.5)
    let middle = SIMD3(0.0, 40, 0)
    for registration in result.registrations {
      let found = try #require(registration.passFromFirst)
      let truth = scan.truth.events[registration.pass - 1].discFromTruth
      // a turn of the whole world about the axis is nobody's error: compare what is seen from the first pass
      #expect((found.rotation * truth.rotation.transpose).rotationVector.length < 0.006)
      #expect((found * middle - truth * middle).length < 0.5)
    }
    // the distances between cameras are those of the world
    let lefts = result.views.views.filter { $0.side == 0 && $0.pass == 1 }
    let orbit = (lefts[0].cameraFromWorld.centre - lefts[8].cameraFromWorld.centre).length
    let table = scan.truth.events[0].leftFromTable
    let (a, b) = (table.centre, Matrix3.rotation(.degrees(-180), about: [0, 1, 0]) * table.centre)
    #expect(abs(orbit / (a - b).length - 1) < 0.003)
  }

  /// Whoever answers "flipped" and leaves the object as it stands gets a model without an underside, and has to know.
  @Test func anObjectThatNobodyTurnedOverIsNoticed() async throws {
    let scan = try await SimulatedScan(.demo, seed: 3, stops: 12, passes: [.first, .flip], person: .absent)
    let result = try poses(scan)
    #expect(!result.isStitchingIncomplete && result.passesNotTurnedOver == [2], "\(result.registrations)")
  }

  @Test func anObjectThatLooksAlikeAllAroundIsNotGluedWrongly() async throws {
    let scan = try await SimulatedScan(.symmetric, seed: 5, stops: 12, passes: [.first, .flip])
    let result = try poses(scan)
    #expect(result.isStitchingIncomplete)
    #expect(result.registrations.count == 1 && result.registrations[0].refusal != nil)
    #expect(result.views.views.allSatisfy { $0.pass == 1 })
    #expect(result.views.views.map(\.index) == Array(0..<24))
    #expect(result.views.issues.count == 24)
  }

  /// A grey band before a grey disc has its colour, but not its grain.
  @Test func whatHasTheDiscsColourIsNotCutOutOfTheObject() async throws {
    let box = try BandedBox()
    defer { box.remove() }
    let object = SimulatedObject.model(path: box.path, texture: box.texture, unitMillimetres: 1)
    let scan = try await SimulatedScan(object, seed: 4, stops: 14, passes: [.first])
    let hull = try #require(try poses(scan).masks.hull)
    let volume = Double(hull.occupied.count { $0 != 0 }) * hull.cell * hull.cell * hull.cell
    // one height leaves some room above and at the edges
    #expect((0.97...1.6).contains(volume / box.volume), "\(volume / box.volume)")
  }

  /// Neither the shadow beside it nor, where nobody photographed the room without it, a lid that stays in the same pixels
  /// all around are mistaken.
  @Test func masksAreTheObjectAndNothingElse() async throws {
    let box = try BandedBox(lid: true)
    defer { box.remove() }
    let object = SimulatedObject.model(path: box.path, texture: box.texture, unitMillimetres: 1)
    let scan = try await SimulatedScan(object, seed: 4, stops: 14, passes: [.first, .height], plates: true)
    let result = try poses(scan)
    #expect(result.views.views.count == 56)
    let corners = BandedBox.corners.map { scan.truth.events[0].discFromTruth * $0 }
    for pass in 1...2 {
      var (object, missing, extra) = (0, 0, 0)
      for view in result.views.views where view.pass == pass {
        let mask = result.masks.masks[view.index]
        let lens = view.lens.pinhole.scaled(width: mask.width, height: mask.height)
        let silhouette = silhouette(try corners.map { try #require(lens.project(view.cameraFromWorld * $0)) }, lens)
        for (isThere, isSeen) in zip(silhouette, mask.pixels) {
          object += isThere ? 1 : 0
          missing += isThere && isSeen == 0 ? 1 : 0
          extra += !isThere && isSeen != 0 ? 1 : 0
        }
      }
      #expect(Double(missing) < 0.08 * Double(object), "pass \(pass): \(missing) of \(object)")
      #expect(Double(extra) < 0.12 * Double(object), "pass \(pass): \(extra) besides \(object)")
    }
  }

  /// Which pixels a convex body's sides cover.
  private func silhouette(_ places: [SIMD2<Double>], _ lens: Lens) -> [Bool] {
    var covered = [Bool](repeating: false, count: lens.width * lens.height)
    for side in BandedBox.sides {
      let polygon = side.map { places[$0] }
      let (columns, rows) = (polygon.map { Int($0.x) }, polygon.map { Int($0.y) })
      for y in max(0, rows.min()!)...min(lens.height - 1, rows.max()! + 1) {
        for x in max(0, columns.min()!)...min(lens.width - 1, columns.max()! + 1) where !covered[y * lens.width + x] {
          let p = SIMD2(Double(x), Double(y))
          let turns = polygon.indices.map { k in
            let (a, b) = (polygon[k] - p, polygon[(k + 1) % polygon.count] - p)
            return a.x * b.y - a.y * b.x
          }
          covered[y * lens.width + x] = turns.allSatisfy { $0 >= 0 } || turns.allSatisfy { $0 <= 0 }
        }
      }
    }
    return covered
  }

  /// The disc is the same in every pass: what it says must not count for the object on it.
  @Test func anObjectWithoutTextureIsNotTakenForTheDiscItStandsOn() async throws {
    let scan = try await SimulatedScan(.plain, seed: 2, stops: 12, passes: [.first, .flip])
    let result = try poses(scan)
    let registration = try #require(result.registrations.first)
    guard let found = registration.passFromFirst else {
      #expect(registration.refusal != nil && result.isStitchingIncomplete)
      return
    }
    let truth = scan.truth.events[1].discFromTruth
    #expect((found.rotation * truth.rotation.transpose).rotationVector.length < 0.02)
  }
}
