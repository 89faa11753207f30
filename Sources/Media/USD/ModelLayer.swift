/// A textured model as a layer.
extension CrateLayer {
  init(_ model: TexturedModel) {
    let name = USDIdentifier.of(model.name)
    var texts = [("name", model.name), ("identifier", model.identifier)]
    var seen: Set<String> = ["name", "identifier"]
    for (key, value) in model.metadata {
      let word = USDIdentifier.of(key)
      if seen.insert(word).inserted { texts.append((word, value)) }
    }
    let identity = [("identifier", model.identifier.isEmpty ? model.name : model.identifier), ("name", model.name)]
    let metadata: [(String, Value)] = [
      ("assetInfo", .texts(identity.map { (name: $0.0, value: $0.1) })),
      ("customData", .texts(texts.map { (name: $0.0, value: $0.1) })), ("displayName", .text(model.name)),
      ("kind", .token("component"))
    ]
    let children = [
      CrateLayer.surface(model.mesh, "/\(name)/material"), CrateLayer.material(model, "/\(name)/material")
    ]
    root = Node(
      name: "", kind: .root,
      fields: [
        ("customLayerData", .texts([(name: "creator", value: "twinrig")])), ("defaultPrim", .token(name)),
        ("metersPerUnit", .double(1)), ("upAxis", .token("Y"))
      ], children: [.prim(name, "Xform", metadata, children)])
  }

  private static func surface(_ mesh: TriangleMesh, _ material: String) -> Node {
    let metres = mesh.positions.map { $0 / 1000 }
    let box = TriangleMesh(positions: metres).bounds ?? (.zero, .zero)
    var properties: [Node] = [
      .attribute("float3[]", "extent", .vectors3([box.min, box.max])),
      .attribute("int[]", "faceVertexCounts", .ints([Int32](repeating: 3, count: mesh.triangles.count))),
      .attribute(
        "int[]", "faceVertexIndices",
        .ints(mesh.triangles.flatMap { [Int32(bitPattern: $0.x), Int32(bitPattern: $0.y), Int32(bitPattern: $0.z)] })),
      .relationship("material:binding", material), .attribute("point3f[]", "points", .vectors3(metres))
    ]
    if !mesh.normals.isEmpty {
      properties.append(.attribute("normal3f[]", "normals", .vectors3(mesh.normals), interpolation: "vertex"))
    }
    if !mesh.uvs.isEmpty {
      properties.append(.attribute("texCoord2f[]", "primvars:st", .vectors2(mesh.uvs), interpolation: "vertex"))
    }
    properties.append(.attribute("token", "subdivisionScheme", .token("none"), uniform: true))
    return .prim("surface", "Mesh", [("apiSchemas", .prependedTokens(["MaterialBindingAPI"]))], properties)
  }

  private static func material(_ model: TexturedModel, _ path: String) -> Node {
    var inputs: [Node] = []
    var textures: [Node] = []
    if let picture = model.diffuse {
      inputs.append(.attribute("color3f", "inputs:diffuseColor", connectedTo: path + "/diffuse.outputs:rgb"))
      textures.append(texture("diffuse", picture, "sRGB", path, output: "outputs:rgb"))
    } else {
      inputs.append(.attribute("color3f", "inputs:diffuseColor", .vector3([0.6, 0.6, 0.6])))
    }
    inputs.append(.attribute("float", "inputs:metallic", .float(0)))
    if let picture = model.normal {
      inputs.append(.attribute("normal3f", "inputs:normal", connectedTo: path + "/normal.outputs:rgb"))
      // 8-bit (n + 1) / 2 back to −1…1
      let range: [Node] = [
        .attribute("float4", "inputs:bias", .vector4([-1, -1, -1, 0])),
        .attribute("float4", "inputs:scale", .vector4([2, 2, 2, 1]))
      ]
      textures.append(texture("normal", picture, "raw", path, output: "outputs:rgb", more: range))
    }
    if let picture = model.occlusion {
      inputs.append(.attribute("float", "inputs:occlusion", connectedTo: path + "/occlusion.outputs:r"))
      textures.append(texture("occlusion", picture, "raw", path, output: "outputs:r"))
    }
    inputs.append(.attribute("float", "inputs:roughness", .float(0.9)))
    let surface = shader("surface", "UsdPreviewSurface", inputs + [.attribute("token", "outputs:surface")])
    let coordinates = shader(
      "coordinates", "UsdPrimvarReader_float2",
      [.attribute("string", "inputs:varname", .text("st")), .attribute("float2", "outputs:result")])
    return .prim(
      "material", "Material", [],
      [.attribute("token", "outputs:surface", connectedTo: path + "/surface.outputs:surface"), surface]
        + (textures.isEmpty ? [] : [coordinates]) + textures)
  }

  private static func shader(_ name: String, _ identifier: String, _ properties: [Node]) -> Node {
    .prim(name, "Shader", [], [.attribute("token", "info:id", .token(identifier), uniform: true)] + properties)
  }

  private static func texture(
    _ name: String, _ picture: TexturedModel.Picture, _ colourSpace: String, _ path: String, output: String,
    more: [Node] = []
  ) -> Node {
    let file = "textures/\(name).\(picture.format.ending)"
    return shader(
      name, "UsdUVTexture",
      [.attribute("asset", "inputs:file", .asset(file))] + more + [
        .attribute("token", "inputs:sourceColorSpace", .token(colourSpace)),
        .attribute("float2", "inputs:st", connectedTo: path + "/coordinates.outputs:result"),
        .attribute("token", "inputs:wrapS", .token("clamp")), .attribute("token", "inputs:wrapT", .token("clamp")),
        .attribute(output == "outputs:r" ? "float" : "float3", output)
      ])
  }
}
