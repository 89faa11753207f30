import Foundation
import Media
import Testing

/// The fuzzers' corpora, replayed: small files of every kind, and every file that once was a find.
@Suite struct CorpusTests {
  private static func files(_ name: String) -> [String] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fuzz/corpus/\(name)").path
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().map { folder + "/" + $0 }
  }

  @Test(arguments: files("PLY")) func aPLYIsReadOrRefused(path: String) throws {
    let refused = path.hasSuffix("promise.ply") || path.contains("/found")
    do {
      let mesh = try PLY.read(try FileBytes.read(path))
      #expect(!refused && mesh.triangles.allSatisfy { $0.max() < UInt32(mesh.positions.count) })
      #expect(try PLY.read(PLY.write(mesh, encoding: .text)).positions == mesh.positions)
    } catch {
      #expect(refused, "\(error)")
    }
  }

  @Test(arguments: files("OBJ")) func anOBJIsRead(path: String) throws {
    let contents = try OBJ.read(try FileBytes.read(path))
    #expect(contents.mesh.triangles.isEmpty == path.hasSuffix(".mtl"))
  }

  @Test func theCorporaAreThere() {
    #expect(Self.files("PLY").count >= 5 && Self.files("OBJ").count >= 3)
  }

  @Test(.enabled(if: SharedData.path("data/objects") != nil)) func realScansAreReadWithTheirPictures() throws {
    let folder = try #require(SharedData.path("data/objects"))
    let objects = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(objects.count >= 7)
    // one with each exporter's habits: the others differ only in their numbers
    for name in ["butter", "chefmate_8_frypan"] {
      let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/" + name)
      let obj = try #require(files.first { $0.hasSuffix(".obj") })
      let (contents, skin) = try OBJ.open("\(folder)/\(name)/\(obj)", scale: name == "butter" ? 10 : 1000)
      #expect(skin.pictures.count == 1 && skin.bare.isEmpty)
      #expect(FileManager.default.fileExists(atPath: try #require(skin.pictures.first)))
      #expect(contents.mesh.triangles.count > 9_000 && contents.mesh.uvs.count == contents.mesh.positions.count)
      let box = try #require(contents.mesh.bounds)
      #expect((box.max - box.min).max() > 30 && (box.max - box.min).max() < 500)
    }
  }
}
