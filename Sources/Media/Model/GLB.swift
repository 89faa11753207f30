import Files

/// Binary glTF: one textured model in one file, for browsers.
///
/// Khronos, "glTF 2.0 specification". Positions in metres; texture coordinates with their origin at the upper left, as glTF
/// has it; the normal map without tangents (viewers derive them as MikkTSpace does).
public enum GLB {
  /// Packs a model. The same model gives the same bytes. Throws as `USDZ.write` does.
  public static func write(_ model: TexturedModel) throws(MediaError) -> [UInt8] {
    try model.check()
    var builder = GLBBuilder()
    builder.geometry(model.mesh)
    builder.material(model)
    let json = builder.document(model)
    let (total, overflow) = (28 + json.count).addingReportingOverflow(builder.binary.count)
    guard !overflow, total <= Int(UInt32.max) else {
      throw MediaError(.tooLarge, place: model.name, "a GLB of more than 4 GB")
    }
    var out: [UInt8] = []
    out.reserveCapacity(total)
    out.append("glTF")
    out.append(little: UInt32(2))
    out.append(little: UInt32(total))
    out.append(little: UInt32(json.count))
    out.append("JSON")
    out.append(contentsOf: json)
    out.append(little: UInt32(builder.binary.count))
    out.append("BIN\0")
    out.append(contentsOf: builder.binary)
    return out
  }
}

private struct GLBBuilder {
  var binary: [UInt8] = []
  var views: [String] = []
  var accessors: [String] = []
  var attributes: [String] = []
  var images: [String] = []
  var indices = 0
  var materialBody = ""

  private static let vertexTarget = 34_962
  private static let indexTarget = 34_963
  private static let floatType = 5126

  mutating func geometry(_ mesh: TriangleMesh) {
    let metres = mesh.positions.map { $0 / 1000 }
    let box = TriangleMesh(positions: metres).bounds ?? (.zero, .zero)
    let range = "\"min\":\(list(box.min)),\"max\":\(list(box.max))"
    attribute("POSITION", metres.count, "VEC3", range) { bytes in
      for p in metres { for k in 0..<3 { bytes.append(little: p[k].bitPattern) } }
    }
    if !mesh.normals.isEmpty {
      attribute("NORMAL", mesh.normals.count, "VEC3") { bytes in
        for n in mesh.normals {
          let length = (n * n).sum().squareRoot()
          let unit = length > 0 ? n / length : [0, 1, 0]
          for k in 0..<3 { bytes.append(little: unit[k].bitPattern) }
        }
      }
    }
    if !mesh.uvs.isEmpty {
      attribute("TEXCOORD_0", mesh.uvs.count, "VEC2") { bytes in
        for uv in mesh.uvs {
          bytes.append(little: uv.x.bitPattern)
          bytes.append(little: (1 - uv.y).bitPattern)
        }
      }
    }
    // 65 535 is the restart index and may not be used
    let short = mesh.positions.count < 65_535
    let view = view(target: GLBBuilder.indexTarget) { bytes in
      for t in mesh.triangles {
        for k in 0..<3 {
          if short { bytes.append(little: UInt16(t[k])) } else { bytes.append(little: t[k]) }
        }
      }
    }
    indices = accessors.count
    accessors.append(
      "{\"bufferView\":\(view),\"componentType\":\(short ? 5123 : 5125),\"count\":\(mesh.triangles.count * 3),"
        + "\"type\":\"SCALAR\"}")
  }

  private mutating func attribute(
    _ name: String, _ count: Int, _ type: String, _ range: String = "", _ fill: (inout [UInt8]) -> Void
  ) {
    let view = view(target: GLBBuilder.vertexTarget, fill)
    attributes.append("\"\(name)\":\(accessors.count)")
    accessors.append(
      "{\"bufferView\":\(view),\"componentType\":\(GLBBuilder.floatType),\"count\":\(count),\"type\":\"\(type)\""
        + (range.isEmpty ? "}" : ",\(range)}"))
  }

  private mutating func view(target: Int? = nil, _ fill: (inout [UInt8]) -> Void) -> Int {
    let start = binary.count
    fill(&binary)
    let length = binary.count - start
    while binary.count % 4 != 0 { binary.append(0) }
    let suffix = target.map { ",\"target\":\($0)" } ?? ""
    views.append("{\"buffer\":0,\"byteOffset\":\(start),\"byteLength\":\(length)\(suffix)}")
    return views.count - 1
  }

  mutating func material(_ model: TexturedModel) {
    var surface = "\"metallicFactor\":0,\"roughnessFactor\":0.9"
    if let picture = model.diffuse { surface += ",\"baseColorTexture\":{\"index\":\(texture("diffuse", picture))}" }
    materialBody = "\"name\":\"material\",\"pbrMetallicRoughness\":{\(surface)}"
    if let picture = model.normal { materialBody += ",\"normalTexture\":{\"index\":\(texture("normal", picture))}" }
    if let picture = model.occlusion {
      materialBody += ",\"occlusionTexture\":{\"index\":\(texture("occlusion", picture))}"
    }
  }

  private mutating func texture(_ name: String, _ picture: TexturedModel.Picture) -> Int {
    let view = view { $0.append(contentsOf: picture.bytes) }
    images.append("{\"name\":\"\(name)\",\"bufferView\":\(view),\"mimeType\":\"\(picture.format.rawValue)\"}")
    return images.count - 1
  }

  func document(_ model: TexturedModel) -> [UInt8] {
    let name = JSONString.quoted(model.name)
    var extras = ["\"name\":\(name)", "\"identifier\":\(JSONString.quoted(model.identifier))"]
    var seen: Set<String> = ["name", "identifier"]
    for (key, value) in model.metadata where seen.insert(key).inserted {
      extras.append("\(JSONString.quoted(key)):\(JSONString.quoted(value))")
    }
    var parts = [
      "\"asset\":{\"version\":\"2.0\",\"generator\":\"twinrig\"}",
      "\"scene\":0,\"scenes\":[{\"nodes\":[0]}]",
      "\"nodes\":[{\"mesh\":0,\"name\":\(name),\"extras\":{\(extras.joined(separator: ","))}}]",
      "\"meshes\":[{\"name\":\(name),\"primitives\":[{\"attributes\":{\(attributes.joined(separator: ","))},"
        + "\"indices\":\(indices),\"material\":0}]}]",
      "\"materials\":[{\(materialBody)}]",
      "\"accessors\":[\(accessors.joined(separator: ","))]",
      "\"bufferViews\":[\(views.joined(separator: ","))]",
      "\"buffers\":[{\"byteLength\":\(binary.count)}]"
    ]
    if !images.isEmpty {
      parts.append("\"images\":[\(images.joined(separator: ","))]")
      // clamp to edge, linear with mipmaps
      parts.append("\"samplers\":[{\"magFilter\":9729,\"minFilter\":9987,\"wrapS\":33071,\"wrapT\":33071}]")
      let textures = images.indices.map { "{\"sampler\":0,\"source\":\($0)}" }
      parts.append("\"textures\":[\(textures.joined(separator: ","))]")
    }
    var bytes = Array("{\(parts.joined(separator: ","))}".utf8)
    while bytes.count % 4 != 0 { bytes.append(0x20) }
    return bytes
  }

  private func list(_ v: SIMD3<Float>) -> String { "[\(v.x),\(v.y),\(v.z)]" }
}
