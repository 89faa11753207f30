import Codecs
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

extension SimulatedRigTests {
  /// Objects from OBJ files: what other programs write is read, and what is wrong with a file is told with its remedy.
  @Suite struct ObjectFileTests {
    private let folder: String

    init() throws {
      folder = FileManager.default.temporaryDirectory.path + "/twinrig-object-\(UInt64.random(in: 0 ... .max))"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try write("box.png", try PNG.encode(RGBImage(width: 4, height: 4, bytes: [UInt8](repeating: 128, count: 48))))
      try write("box.mtl", "newmtl skin\r\nmap_Kd box.png\r\nnewmtl lid\nmap_Kd lid.png\nnewmtl bare\nKd 1 0 0\n")
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws {
      try FileBytes.write(bytes, to: folder + "/" + name)
    }

    private func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

    /// A box of quadrilaterals, 40 × 80 × 120 of `unit`, its corners counted back from the newest, lines ending in CR LF.
    private func box(unit: Double = 1, library: String? = "box.mtl") -> String {
      var lines = library.map { ["mtllib \($0)", "usemtl skin"] } ?? []
      for z in [0.0, 120] {
        for y in [0.0, 80] { for x in [0.0, 40] { lines.append("v \(x / unit) \(y / unit) \(z / unit)") } }
      }
      lines += ["vt 0 0", "vt 1 0", "vt 1 1", "vt 0 1"]
      for face in [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]] {
        lines.append("f " + zip(face, [-4, -3, -2, -1]).map { "\($0 - 9)/\($1)" }.joined(separator: " "))
      }
      return lines.joined(separator: "\r\n") + "\r\n"
    }

    private func load(
      _ text: String?, unit: Double = 1, up: SimulatedUp = .y, texture: String? = nil
    ) throws -> SimulatedWorld {
      if let text { try write("box.obj", text) }
      return try smallWorld(width: 64, height: 80) {
        $0.object = .model(path: folder + "/box.obj", texture: texture, unitMillimetres: unit, up: up)
        $0.truthFile = folder + "/truth.ply"
      }
    }

    /// Lets the cameras look: nobody puts the object down sooner.
    private func look(at world: SimulatedWorld) async throws {
      try await world.rig.camera.start(world.rig.camera.modes[0])
    }

    /// The height of the object that was looked at, as it stands on the table.
    private func height() throws -> Double {
      let mesh = try PLY.read(try FileBytes.read(folder + "/truth.ply"))
      let points = mesh.positions.map { SIMD3<Double>($0) }
      let low = points.reduce(points[0]) { pointwiseMin($0, $1) }
      #expect(low.y.magnitude < 0.01, "it stands at \(low.y) mm")
      #expect(mesh.triangles.count == 12)
      return points.reduce(points[0]) { pointwiseMax($0, $1) }.y - low.y
    }

    private func clean() { try? FileManager.default.removeItem(atPath: folder) }

    @Test(arguments: [(1.0, SimulatedUp.y, 80.0), (10, .y, 80), (1000, .z, 120)])
    func aFileOfAnyUnitStandsUprightAtItsSize(unit: Double, up: SimulatedUp, height: Double) async throws {
      defer { clean() }
      try await look(at: load(box(unit: unit), unit: unit, up: up))
      let stands = try self.height()
      #expect(abs(stands - height) < 0.01, "\(stands)")
    }

    /// What is wrong, and what the message must say.
    struct Fault: Sendable, CustomTestStringConvertible {
      var testDescription: String
      var change: @Sendable (String) -> String
      var unit = 1.0
      var words: [String]
    }

    static let faults = [
      Fault(testDescription: "no file", change: { _ in "" }, words: ["faces"]),
      Fault(
        testDescription: "metres taken for millimetres", change: { $0.scaled(by: 0.001) },
        words: ["0.04 × 0.08 × 0.12 mm", "unit_mm = 1000", "120 mm"]),
      Fault(
        testDescription: "centimetres taken for metres", change: { $0.scaled(by: 0.1) }, unit: 1000,
        words: ["4000 × 8000 × 12000 mm", "unit_mm = 10 ", "120 mm"]),
      Fault(testDescription: "far beyond everything", change: { $0.scaled(by: 1e30) }, words: ["over a million"]),
      Fault(
        testDescription: "its library is missing", change: { $0.replacing("box.mtl", with: "no.mtl") },
        words: ["no.mtl", "simulation.model.texture"]),
      Fault(
        testDescription: "no library", change: { $0.replacing("mtllib", with: "#") },
        words: ["no material library", "simulation.model.texture"]),
      Fault(
        testDescription: "two materials with two pictures", change: { $0.withLastFace(of: "lid") },
        words: ["2 pictures", "box.png", "lid.png", "simulation.model.texture"]),
      Fault(
        testDescription: "a material without a picture", change: { $0.withLastFace(of: "bare") },
        words: ["its material bare has no picture", "box.png", "simulation.model.texture"]),
      Fault(
        testDescription: "a material no library has", change: { $0.withLastFace(of: "lost") },
        words: ["its material lost has no picture", "simulation.model.texture"]),
      Fault(
        testDescription: "faces before the first material",
        change: { $0.replacing("usemtl skin\r\n", with: "").withLastFace(of: "skin") },
        words: ["faces without a material have no picture", "simulation.model.texture"]),
      Fault(
        testDescription: "two pictures to choose from and no material chosen",
        change: { $0.replacing("usemtl skin\r\n", with: "") }, words: ["2 pictures", "box.png", "lid.png"]),
      Fault(
        testDescription: "a face without its corner", change: { $0.replacing("f -8", with: "f -9") },
        words: ["line 15", "-9 of 8"]),
      Fault(
        testDescription: "a texture coordinate that is no number",
        change: { $0.replacing("vt 1 0", with: "vt nan 0") }, words: ["line 12", "not finite"]),
      Fault(
        testDescription: "no texture coordinates",
        change: { text in
          text.split(separator: "\r\n").filter { !$0.hasPrefix("vt") }.map { line in
            line.split(separator: " ").map { $0.split(separator: "/")[0] }.joined(separator: " ")
          }.joined(separator: "\n")
        }, words: ["texture coordinates"])
    ]

    @Test(arguments: faults) func aFaultIsToldWithItsRemedy(fault: Fault) throws {
      defer { clean() }
      let error = try message { _ = try load(fault.change(box()), unit: fault.unit) }
      for word in fault.words + [folder + "/box.obj"] { #expect(error.contains(word), "\(error)") }
    }

    @Test func aPictureThatIsNamedServesForAllMaterials() async throws {
      defer { clean() }
      try await look(at: load(box().withLastFace(of: "lid"), texture: folder + "/box.png"))
      #expect(abs(try height() - 80) < 0.01)
      // a second material with the same picture is none too many
      try write("box.mtl", "newmtl skin\nmap_Kd box.png\nnewmtl lid\nmap_Kd box.png\n")
      try await look(at: load(box().withLastFace(of: "lid")))
      #expect(abs(try height() - 80) < 0.01)
    }

    @Test func whatIsWrongIsToldWithThePathOnce() throws {
      defer { clean() }
      let error = try message { _ = try load(box().replacing("f -8", with: "f -9")) }
      #expect(error.components(separatedBy: folder).count == 2, "\(error)")
    }

    @Test func aMissingFileOrPictureIsNamed() throws {
      defer { clean() }
      let absent = try message { _ = try load(nil) }
      #expect(absent.contains(folder + "/box.obj") && absent.contains("simulation.model.path"), "\(absent)")
      let picture = try message { _ = try load(box(), texture: folder + "/none.png") }
      #expect(picture.contains(folder + "/none.png") && picture.contains("simulation.model.texture"), "\(picture)")
    }

    private func message(_ body: () throws -> Void) throws -> String {
      do { try body() } catch let error as DeviceError { return error.description }
      Issue.record("it was accepted")
      return ""
    }
  }
}

extension String {
  /// An OBJ file whose last face has a material of its own.
  fileprivate func withLastFace(of material: String) -> String {
    var lines = split(separator: "\r\n").map(String.init)
    lines.insert("usemtl \(material)", at: lines.count - 1)
    return lines.joined(separator: "\r\n") + "\r\n"
  }

  /// An OBJ file with its positions multiplied.
  fileprivate func scaled(by factor: Double) -> String {
    split(separator: "\r\n").map { line -> String in
      guard line.hasPrefix("v ") else { return String(line) }
      return "v " + line.split(separator: " ").dropFirst().map { "\(Double($0)! * factor)" }.joined(separator: " ")
    }.joined(separator: "\r\n")
  }
}
