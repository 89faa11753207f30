import Media
import TestSupport
import Testing

@Suite struct OBJTests {
  private func read(_ text: String, scale: Float = 1, limits: MeshLimits = .standard) throws -> OBJ.Contents {
    try OBJ.read(Array(text.utf8), scale: scale, limits: limits)
  }

  @Test func cornersThatDifferBecomeVerticesOfTheirOwn() throws {
    let mesh = try read(
      """
      v 0 0 0
      v 1 0 0
      v 1 1 0
      v 0 1 0
      vt 0 0
      vt 1 0
      vt 1 1
      vt 0.5 0.5
      vn 0 0 1
      f 1/1/1 2/2/1 3/3/1
      f 1/4/1 3/3/1 4/1/1
      """
    ).mesh
    #expect(mesh.positions == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0], [0, 1, 0]])
    #expect(mesh.triangles == [[0, 1, 2], [3, 2, 4]])
    #expect(mesh.uvs == [[0, 0], [1, 0], [1, 1], [0.5, 0.5], [0, 0]])
    #expect(mesh.normals == [SIMD3<Float>](repeating: [0, 0, 1], count: 5))
  }

  @Test func polygonsAndRelativeIndicesAreRead() throws {
    let mesh = try read("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv -1 .5 0\nf -5 -4 -3 -2 -1\n", scale: 10).mesh
    #expect(mesh.triangles == [[0, 1, 2], [0, 2, 3], [0, 3, 4]])
    #expect(mesh.positions[4] == [-10, 5, 0])
    #expect(mesh.uvs.isEmpty && mesh.normals.isEmpty && mesh.colours.isEmpty)
  }

  @Test func numbersInEveryNotationAreExact() throws {
    let words = [
      "1", "-2.5", "+.5", "3.", "1e3", "1E-3", "0.1", "0.30000001192092896", "123456789012345678901234567890",
      "2.2250738585072014e-308",
      "1e-400", "0000000000000000000000.25"
    ]
    for word in words {
      let mesh = try read("v \(word) 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n").mesh
      let expected = try #require(Double(word))
      #expect(mesh.positions[0].x == Float(expected), "\(word)")
    }
  }

  @Test func materialsSplitTheTrianglesAndColoursAreKept() throws {
    let contents = try read(
      """
      # a comment
      mtllib some file.mtl
      o thing
      v 0 0 0 1 0 0
      v 1 0 0 0 1 0
      v 1 1 0
      usemtl red
      f 1 2 3
      usemtl green # not a comment for OBJ
      s off
      f 3 2 1
      f 1 3 2
      """)
    #expect(contents.libraries == ["some file.mtl"])
    #expect(contents.parts.map(\.triangles) == [0..<1, 1..<3])
    #expect(contents.parts[0].material == "red")
    #expect(contents.mesh.colours == [[255, 0, 0], [0, 255, 0], [255, 255, 255]])
  }

  @Test(arguments: [
    "v 0 0\n", "v 0 0 x\n", "v nan 0 0\n", "v 0 0 1e39\n", "f 1 2 3\n", "v 0 0 0\nf 1 1\n", "v 0 0 0\nf 0 1 1\n",
    "v 0 0 0\nf 1/1 1 1\n", "v 0 0 0\nf 1 1 -2\n", "v 0 0 0\nf 1 1 99999999999999999999\n", "v 0 0 0\nf 1x 1 1\n",
    "v 0 0 0\nvn 0 0\n"
  ]) func nonsenseIsRefusedWithItsLine(text: String) {
    let line = text.split(separator: "\n").count
    #expect { try read(text) } throws: { ($0 as? MediaError)?.place == "line \(line)" }
  }

  @Test func limitsAreKept() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 1\n"
    let tight = MeshLimits(maxVertices: 2, maxTriangles: 9)
    #expect { try read(text, limits: tight) } throws: { ($0 as? MediaError)?.kind == .tooLarge }
    let few = MeshLimits(maxVertices: 9, maxTriangles: 1)
    #expect { try read(text, limits: few) } throws: { ($0 as? MediaError)?.kind == .tooLarge }
  }

  @Test func flippedBitsNeverTrap() {
    let text =
      "mtllib a.mtl\nv 0.25 -1e2 3\nv 1 0 0 1 1 0\nv 0 1 0\nvt 0.5 1\nvn 0 0 1\nusemtl a\nf 1/1/1 2/1/1 3/1/1\nf -1//-1 -2//1 1\n"
    let bytes = Array(text.utf8)
    var random = SplitMix(seed: 12)
    for _ in 0..<3000 {
      var spoiled = bytes
      for _ in 0..<2 { spoiled[Int(random.next() % UInt64(bytes.count))] ^= UInt8(1 << (random.next() % 8)) }
      if let mesh = try? OBJ.read(spoiled).mesh {
        #expect(mesh.triangles.allSatisfy { $0.max() < UInt32(mesh.positions.count) })
      }
    }
  }

  @Test func aMaterialLibraryNamesItsPictureAfterOptions() {
    let text = "Kd 1 1 1\nnewmtl a b\nKd 0.5 0.25 1\nmap_Kd -s 1 1 1 -clamp on my picture.png\r\nnewmtl c\nmap_Kd\n"
    let materials = MTL.read(Array(text.utf8))
    #expect(materials.map(\.name) == ["a b", "c"])
    #expect(materials[0].diffuseMap == "my picture.png" && materials[0].diffuse == [0.5, 0.25, 1])
    #expect(materials[1].diffuseMap == nil)
  }
}
