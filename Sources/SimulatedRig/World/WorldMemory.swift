import Files
import Imaging
import Media
import Rig

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What people have done to the world, kept in a file: a real table does not tidy itself up when the agent is killed, so a
/// simulated one must not either.
struct WorldMemory: Codable {
  /// Which world it is of.
  var world: String
  /// Where the object lies on the disc; nil while it is off the table.
  var discFromObject: RigidTransform?
  /// Where the head stands.
  var leftFromTable: RigidTransform
  /// Directions of the object that have pointed down, latest last.
  var sides: [SIMD3<Double>]
  /// The person's chance.
  var random: SeededRandom

  /// What the file at `path` remembers of `world`; nil where there is none, or one of another world. Throws `.faulty` where
  /// it cannot be read.
  static func read(_ path: String, of world: String) throws(DeviceError) -> WorldMemory? {
    let bytes: [UInt8]
    do throws(MediaError) { bytes = try FileBytes.read(path, limit: 1 << 20) } catch {
      if error.kind == .absent { return nil }
      throw damaged(path, error.message)
    }
    do throws(DamagedJSON) {
      let memory = try JSONInput.decode(WorldMemory.self, from: bytes)
      return memory.world == world ? memory : nil
    } catch {
      throw damaged(path, error.description)
    }
  }

  private static func damaged(_ path: String, _ reason: String) -> DeviceError {
    DeviceError(
      .faulty, device: path, operation: "remember how the simulated table was left: \(reason)",
      remedy: "remove the file: then the table is as it is at first")
  }

  /// Writes it. Best effort: a world that forgets goes on.
  func write(_ path: String) {
    guard let bytes = try? JSONEncoder().encode(self) else { return }
    try? FileBytes.write([UInt8](bytes), to: path)
  }
}
