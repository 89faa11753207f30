import Media
import TestSupport
import Testing

@Suite struct PLYTests {
  @Test(arguments: [PLY.Encoding.binary, .text]) func aRoundTripIsExact(encoding: PLY.Encoding) throws {
    var mesh = Shapes.box()
    mesh.positions[0].x = 0.1
    mesh.positions[1].y = -1.234_567e-8
    let back = try PLY.read(PLY.write(mesh, encoding: encoding, comments: ["made\nof two lines"]))
    #expect(back.positions == mesh.positions)
    #expect(back.normals == mesh.normals)
    #expect(back.uvs == mesh.uvs)
    #expect(back.colours == mesh.colours)
    #expect(back.triangles == mesh.triangles)
  }

  @Test func aCloudHasNoFaces() throws {
    let cloud = TriangleMesh(positions: [[1, 2, 3], [4, 5, 6]])
    let back = try PLY.read(PLY.write(cloud))
    #expect(back.positions == cloud.positions && back.triangles.isEmpty && back.normals.isEmpty && back.colours.isEmpty)
  }

  @Test func foreignFilesWithOtherPropertiesAndOrdersAreRead() throws {
    let text = """
      ply\r
      format ascii 1.0\r
      comment other tools add what they like\r
      element camera 1\r
      property list uchar float k\r
      element vertex 4\r
      property double confidence\r
      property float x\r
      property float y\r
      property float z\r
      property float red\r
      property float green\r
      property float blue\r
      element face 1\r
      property uchar flags\r
      property list uchar int vertex_index\r
      end_header\r
      3 1 2 3\r
      0.5 0 0 0 1 0 0\r
      0.5 1 0 0 0 1 0\r
      0.5 1 1e0 0 0 0 1\r
      0.5 0 +1 .0 0.5 2 -1\r
      7 4 0 1 2 3\r

      """
    let mesh = try PLY.read(Array(text.utf8))
    #expect(mesh.positions == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    #expect(mesh.triangles == [[0, 1, 2], [0, 2, 3]])
    #expect(mesh.colours == [[255, 0, 0], [0, 255, 0], [0, 0, 255], [128, 255, 0]])
  }

  @Test func bigEndianIsRead() throws {
    var bytes = Array(
      """
      ply
      format binary_big_endian 1.0
      element vertex 3
      property short x
      property float y
      property double z
      element face 1
      property list ushort uint vertex_indices
      end_header

      """.utf8)
    func big<T: FixedWidthInteger>(_ value: T) { withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) } }
    for i in 0..<3 {
      big(Int16(-i))
      big(Float(i).bitPattern)
      big((Double(i) * 0.5).bitPattern)
    }
    big(UInt16(3))
    for i in 0..<3 { big(UInt32(i)) }
    let mesh = try PLY.read(bytes)
    #expect(mesh.positions == [[0, 0, 0], [-1, 1, 0.5], [-2, 2, 1]])
    #expect(mesh.triangles == [[0, 1, 2]])
  }

  @Test(arguments: [PLY.Encoding.binary, .text]) func everyCutIsAnError(encoding: PLY.Encoding) {
    let bytes = PLY.write(Shapes.box(), encoding: encoding)
    for end in stride(from: 0, to: bytes.count - 3, by: 3) {
      #expect(throws: MediaError.self) { try PLY.read(Array(bytes[..<end])) }
    }
  }

  @Test func promisesBeyondTheFileOrTheLimitsAreRefused() throws {
    func header(_ vertices: String, _ faces: String = "0") -> [UInt8] {
      Array(
        "ply\nformat binary_little_endian 1.0\nelement vertex \(vertices)\nproperty float x\nproperty float y\nproperty float z\nelement face \(faces)\nproperty list uchar int vertex_indices\nend_header\n"
          .utf8)
    }
    #expect { try PLY.read(header("29999999")) } throws: { ($0 as? MediaError)?.kind == .truncated }
    #expect { try PLY.read(header("30000001")) } throws: { ($0 as? MediaError)?.kind == .tooLarge }
    #expect { try PLY.read(header("0", "29999999")) } throws: { ($0 as? MediaError)?.kind == .truncated }
    for bad in ["-1", "9223372036854775807", "99999999999999999999", "x"] {
      #expect(throws: MediaError.self) { try PLY.read(header(bad)) }
    }
  }

  @Test func anIndexOutsideTheVerticesIsRefused() {
    var bytes = PLY.write(Shapes.box())
    bytes[bytes.count - 4] = 24
    #expect { try PLY.read(bytes) } throws: { ($0 as? MediaError)?.kind == .invalid }
  }

  @Test(arguments: [PLY.Encoding.binary, .text]) func flippedBitsNeverTrap(encoding: PLY.Encoding) {
    let bytes = PLY.write(Shapes.box(), encoding: encoding)
    var random = SplitMix(seed: 11)
    for _ in 0..<1500 {
      var spoiled = bytes
      for _ in 0..<3 { spoiled[Int(random.next() % UInt64(bytes.count))] ^= UInt8(1 << (random.next() % 8)) }
      if let mesh = try? PLY.read(spoiled) {
        #expect(mesh.triangles.allSatisfy { $0.max() < UInt32(mesh.positions.count) })
      }
    }
  }
}
