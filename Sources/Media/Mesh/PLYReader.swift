/// Reads the elements that a PLY's header declares.
struct PLYReader {
  var cursor: ByteCursor
  var text: TextNumbers
  let header: PLYHeader
  let limits: MeshLimits
  var mesh = TriangleMesh()

  init(cursor: ByteCursor, header: PLYHeader, limits: MeshLimits) {
    self.cursor = cursor
    text = TextNumbers(cursor.bytes, from: cursor.offset)
    self.header = header
    self.limits = limits
  }

  mutating func read() throws(MediaError) -> TriangleMesh {
    for element in header.elements {
      switch element.name {
      case "vertex": try vertices(element)
      case "face": try faces(element)
      default: try skip(element)
      }
    }
    let count = UInt32(mesh.positions.count)
    for triangle in mesh.triangles where triangle.x >= count || triangle.y >= count || triangle.z >= count {
      throw MediaError(.invalid, "the triangle \(triangle.x) \(triangle.y) \(triangle.z) of \(count) vertices")
    }
    return mesh
  }

  // MARK: vertices

  /// Which of our numbers a vertex property is: 0…2 position, 3…5 normal, 6…7 texture coordinate, 8…10 colour.
  private static let slots: [Substring: Int] = [
    "x": 0, "y": 1, "z": 2, "nx": 3, "ny": 4, "nz": 5, "s": 6, "t": 7, "u": 6, "v": 7, "texture_u": 6, "texture_v": 7,
    "red": 8, "green": 9, "blue": 10, "r": 8, "g": 9, "b": 10
  ]

  private mutating func vertices(_ element: PLYHeader.Element) throws(MediaError) {
    guard mesh.positions.isEmpty else { throw MediaError(.invalid, "two elements called vertex") }
    let slots = element.properties.map { $0.count == nil ? PLYReader.slots[$0.name] : nil }
    guard [0, 1, 2].allSatisfy({ slots.contains($0) }) || element.count == 0 else {
      throw MediaError(.invalid, "the vertices have no x, y and z")
    }
    try promise(element)
    let hasNormals = [3, 4, 5].allSatisfy { slots.contains($0) }
    let hasUVs = [6, 7].allSatisfy { slots.contains($0) }
    let hasColours = [8, 9, 10].allSatisfy { slots.contains($0) }
    mesh.positions.reserveCapacity(element.count)
    var values = [Double](repeating: 0, count: 11)
    for _ in 0..<element.count {
      for (property, slot) in zip(element.properties, slots) {
        guard let slot else {
          try pass(property)
          continue
        }
        let value = try number(property.type)
        values[slot] = slot >= 8 ? PLYReader.byte(value, isReal: property.type.isReal) : value
      }
      let place = SIMD3(Float(values[0]), Float(values[1]), Float(values[2]))
      guard place.x.isFinite, place.y.isFinite, place.z.isFinite else {
        throw MediaError(.invalid, place: "vertex \(mesh.positions.count)", "a position that is not finite")
      }
      mesh.positions.append(place)
      if hasNormals { mesh.normals.append(SIMD3(Float(values[3]), Float(values[4]), Float(values[5]))) }
      if hasUVs { mesh.uvs.append(SIMD2(Float(values[6]), Float(values[7]))) }
      if hasColours { mesh.colours.append(SIMD3(UInt8(values[8]), UInt8(values[9]), UInt8(values[10]))) }
    }
  }

  private static func byte(_ value: Double, isReal: Bool) -> Double {
    let scaled = (isReal ? value * 255 : value).rounded()
    return scaled.isNaN ? 0 : min(max(scaled, 0), 255)
  }

  // MARK: faces

  private mutating func faces(_ element: PLYHeader.Element) throws(MediaError) {
    try promise(element)
    mesh.triangles.reserveCapacity(mesh.triangles.count + element.count)
    for _ in 0..<element.count {
      for property in element.properties {
        if let count = property.count, property.name == "vertex_indices" || property.name == "vertex_index" {
          try polygon(count, property.type)
        } else {
          try pass(property)
        }
      }
    }
  }

  private mutating func polygon(_ countType: PLYHeader.Number, _ type: PLYHeader.Number) throws(MediaError) {
    let count = try length(countType)
    guard mesh.triangles.count + max(count - 2, 0) <= limits.maxTriangles else {
      throw MediaError(.tooLarge, place: place, "more than \(limits.maxTriangles) triangles")
    }
    var first: UInt32 = 0
    var previous: UInt32 = 0
    for i in 0..<count {
      let value = try number(type)
      guard value >= 0, value < 4_294_967_296, value == value.rounded() else {
        throw MediaError(.invalid, place: place, "\(value) is no vertex index")
      }
      let index = UInt32(value)
      if i == 0 { first = index }
      if i >= 2 { mesh.triangles.append(SIMD3(first, previous, index)) }
      previous = index
    }
  }

  // MARK: records

  private mutating func skip(_ element: PLYHeader.Element) throws(MediaError) {
    try promise(element)
    if header.encoding != .text, !element.hasLists {
      _ = try cursor.take(element.count, recordsOf: element.recordSize)
      return
    }
    for _ in 0..<element.count { for property in element.properties { try pass(property) } }
  }

  private mutating func pass(_ property: PLYHeader.Property) throws(MediaError) {
    guard let countType = property.count else {
      _ = try number(property.type)
      return
    }
    let count = try length(countType)
    if header.encoding == .text {
      for _ in 0..<count { _ = try number(property.type) }
    } else {
      _ = try cursor.take(count, recordsOf: property.type.size)
    }
  }

  /// A header may promise millions where the file holds none: no memory is reserved, and no empty record counted, beyond
  /// what the bytes left can hold.
  private func promise(_ element: PLYHeader.Element) throws(MediaError) {
    let text = header.encoding == .text
    let least = element.properties.reduce(0) { $0 + (text ? 2 : ($1.count ?? $1.type).size) }
    let left = text ? self.text.bytes.count - self.text.offset + 1 : cursor.left
    let (wanted, overflow) = element.count.multipliedReportingOverflow(by: max(least, 1))
    guard !overflow, wanted <= left else {
      throw MediaError(.truncated, place: place, "\(element.count) of \(element.name) promised, \(left) bytes left")
    }
  }

  private mutating func length(_ type: PLYHeader.Number) throws(MediaError) -> Int {
    let value = try number(type)
    guard value >= 0, value <= Double(limits.maxTriangles), value == value.rounded() else {
      throw MediaError(.invalid, place: place, "a list of \(value) entries")
    }
    return Int(value)
  }

  @inline(__always) private mutating func number(_ type: PLYHeader.Number) throws(MediaError) -> Double {
    if header.encoding == .text {
      text.skipSpace()
      guard let value = text.number() else {
        throw MediaError(text.isAtEnd ? .truncated : .invalid, place: place, "a number is missing")
      }
      return value
    }
    let at = try cursor.take(type.size)
    let big = header.encoding == .big
    switch type {
    case .uint8: return Double(cursor.bytes[at])
    case .int8: return Double(Int8(bitPattern: cursor.bytes[at]))
    case .uint16: return Double(big ? cursor.bytes.big16(at) : cursor.bytes.little16(at))
    case .int16: return Double(Int16(bitPattern: big ? cursor.bytes.big16(at) : cursor.bytes.little16(at)))
    case .uint32: return Double(big ? cursor.bytes.big32(at) : cursor.bytes.little32(at))
    case .int32: return Double(Int32(bitPattern: big ? cursor.bytes.big32(at) : cursor.bytes.little32(at)))
    case .float32: return Double(Float(bitPattern: big ? cursor.bytes.big32(at) : cursor.bytes.little32(at)))
    case .float64:
      let first = UInt64(big ? cursor.bytes.big32(at) : cursor.bytes.little32(at))
      let second = UInt64(big ? cursor.bytes.big32(at + 4) : cursor.bytes.little32(at + 4))
      return Double(bitPattern: big ? first << 32 | second : second << 32 | first)
    }
  }

  private var place: String {
    header.encoding == .text ? "line \(text.lineNumber)" : "byte \(cursor.offset)"
  }
}
