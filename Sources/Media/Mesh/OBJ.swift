/// Wavefront OBJ, read only: positions (with the common r g b after x y z), texture coordinates, normals, polygons of any
/// size with relative indices, material names. Curves and surfaces are passed over.
///
/// Format: Wavefront Technologies, "Advanced Visualizer Manual", appendix B1.
public enum OBJ {
  /// What an OBJ file holds. OBJ has no unit: positions come multiplied by what the caller says.
  public struct Contents: Sendable {
    /// One vertex per distinct (position, texture coordinate, normal); polygons cut into fans of triangles.
    /// `uvs` is empty where no corner has any; `normals` is empty unless every corner has one.
    public var mesh: TriangleMesh
    /// Runs of triangles with their material's name, in file order; empty name before the first `usemtl`.
    public var parts: [(material: String, triangles: Range<Int>)]
    /// The material libraries named, as written (relative to the file).
    public var libraries: [String]

    /// The materials of faces, each once, in file order; nil where no face has any.
    fileprivate var materials: [String]? {
      let used = parts.filter { !$0.triangles.isEmpty }
      guard let first = used.first else { return nil }
      var names: [String] = first.triangles.lowerBound > 0 ? [""] : []
      for part in used where !names.contains(part.material) { names.append(part.material) }
      return names == [""] ? nil : names
    }
  }

  /// Reads an OBJ. Positions are multiplied by `scale` (10 makes millimetres of centimetres).
  /// Throws `.invalid` with the line, and `.tooLarge`.
  public static func read(
    _ bytes: [UInt8], scale: Float = 1, limits: MeshLimits = .standard
  ) throws(MediaError) -> Contents {
    var reader = OBJReader(bytes, scale: scale, limits: limits)
    return try reader.read()
  }

  /// The pictures on a mesh.
  public struct Skin: Sendable {
    /// Every picture that the materials of some face name, once, as a path, in the order of the file.
    public var pictures: [String] = []
    /// The materials of faces that have no picture; an empty name for faces before the first `usemtl`.
    public var bare: [String] = []
  }

  /// Reads an OBJ file and finds the pictures that the materials of its faces name. Where no face has a material, those
  /// of the libraries count. A library that is missing costs its pictures, not the mesh. Throws as `read` does, and
  /// `.absent`, `.io`.
  public static func open(
    _ path: String, scale: Float = 1, limits: MeshLimits = .standard
  ) throws(MediaError) -> (contents: Contents, skin: Skin) {
    let contents: Contents
    do {
      contents = try read(try FileBytes.read(path), scale: scale, limits: limits)
    } catch {
      var named = error
      named.place = error.place.map { $0 == path ? path : "\(path), \($0)" } ?? path
      throw named
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    func place(_ name: String) -> String { name.hasPrefix("/") ? name : folder + name }
    let materials = contents.libraries.flatMap { library in
      (try? FileBytes.read(place(library), limit: 16 << 20)).map(MTL.read) ?? []
    }
    var skin = Skin()
    for name in contents.materials ?? materials.map(\.name) {
      let map = materials.first { $0.name == name }?.diffuseMap
      if let picture = map.map(place) {
        if !skin.pictures.contains(picture) { skin.pictures.append(picture) }
      } else if contents.materials != nil {
        skin.bare.append(name)
      }
    }
    return (contents, skin)
  }
}

private struct OBJReader {
  var text: TextNumbers
  let scale: Float
  let limits: MeshLimits

  var positions: [SIMD3<Float>] = []
  var colours: [SIMD3<UInt8>] = []
  var uvs: [SIMD2<Float>] = []
  var normals: [SIMD3<Float>] = []

  var mesh = TriangleMesh()
  var parts: [(material: String, triangles: Range<Int>)] = []
  var libraries: [String] = []
  /// The polygon at hand, as vertices of `mesh`.
  var polygon: [UInt32] = []
  /// For each position the newest vertex made from it, and for each vertex the one made before it from the same position:
  /// a chain is walked instead of hashing, since a position seldom has more than a few vertices.
  var newestVertex: [UInt32] = []
  var vertices: [Vertex] = []
  var everyCornerHasNormal = true

  struct Vertex {
    var uv: Int32
    var normal: Int32
    var older: UInt32
  }

  init(_ bytes: [UInt8], scale: Float, limits: MeshLimits) {
    text = TextNumbers(bytes)
    self.scale = scale
    self.limits = limits
  }

  mutating func read() throws(MediaError) -> OBJ.Contents {
    while !text.isAtEnd {
      text.skipBlanks()
      try statement()
      text.skipLine()
    }
    if let last = parts.indices.last { parts[last].triangles = parts[last].triangles.lowerBound..<mesh.triangles.count }
    parts.removeAll { $0.triangles.isEmpty }
    if !everyCornerHasNormal { mesh.normals = [] }
    if uvs.isEmpty { mesh.uvs = [] }
    return OBJ.Contents(mesh: mesh, parts: parts, libraries: libraries)
  }

  private mutating func statement() throws(MediaError) {
    switch text.next {
    case UInt8(ascii: "v"):
      text.offset += 1
      switch text.next {
      case 0x20, 0x09: try position()
      case UInt8(ascii: "t"):
        text.offset += 1
        uvs.append(SIMD2(Float(try coordinate()), Float(try optionalCoordinate() ?? 0)))
        guard let uv = uvs.last, uv.x.isFinite, uv.y.isFinite else {
          throw invalid("a texture coordinate that is not finite")
        }
        try check(uvs.count, limits.maxVertices, "texture coordinates")
      case UInt8(ascii: "n"):
        text.offset += 1
        normals.append(SIMD3(Float(try coordinate()), Float(try coordinate()), Float(try coordinate())))
        guard let n = normals.last, n.x.isFinite, n.y.isFinite, n.z.isFinite else {
          throw invalid("a normal that is not finite")
        }
        try check(normals.count, limits.maxVertices, "normals")
      default: break
      }
    case UInt8(ascii: "f"):
      text.offset += 1
      if text.next == 0x20 || text.next == 0x09 { try face() }
    case UInt8(ascii: "u"), UInt8(ascii: "m"): material()
    default: break
    }
  }

  private mutating func position() throws(MediaError) {
    let point = SIMD3(Float(try coordinate()), Float(try coordinate()), Float(try coordinate())) * scale
    guard point.x.isFinite, point.y.isFinite, point.z.isFinite else { throw invalid("a position that is not finite") }
    positions.append(point)
    newestVertex.append(.max)
    try check(positions.count, limits.maxVertices, "positions")
    // x y z w has one more number, x y z r g b three
    guard let r = try optionalCoordinate(), let g = try optionalCoordinate(), let b = try optionalCoordinate() else {
      return
    }
    while colours.count < positions.count - 1 { colours.append(.init(repeating: 255)) }
    let colour = SIMD3(r, g, b).clamped(lowerBound: .zero, upperBound: .one) * 255
    guard colour.x.isFinite, colour.y.isFinite, colour.z.isFinite else { throw invalid("a colour that is no number") }
    colours.append(SIMD3<UInt8>(colour.rounded(.toNearestOrEven)))
  }

  private mutating func face() throws(MediaError) {
    polygon.removeAll(keepingCapacity: true)
    while true {
      text.skipBlanks()
      if text.isAtLineEnd || text.next == UInt8(ascii: "#") { break }
      polygon.append(try corner())
    }
    guard polygon.count >= 3 else { throw invalid("a face of \(polygon.count) corners") }
    if parts.isEmpty { parts.append(("", 0..<0)) }
    try check(mesh.triangles.count + polygon.count - 2, limits.maxTriangles, "triangles")
    for i in 2..<polygon.count { mesh.triangles.append(SIMD3(polygon[0], polygon[i - 1], polygon[i])) }
  }

  /// `v`, `v/vt`, `v//vn` or `v/vt/vn`, each from 1 or counted back from the newest.
  private mutating func corner() throws(MediaError) -> UInt32 {
    let position = try index(positions.count, "position")
    var uv = -1
    var normal = -1
    if text.next == UInt8(ascii: "/") {
      text.offset += 1
      if text.next != UInt8(ascii: "/") { uv = try index(uvs.count, "texture coordinate") }
      if text.next == UInt8(ascii: "/") {
        text.offset += 1
        normal = try index(normals.count, "normal")
      }
    }
    if let next = text.next, next > 0x20 { throw invalid("a corner followed by “\(text.word())”") }
    return try vertex(position, Int32(uv), Int32(normal))
  }

  private mutating func index(_ count: Int, _ what: String) throws(MediaError) -> Int {
    guard let number = text.integer() else { throw invalid("a face corner without a number for its \(what)") }
    let place = number > 0 ? number - 1 : count + number
    guard number != 0, place >= 0, place < count else { throw invalid("\(what) \(number) of \(count)") }
    return place
  }

  private mutating func vertex(_ position: Int, _ uv: Int32, _ normal: Int32) throws(MediaError) -> UInt32 {
    var candidate = newestVertex[position]
    while candidate != .max {
      let known = vertices[Int(candidate)]
      if known.uv == uv, known.normal == normal { return candidate }
      candidate = known.older
    }
    let new = UInt32(vertices.count)
    try check(vertices.count + 1, limits.maxVertices, "vertices")
    vertices.append(Vertex(uv: uv, normal: normal, older: newestVertex[position]))
    newestVertex[position] = new
    mesh.positions.append(positions[position])
    mesh.uvs.append(uv < 0 ? .zero : uvs[Int(uv)])
    mesh.normals.append(normal < 0 ? .zero : normals[Int(normal)])
    if normal < 0 { everyCornerHasNormal = false }
    if !colours.isEmpty {
      while mesh.colours.count < mesh.positions.count - 1 { mesh.colours.append(.init(repeating: 255)) }
      mesh.colours.append(position < colours.count ? colours[position] : .init(repeating: 255))
    }
    return new
  }

  private mutating func material() {
    let keyword = text.word()
    guard keyword == "usemtl" || keyword == "mtllib" else { return }
    let name = text.restOfLine()
    if keyword == "mtllib" {
      if libraries.count < 64 { libraries.append(name) }
      return
    }
    if let last = parts.indices.last {
      parts[last].triangles = parts[last].triangles.lowerBound..<mesh.triangles.count
    }
    parts.append((name, mesh.triangles.count..<mesh.triangles.count))
  }

  @inline(__always) private mutating func coordinate() throws(MediaError) -> Double {
    text.skipBlanks()
    guard let value = text.number() else { throw invalid("a number is missing") }
    return value
  }

  @inline(__always) private mutating func optionalCoordinate() throws(MediaError) -> Double? {
    text.skipBlanks()
    return text.isAtLineEnd ? nil : text.number()
  }

  private func check(_ count: Int, _ limit: Int, _ what: String) throws(MediaError) {
    guard count > limit else { return }
    throw MediaError(.tooLarge, place: "line \(text.lineNumber)", "more than \(limit) \(what)")
  }

  private func invalid(_ message: String) -> MediaError {
    MediaError(.invalid, place: "line \(text.lineNumber)", message)
  }
}
