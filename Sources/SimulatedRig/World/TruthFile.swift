import Imaging
import Media
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The truth about a scan, written for those who measure; nothing in the agent reads it.
final class TruthFile: Sendable {
  private let path: String
  private let events = Mutex<[Event]>([])

  private struct Event: Codable {
    /// What the person did: `placed`, `flipped` or `height`.
    var event: String
    /// Takes the mesh of the truth file to the object frame as it now is (pass 1: the identity).
    var discFromTruth: RigidTransform
    /// Takes table coordinates to the left camera's frame with pan and tilt at zero.
    var leftFromTable: RigidTransform
  }
  private struct Contents: Codable {
    var geometry: RigGeometry
    var events: [Event]
  }

  private let placed = Mutex<RigidTransform?>(nil)

  init(path: String) { self.path = path }

  /// Writes the object's mesh when a scan begins, and every pose. Best effort: a world without its truth goes on.
  func write(_ object: ObjectModel, in surroundings: Surroundings, event: String) {
    guard let pose = surroundings.discFromObject else { return }
    if event == "placed" {
      placed.withLock { $0 = pose }
      events.withLock { $0 = [] }
      var moved = object.mesh.geometry
      moved.normals = []
      moved.positions = moved.positions.map { SIMD3<Float>(pose * SIMD3<Double>($0)) }
      try? FileBytes.write(PLY.write(moved), to: path)
    }
    guard let first = placed.withLock({ $0 }) else { return }
    let contents = events.withLock { events in
      events.append(
        Event(
          event: event, discFromTruth: pose * first.inverse, leftFromTable: surroundings.leftFromTable))
      return Contents(geometry: surroundings.geometry, events: events)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    if let bytes = try? encoder.encode(contents) { try? FileBytes.write([UInt8](bytes), to: path + ".json") }
  }
}
