/// The layer of a model as USDA text.
enum USDText {
  /// The pictures with their names inside the package.
  static func pictures(_ model: TexturedModel) -> [(String, TexturedModel.Picture)] {
    [("diffuse", model.diffuse), ("normal", model.normal), ("occlusion", model.occlusion)].compactMap { name, picture in
      picture.map { ("textures/\(name).\($0.format.ending)", $0) }
    }
  }

  static func layer(_ model: TexturedModel) -> [UInt8] {
    let root = USDIdentifier.of(model.name)
    var out: [UInt8] = []
    out.reserveCapacity(model.mesh.positions.count * 80 + model.mesh.triangles.count * 24 + 8192)
    out.append(
      """
      #usda 1.0
      (
          customLayerData = {
              string creator = "twinrig"
          }
          defaultPrim = "\(root)"
          metersPerUnit = 1
          upAxis = "Y"
      )

      def Xform "\(root)" (
          assetInfo = {
      \(entry("identifier", model.identifier.isEmpty ? model.name : model.identifier, indent: 8))
      \(entry("name", model.name, indent: 8))
          }
          customData = {
      \(metadata(model))
          }
          displayName = \(quoted(model.name))
          kind = "component"
      )
      {

      """)
    mesh(&out, model, root)
    out.append(material(model, root))
    out.append("}\n")
    return out
  }

  // MARK: the surface

  private static func mesh(_ out: inout [UInt8], _ model: TexturedModel, _ root: String) {
    let mesh = model.mesh
    out.append("    def Mesh \"surface\" (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )\n    {\n")
    // the extent has to hold the points as they are written, so it is rounded like them
    let box = mesh.bounds ?? (.zero, .zero)
    out.append("        float3[] extent = [")
    tuple(&out, [box.min.x, box.min.y, box.min.z], metres)
    out.append(", ")
    tuple(&out, [box.max.x, box.max.y, box.max.z], metres)
    out.append("]\n        int[] faceVertexCounts = [")
    list(&out, mesh.triangles.count) { out, _ in out.append(UInt8(ascii: "3")) }
    out.append("]\n        int[] faceVertexIndices = [")
    list(&out, mesh.triangles.count) { out, i in
      let t = mesh.triangles[i]
      for k in 0..<3 {
        if k > 0 { out.append(UInt8(ascii: ",")) }
        Decimal.append(&out, Int(t[k]))
      }
    }
    out.append("]\n        rel material:binding = </\(root)/material>\n")
    if !mesh.normals.isEmpty {
      out.append("        normal3f[] normals = [")
      list(&out, mesh.normals.count) { out, i in
        tuple(&out, [mesh.normals[i].x, mesh.normals[i].y, mesh.normals[i].z], unit)
      }
      out.append("] (\n            interpolation = \"vertex\"\n        )\n")
    }
    out.append("        point3f[] points = [")
    list(&out, mesh.positions.count) { out, i in
      tuple(&out, [mesh.positions[i].x, mesh.positions[i].y, mesh.positions[i].z], metres)
    }
    out.append("]\n")
    if !mesh.uvs.isEmpty {
      out.append("        texCoord2f[] primvars:st = [")
      list(&out, mesh.uvs.count) { out, i in tuple(&out, [mesh.uvs[i].x, mesh.uvs[i].y], unit) }
      out.append("] (\n            interpolation = \"vertex\"\n        )\n")
    }
    out.append("        uniform token subdivisionScheme = \"none\"\n    }\n\n")
  }

  /// Micrometres: a tenth of what the best rig resolves.
  private static let metres = (factor: 1000.0, decimals: 6)
  private static let unit = (factor: 1_000_000.0, decimals: 6)

  private static func tuple(_ out: inout [UInt8], _ values: [Float], _ format: (factor: Double, decimals: Int)) {
    out.append(UInt8(ascii: "("))
    for (i, value) in values.enumerated() {
      if i > 0 { out.append(UInt8(ascii: ",")) }
      Decimal.append(&out, (Double(value) * format.factor).rounded(), decimals: format.decimals)
    }
    out.append(UInt8(ascii: ")"))
  }

  private static func list(_ out: inout [UInt8], _ count: Int, _ item: (inout [UInt8], Int) -> Void) {
    for i in 0..<count {
      if i > 0 { out.append(UInt8(ascii: ",")) }
      item(&out, i)
    }
  }

  // MARK: the material

  private static func material(_ model: TexturedModel, _ root: String) -> String {
    let material = "/\(root)/material"
    var inputs: [String] = []
    var shaders: [String] = []
    func texture(
      _ name: String, _ picture: TexturedModel.Picture, colourSpace: String, output: String, more: String = ""
    ) {
      shaders.append(
        """
                def Shader "\(name)"
                {
                    uniform token info:id = "UsdUVTexture"
                    asset inputs:file = @textures/\(name).\(picture.format.ending)@
        \(more)            token inputs:sourceColorSpace = "\(colourSpace)"
                    float2 inputs:st.connect = <\(material)/coordinates.outputs:result>
                    token inputs:wrapS = "clamp"
                    token inputs:wrapT = "clamp"
                    \(output)
                }

        """)
    }
    if let picture = model.diffuse {
      inputs.append("color3f inputs:diffuseColor.connect = <\(material)/diffuse.outputs:rgb>")
      texture("diffuse", picture, colourSpace: "sRGB", output: "float3 outputs:rgb")
    } else {
      inputs.append("color3f inputs:diffuseColor = (0.6, 0.6, 0.6)")
    }
    inputs.append("float inputs:metallic = 0")
    if let picture = model.normal {
      inputs.append("normal3f inputs:normal.connect = <\(material)/normal.outputs:rgb>")
      // 8-bit (n + 1) / 2 back to −1…1
      let more = "            float4 inputs:bias = (-1, -1, -1, 0)\n            float4 inputs:scale = (2, 2, 2, 1)\n"
      texture("normal", picture, colourSpace: "raw", output: "float3 outputs:rgb", more: more)
    }
    if let picture = model.occlusion {
      inputs.append("float inputs:occlusion.connect = <\(material)/occlusion.outputs:r>")
      texture("occlusion", picture, colourSpace: "raw", output: "float outputs:r")
    }
    inputs.append("float inputs:roughness = 0.9")
    if !shaders.isEmpty { shaders.insert(coordinates, at: 0) }
    return """
          def Material "material"
          {
              token outputs:surface.connect = <\(material)/surface.outputs:surface>

              def Shader "surface"
              {
                  uniform token info:id = "UsdPreviewSurface"
      \(inputs.map { "            " + $0 }.joined(separator: "\n"))
                  token outputs:surface
              }

      \(shaders.joined(separator: "\n"))    }

      """
  }

  private static let coordinates = """
            def Shader "coordinates"
            {
                uniform token info:id = "UsdPrimvarReader_float2"
                string inputs:varname = "st"
                float2 outputs:result
            }

    """

  // MARK: words

  private static func metadata(_ model: TexturedModel) -> String {
    var seen: Set<String> = ["name", "identifier"]
    var lines = [entry("name", model.name, indent: 8), entry("identifier", model.identifier, indent: 8)]
    for (name, value) in model.metadata {
      let key = USDIdentifier.of(name)
      if seen.insert(key).inserted { lines.append(entry(key, value, indent: 8)) }
    }
    return lines.joined(separator: "\n")
  }

  private static func entry(_ key: String, _ value: String, indent: Int) -> String {
    String(repeating: " ", count: indent) + "string \(key) = \(quoted(value))"
  }

  static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\t": out += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: out += " "
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}
