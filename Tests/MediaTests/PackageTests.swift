import Foundation
import Media
import TestSupport
import Testing

@Suite struct ZipTests {
  @Test func payloadsAreStoredAlignedAndChecked() throws {
    let files: [(String, [UInt8])] = [
      ("a.usda", Array("#usda 1.0\n".utf8)), ("textures/b.png", []), ("ü.bin", [UInt8](0...255))
    ]
    var archive = ZipArchive()
    for (name, payload) in files { try archive.add(name, payload) }
    let entries = try ZipReading.entries(archive.finished())
    #expect(entries.map(\.name) == files.map(\.0))
    #expect(entries.map(\.payload) == files.map(\.1))
    #expect(entries.allSatisfy { $0.offset % ZipArchive.alignment == 0 })
  }

  @Test func everyNameLengthIsAligned() throws {
    var archive = ZipArchive()
    for length in 1...130 {
      try archive.add(String(repeating: "n", count: length), [UInt8](repeating: 1, count: length * 7))
    }
    let entries = try ZipReading.entries(archive.finished())
    #expect(entries.count == 130 && entries.allSatisfy { $0.offset % 64 == 0 })
  }

  @Test func anEmptyArchiveIsAnArchive() throws {
    #expect(try ZipReading.entries(ZipArchive().finished()).isEmpty)
  }

  @Test func checksumsAreThoseOfTheStandard() {
    #expect(CRC32.of(Array("123456789".utf8)) == 0xCBF4_3926)
    for length in 0..<40 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
      #expect(CRC32.of(bytes) == ZipReading.crc32(bytes))
    }
  }
}

@Suite struct USDZTests {
  private func model(name: String = "Box", pictures: Bool = true) -> TexturedModel {
    let picture = pictures ? TexturedModel.Picture([1, 2, 3], .png) : nil
    return TexturedModel(
      name: name, identifier: "id-7", mesh: Shapes.box(), diffuse: pictures ? .init([9, 9], .jpeg) : nil,
      normal: picture,
      occlusion: picture, metadata: [("scan date", "2026-11-30"), ("name", "not this")])
  }

  private func layer(_ bytes: [UInt8]) throws -> CrateReading {
    try CrateReading(try #require(try ZipReading.entries(bytes).first).payload)
  }

  @Test func theRootLayerComesFirstAndThePicturesFollow() throws {
    let entries = try ZipReading.entries(try USDZ.write(model()))
    #expect(
      entries.map(\.name) == ["Box.usdc", "textures/diffuse.jpg", "textures/normal.png", "textures/occlusion.png"])
    #expect(entries[1].payload == [9, 9] && entries.allSatisfy { $0.offset % 64 == 0 })
  }

  @Test func theLayerSaysWhatViewersNeed() throws {
    let layer = try layer(try USDZ.write(model()))
    #expect(try layer.word("/", "defaultPrim") == "Box" && layer.word("/", "upAxis") == "Y")
    #expect(try layer.float("/", "metersPerUnit") == 1)
    #expect(
      try layer.names("/", "primChildren") == ["Box"] && layer.names("/Box", "primChildren") == ["surface", "material"])
    #expect(try layer.word("/Box", "typeName") == "Xform" && layer.word("/Box", "kind") == "component")
    #expect(try layer.texts("/Box", "assetInfo") == ["identifier": "id-7", "name": "Box"])
    #expect(
      try layer.texts("/Box", "customData") == ["identifier": "id-7", "name": "Box", "scan_date": "2026-11-30"])
    #expect(try layer.word("/Box/surface", "typeName") == "Mesh")
    #expect(try layer.word("/Box/surface.subdivisionScheme", "default") == "none")
    #expect(try layer.word("/Box/surface.normals", "interpolation") == "vertex")
    #expect(try layer.word("/Box/material/diffuse.inputs:file", "default") == "textures/diffuse.jpg")
    #expect(try layer.word("/Box/material/diffuse.inputs:sourceColorSpace", "default") == "sRGB")
    #expect(try layer.word("/Box/material/normal.inputs:sourceColorSpace", "default") == "raw")
    #expect(try layer.floats("/Box/material/normal.inputs:scale", "default", width: 4) == [2, 2, 2, 1])
    #expect(try layer.floats("/Box/material/normal.inputs:bias", "default", width: 4) == [-1, -1, -1, 0])
    #expect(try layer.word("/Box/material/surface.info:id", "default") == "UsdPreviewSurface")
    for input in ["diffuseColor", "normal", "occlusion"] {
      #expect(layer.specs["/Box/material/surface.inputs:\(input)"]?.fields["connectionPaths"] != nil)
    }
    #expect(layer.specs["/Box/surface.material:binding"]?.kind == 8)
  }

  @Test func theNumbersAreTheMeshsInMetres() throws {
    let mesh = Shapes.box([12.3456, 0.001, 98_765.432])
    let layer = try layer(try USDZ.write(TexturedModel(name: "n", mesh: mesh)))
    #expect(
      try layer.floats("/n/surface.points", "default", width: 3)
        == mesh.positions.flatMap { [$0.x / 1000, $0.y / 1000, $0.z / 1000] })
    #expect(try layer.floats("/n/surface.normals", "default", width: 3) == mesh.normals.flatMap { [$0.x, $0.y, $0.z] })
    #expect(try layer.floats("/n/surface.primvars:st", "default", width: 2) == mesh.uvs.flatMap { [$0.x, $0.y] })
    let indices = mesh.triangles.flatMap { [Int($0.x), Int($0.y), Int($0.z)] }
    #expect(try layer.whole("/n/surface.faceVertexIndices", "default") == indices)
    #expect(try layer.whole("/n/surface.faceVertexCounts", "default") == [Int](repeating: 3, count: 12))
    let box = try layer.floats("/n/surface.extent", "default", width: 3)
    #expect(box[0] == -12.3456 / 2000 && box[4] == 0.001 / 2000)
    #expect(layer.specs["/n/material/coordinates"] == nil)
  }

  @Test func largeAndWildIndicesSurviveTheirCoding() throws {
    var mesh = TriangleMesh()
    mesh.positions = (0..<70_001).map { [Float($0), 1, Float($0 % 7)] }
    var random = SplitMix(seed: 21)
    for i in 0..<UInt32(1000) { mesh.triangles.append([i, i + 1, i + 2]) }
    for _ in 0..<2000 {
      let a = UInt32(random.next() % 70_001)
      let b = UInt32(random.next() % 300)
      mesh.triangles.append([a, b, UInt32(random.next() % 33_000)])
    }
    let layer = try layer(try USDZ.write(TexturedModel(name: "n", mesh: mesh)))
    #expect(
      try layer.whole("/n/surface.faceVertexIndices", "default")
        == mesh.triangles.flatMap { [Int($0.x), Int($0.y), Int($0.z)] })
    // one step is the most common of all and costs two bits, which LZ4 then folds
    #expect(try layer.whole("/n/surface.faceVertexCounts", "default") == [Int](repeating: 3, count: 3000))
  }

  @Test(arguments: [
    ("7 Up \"tin\"\\", "_7_Up_tin"), ("", "model"), ("äöü", "model"), ("a\nb", "a_b"), ("___", "model"), ("x-1", "x_1")
  ]) func namesBecomeValidPrimsAndAreKeptForPeople(name: String, prim: String) throws {
    let layer = try layer(try USDZ.write(model(name: name)))
    #expect(try layer.word("/", "defaultPrim") == prim)
    #expect(try layer.word("/" + prim, "displayName") == name)
  }

  @Test func theSameModelGivesTheSameBytes() throws {
    #expect(try USDZ.write(model()) == USDZ.write(model()))
    #expect(try GLB.write(model()) == GLB.write(model()))
  }

  @Test func brokenModelsAreRefused() {
    var mesh = Shapes.box()
    mesh.triangles[3].y = 24
    #expect(throws: MediaError.self) { try USDZ.write(TexturedModel(name: "a", mesh: mesh)) }
    #expect(throws: MediaError.self) { try USDZ.write(TexturedModel(name: "a", mesh: TriangleMesh())) }
    mesh = Shapes.box()
    mesh.positions[0].x = .nan
    #expect(throws: MediaError.self) { try GLB.write(TexturedModel(name: "a", mesh: mesh)) }
    mesh = Shapes.box()
    mesh.uvs = []
    #expect(throws: MediaError.self) { try GLB.write(TexturedModel(name: "a", mesh: mesh, diffuse: .init([], .png))) }
    mesh.normals.removeLast()
    #expect(throws: MediaError.self) { try GLB.write(TexturedModel(name: "a", mesh: mesh)) }
  }

  // MARK: GLB

  private func chunks(_ bytes: [UInt8]) throws -> (json: [String: Any], binary: [UInt8]) {
    func word(_ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
    #expect(bytes.starts(with: Array("glTF".utf8)) && word(4) == 2 && word(8) == bytes.count)
    let jsonLength = word(12)
    #expect(jsonLength % 4 == 0 && bytes[16..<20].elementsEqual(Array("JSON".utf8)))
    let json = try JSONSerialization.jsonObject(with: Data(bytes[20..<20 + jsonLength]))
    let start = 20 + jsonLength
    #expect(word(start) == bytes.count - start - 8 && word(start) % 4 == 0)
    #expect(bytes[(start + 4)..<(start + 8)].elementsEqual(Array("BIN\0".utf8)))
    return (try #require(json as? [String: Any]), Array(bytes[(start + 8)...]))
  }

  @Test func theGLBHoldsTheMeshInMetresAndThePictures() throws {
    let mesh = Shapes.box()
    let (json, binary) = try chunks(try GLB.write(model(name: "a \"b\"\n")))
    let views = try #require(json["bufferViews"] as? [[String: Int]])
    let accessors = try #require(json["accessors"] as? [[String: Any]])
    func bytes(_ view: Int) throws -> [UInt8] {
      let from = try #require(views[view]["byteOffset"])
      return Array(binary[from..<from + (try #require(views[view]["byteLength"]))])
    }
    func floats(_ accessor: Int) throws -> [Float] {
      let raw = try bytes(try #require(accessors[accessor]["bufferView"] as? Int))
      return stride(from: 0, to: raw.count, by: 4).map { i in
        Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(raw[i + $1]) << UInt32(8 * $1) })
      }
    }
    #expect(try floats(0) == mesh.positions.flatMap { [$0.x / 1000, $0.y / 1000, $0.z / 1000] })
    #expect(try floats(1) == mesh.normals.flatMap { [$0.x, $0.y, $0.z] })
    #expect(try floats(2) == mesh.uvs.flatMap { [$0.x, 1 - $0.y] })
    let least = try #require(accessors[0]["min"] as? [Double])
    #expect(least.map { Float($0) } == [-0.05, -0.03, -0.02])
    let indices = try bytes(try #require(accessors[3]["bufferView"] as? Int))
    #expect(accessors[3]["componentType"] as? Int == 5123 && indices.count == 72)
    #expect(indices[0] == 0 && indices[2] == 1 && indices[4] == 2)
    let images = try #require(json["images"] as? [[String: Any]])
    #expect(images.map { $0["mimeType"] as? String } == ["image/jpeg", "image/png", "image/png"])
    #expect(try bytes(try #require(images[0]["bufferView"] as? Int)) == [9, 9])
    let node = try #require((json["nodes"] as? [[String: Any]])?.first)
    #expect(node["name"] as? String == "a \"b\"\n")
    #expect((node["extras"] as? [String: String])?["scan date"] == "2026-11-30")
    let material = try #require((json["materials"] as? [[String: Any]])?.first)
    #expect((material["occlusionTexture"] as? [String: Int])?["index"] == 2)
  }

  @Test func manyVerticesTakeLongIndices() throws {
    var mesh = TriangleMesh()
    mesh.positions = (0..<65_536).map { [Float($0), 0, Float($0 % 7)] }
    mesh.triangles = [[0, 1, 65_535]]
    let (json, binary) = try chunks(try GLB.write(TexturedModel(name: "long", mesh: mesh)))
    let accessors = try #require(json["accessors"] as? [[String: Any]])
    #expect(accessors[1]["componentType"] as? Int == 5125)
    #expect(Array(binary.suffix(4)) == [0xFF, 0xFF, 0, 0])
    #expect(json["textures"] == nil)
  }
}

/// A zip reader that believes nothing: what the writer says in three places has to agree.
enum ZipReading {
  struct Entry {
    var name: String
    var offset: Int
    var payload: [UInt8]
  }

  static func entries(_ bytes: [UInt8]) throws -> [Entry] {
    func number(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
    let end = bytes.count - 22
    #expect(number(end, 4) == 0x0605_4B50)
    let count = number(end + 10, 2)
    var at = number(end + 16, 4)
    #expect(at + number(end + 12, 4) == end)
    var entries: [Entry] = []
    for _ in 0..<count {
      #expect(number(at, 4) == 0x0201_4B50)
      let local = number(at + 42, 4)
      let size = number(at + 24, 4)
      let nameCount = number(at + 28, 2)
      let name = String(decoding: bytes[(at + 46)..<(at + 46 + nameCount)], as: UTF8.self)
      #expect(number(local, 4) == 0x0403_4B50 && number(local + 8, 2) == 0 && number(local + 26, 2) == nameCount)
      #expect(
        number(local + 18, 4) == size && number(local + 22, 4) == size && number(local + 14, 4) == number(at + 16, 4))
      let offset = local + 30 + nameCount + number(local + 28, 2)
      let payload = Array(bytes[offset..<offset + size])
      #expect(Int(crc32(payload)) == number(at + 16, 4))
      entries.append(Entry(name: name, offset: offset, payload: payload))
      at += 46 + nameCount + number(at + 30, 2) + number(at + 32, 2)
    }
    #expect(at == end)
    return entries
  }

  /// The textbook loop of CRC-32 (ISO 3309), bit by bit.
  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var crc = ~UInt32(0)
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
