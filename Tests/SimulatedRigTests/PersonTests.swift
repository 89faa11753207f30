import Imaging
import Media
import Rig
import SimulatedRig
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#endif

extension SimulatedRigTests {
  /// The person does what the signal asks for, by hand.
  @Suite struct PersonTests {
    private struct Truth: Decodable {
      struct Event: Decodable {
        var event: String
        var discFromTruth: RigidTransform
        var leftFromTable: RigidTransform
      }
      var geometry: RigGeometry
      var events: [Event]
    }

    private func truth(_ path: String) throws -> Truth {
      try JSONDecoder().decode(Truth.self, from: Data(try FileBytes.read(path + ".json")))
    }

    private func scratch() -> String { "/tmp/twinrig-truth-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).ply" }

    @Test(arguments: [SimulatedObject.demo, .plain, .symmetric])
    func aFlippedObjectRestsOnAnotherSide(_ object: SimulatedObject) async throws {
      let file = scratch()
      defer {
        unlink(file)
        unlink(file + ".json")
      }
      let world = try smallWorld(width: 64, height: 80) {
        $0.object = object
        $0.truthFile = file
        $0.person = .flips
      }
      let signal = try #require(world.rig.signal)
      await signal.show(.busy)
      let mesh = try PLY.read(try FileBytes.read(file))
      for turn in 1...2 {
        await signal.show(.flip)
        await signal.show(.busy)
        let events = try truth(file).events
        #expect(events.map(\.event) == ["placed"] + [String](repeating: "flipped", count: turn))
        let pose = try #require(events.last).discFromTruth
        let heights = mesh.positions.map { (pose * SIMD3<Double>($0)).y }
        let lowest = try #require(heights.min())
        #expect(lowest.magnitude < 0.01, "its lowest point is at \(lowest) mm")
        // it stands: the points that touch the table surround its middle
        let middle = centroid(mesh, pose)
        let ways = mesh.positions.indices.filter { heights[$0] < 0.02 }.map { i in
          let p = pose * SIMD3<Double>(mesh.positions[i])
          return atan2(p.z - middle.z, p.x - middle.x)
        }.sorted()
        let gaps = zip(ways, ways.dropFirst() + [ways[0] + 2 * .pi]).map { $1 - $0 }
        #expect((gaps.max() ?? 7) < .pi + 0.05, "it would tip over: \(ways)")
        // nobody puts it down exactly
        #expect(hypot(middle.x, middle.z) < 15)
        let before = events[events.count - 2].discFromTruth
        let turn = pose.rotation * before.rotation.transpose
        let up = turn * SIMD3<Double>(0, 1, 0)
        #expect(up.y < 0.5, "what was up is now at \(up)")
      }
    }

    /// A world that is built anew, as after a power cut, is as it was left: the object lies as it was turned, the head
    /// stands where it was set, also when the scan is taken up.
    @Test func whatWasDoneByHandOutlastsTheWorld() async throws {
      let file = scratch()
      defer { unlink(file) }
      func world(_ change: (inout SimulatedRigSettings) -> Void = { _ in }) throws -> SimulatedWorld {
        try smallWorld {
          $0.person = .flips
          $0.memoryFile = file
          change(&$0)
        }
      }
      let first = try world()
      try await first.begin()
      let upright = try await first.picture()
      for pattern in [SignalPattern.busy, .flip, .busy, .height] { await first.rig.signal?.show(pattern) }
      let turned = try await first.picture()
      #expect(difference(upright, turned) > 4)
      let second = try world()
      try await second.begin()
      // what is left is noise
      let limit = difference(upright, turned) / 8
      #expect(difference(turned, try await second.picture()) < limit)
      for pattern in [SignalPattern.failed, .busy] { await second.rig.signal?.show(pattern) }
      #expect(difference(turned, try await second.picture()) < limit)
      // another object was never touched
      let other = try world { $0.object = .plain }
      let untouched = try smallWorld { $0.object = .plain }
      for one in [other, untouched] { try await one.begin() }
      #expect(difference(try await other.picture(), try await untouched.picture()) < limit)
      try FileBytes.write(Array("{".utf8), to: file)
      #expect(throws: DeviceError.self) { try world() }
    }

    @Test func theObjectComesAndGoesAsAsked() async throws {
      let world = try smallWorld()
      let signal = try #require(world.rig.signal)
      try await world.begin()
      let with = try await world.picture()
      await signal.show(.clear)
      let without = try await world.picture()
      await signal.show(.place)
      let again = try await world.picture()
      #expect(difference(with, without, rows: 100..<240) > 5)
      #expect(difference(with, again, rows: 100..<240) < difference(with, without, rows: 100..<240))
      #expect(difference(with, again, rows: 100..<240) > 1, "nobody puts a thing down twice in the same place")
    }

    @Test func anotherHeightIsAnotherHeadPose() async throws {
      let file = scratch()
      defer {
        unlink(file)
        unlink(file + ".json")
      }
      let world = try smallWorld(width: 64, height: 80) { $0.truthFile = file }
      let signal = try #require(world.rig.signal)
      await signal.show(.busy)
      await signal.show(.height)
      let events = try truth(file).events
      #expect(events.map(\.event) == ["placed", "height"])
      let view = events[1].leftFromTable
      let down = Angle(radians: asin(-view.rotation.row2.y))
      #expect((40...60).contains(down.degrees), "\(down.degrees)°")
      #expect((380...540).contains(view.centre.length))
      #expect(events[1].discFromTruth.translation.length < 1e-6)
    }

    @Test func answersOnlyWhileItIsAskedFor() async throws {
      let world = try smallWorld(width: 64, height: 80)
      let signal = try #require(world.rig.signal)
      let answer = try #require(world.rig.buttons.first { $0.action == "answer" })
      var edges = try await answer.line.edges().makeAsyncIterator()
      await signal.show(.flip)
      await signal.show(.off)  // nobody waits any more
      await signal.show(.height)
      let first = await edges.next()
      #expect(first?.active == true)
      let second = await edges.next()
      #expect(second?.active == false)
      await signal.show(.busy)
      await world.press(button: answer.id)
      let third = await edges.next()
      #expect(third?.active == true)
    }

    @Test func nobodyMovesAnythingWhereNobodyIs() async throws {
      let world = try smallWorld { $0.person = .absent }
      try await world.begin()
      let before = try await world.picture()
      let noise = difference(before, try await world.picture())
      for pattern in [SignalPattern.busy, .clear, .flip, .height] { await world.rig.signal?.show(pattern) }
      let after = try await world.picture()
      #expect(difference(before, after) < noise + 0.1)
    }

    /// The centroid of the solid.
    private func centroid(_ mesh: TriangleMesh, _ pose: RigidTransform) -> SIMD3<Double> {
      var sum = SIMD3<Double>.zero
      var volume = 0.0
      for t in mesh.triangles {
        let a = SIMD3<Double>(mesh.positions[Int(t.x)])
        let b = SIMD3<Double>(mesh.positions[Int(t.y)])
        let c = SIMD3<Double>(mesh.positions[Int(t.z)])
        let v = a.dot(b.cross(c)) / 6
        volume += v
        sum += (a + b + c) * (v / 4)
      }
      return pose * (sum / volume)
    }
  }
}
