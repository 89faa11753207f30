/// Writes a layer in USD's binary form, the crate, version 0.8.
///
/// The format is defined by Pixar's OpenUSD (pxr/usd/sdf/crateFile.h): a bootstrap, values as they come, then tables of
/// tokens, strings, fields, sets of fields, paths and specs, and a table of contents. Tables are integer-coded and
/// wrapped as LZ4 blocks.
struct CrateWriter {
  private var bytes = [UInt8](repeating: 0, count: 88)
  /// Token 0 is never a name, because a property's token is marked by its sign.
  private var tokens = [";-)"]
  private var tokenIndex = [";-)": UInt32(0)]
  private var strings: [UInt32] = []
  private var stringIndex: [String: UInt32] = [:]
  private var paths: [String: UInt32] = [:]
  private var fields: [(token: UInt32, value: UInt64)] = []
  private var fieldSets: [UInt32] = []
  private var specs: [(path: UInt32, fieldSet: UInt32, kind: UInt32)] = []
  private var pathEntries: [(path: UInt32, token: Int32, jump: Int32)] = []

  /// The bytes of a layer.
  static func write(_ layer: CrateLayer) -> [UInt8] {
    var writer = CrateWriter()
    writer.name(layer.root, "/")
    writer.enter(layer.root, path: "/", hasSibling: false)
    return writer.finished()
  }

  // MARK: the tree

  private static func path(_ parent: String, _ node: CrateLayer.Node) -> String {
    node.kind == .prim ? (parent == "/" ? "/" : parent + "/") + node.name : parent + "." + node.name
  }

  /// Numbers all paths first, so that values can name them.
  private mutating func name(_ node: CrateLayer.Node, _ path: String) {
    paths[path] = UInt32(paths.count)
    for child in node.children { name(child, CrateWriter.path(path, child)) }
  }

  /// Adds a node and what is below it, depth first: the order in which a reader rebuilds the paths.
  private mutating func enter(_ node: CrateLayer.Node, path: String, hasSibling: Bool) {
    let entry = pathEntries.count
    let token = node.kind == .root ? 0 : Int32(self.token(node.name))
    pathEntries.append((paths[path] ?? 0, node.kind == .prim || node.kind == .root ? token : -token, 0))
    add(node, path)
    for (i, child) in node.children.enumerated() {
      enter(child, path: CrateWriter.path(path, child), hasSibling: i + 1 < node.children.count)
    }
    // −2 a leaf, −1 a child follows and no sibling, 0 a sibling follows, n a child follows and a sibling n entries on
    let next = Int32(pathEntries.count - entry)
    pathEntries[entry].jump = node.children.isEmpty ? (hasSibling ? 0 : -2) : (hasSibling ? next : -1)
  }

  private mutating func add(_ node: CrateLayer.Node, _ path: String) {
    var all = node.fields
    let prims = node.children.filter { $0.kind == .prim }.map(\.name)
    let properties = node.children.filter { $0.kind != .prim }.map(\.name)
    if !properties.isEmpty { all.append(("properties", .tokens(properties))) }
    if !prims.isEmpty { all.append(("primChildren", .tokens(prims))) }
    let start = UInt32(fieldSets.count)
    for (name, value) in all {
      let entry = (token(name), represent(value))
      let known = fields.firstIndex { $0.token == entry.0 && $0.value == entry.1 }
      fieldSets.append(UInt32(known ?? fields.count))
      if known == nil { fields.append(entry) }
    }
    fieldSets.append(.max)
    specs.append((paths[path] ?? 0, start, node.kind.rawValue))
  }

  private mutating func token(_ text: String) -> UInt32 {
    if let known = tokenIndex[text] { return known }
    let new = UInt32(tokens.count)
    tokens.append(text)
    tokenIndex[text] = new
    return new
  }

  private mutating func string(_ text: String) -> UInt32 {
    if let known = stringIndex[text] { return known }
    let new = UInt32(strings.count)
    strings.append(token(text))
    stringIndex[text] = new
    return new
  }

  // MARK: values

  /// How a value is represented: its type, and where it is or, of a small one, what.
  private static func representation(
    _ type: UInt64, _ payload: UInt64, isInlined: Bool = false, isArray: Bool = false, isCompressed: Bool = false
  ) -> UInt64 {
    payload & 0xFFFF_FFFF_FFFF | type << 48 | (isArray ? 1 << 63 : 0) | (isInlined ? 1 << 62 : 0)
      | (isCompressed ? 1 << 61 : 0)
  }

  private static func inlined(_ type: UInt64, _ payload: UInt32) -> UInt64 {
    representation(type, UInt64(payload), isInlined: true)
  }

  private mutating func represent(_ value: CrateLayer.Value) -> UInt64 {
    switch value {
    case .bool(let yes): return CrateWriter.inlined(1, yes ? 1 : 0)
    case .float(let number): return CrateWriter.inlined(8, number.bitPattern)
    case .double(let number):
      if Double(Float(number)) == number { return CrateWriter.inlined(9, Float(number).bitPattern) }
      return CrateWriter.representation(9, place { $0.append(little: number.bitPattern) })
    case .text(let text): return CrateWriter.inlined(10, string(text))
    case .token(let text): return CrateWriter.inlined(11, token(text))
    case .asset(let text): return CrateWriter.inlined(12, token(text))
    case .specifier(let number): return CrateWriter.inlined(42, UInt32(number))
    case .variability(let number): return CrateWriter.inlined(44, UInt32(number))
    case .vector3(let numbers): return floats(24, numbers)
    case .vector4(let numbers): return floats(28, numbers)
    case .ints(let numbers): return ints(numbers)
    case .vectors3(let vectors):
      return array(24, vectors.count) { bytes in
        for v in vectors { for k in 0..<3 { bytes.append(little: v[k].bitPattern) } }
      }
    case .vectors2(let vectors):
      return array(20, vectors.count) { bytes in
        for v in vectors { for k in 0..<2 { bytes.append(little: v[k].bitPattern) } }
      }
    case .tokens(let names):
      let indices = names.map { token($0) }
      return CrateWriter.representation(41, place { CrateWriter.list(&$0, indices) })
    case .prependedTokens(let names):
      let indices = names.map { token($0) }
      return listOperation(32, header: 0b10_0000, indices)
    case .paths(let targets): return listOperation(34, header: 0b11, targets.map { paths[$0] ?? 0 })
    case .texts(let entries): return dictionary(entries)
    }
  }

  private mutating func place(_ write: (inout [UInt8]) -> Void) -> UInt64 {
    while bytes.count % 8 != 0 { bytes.append(0) }
    let offset = UInt64(bytes.count)
    write(&bytes)
    return offset
  }

  private mutating func floats(_ type: UInt64, _ numbers: [Float]) -> UInt64 {
    CrateWriter.representation(type, place { for n in numbers { $0.append(little: n.bitPattern) } })
  }

  private mutating func array(_ type: UInt64, _ count: Int, _ write: (inout [UInt8]) -> Void) -> UInt64 {
    let offset = place { bytes in
      bytes.append(little: UInt64(count))
      write(&bytes)
    }
    return CrateWriter.representation(type, offset, isArray: true)
  }

  /// Arrays of less than 16 whole numbers are not compressed, says the format.
  private mutating func ints(_ numbers: [Int32]) -> UInt64 {
    let short = numbers.count < 16
    let offset = place { bytes in
      bytes.append(little: UInt64(numbers.count))
      if short {
        for n in numbers { bytes.append(little: n) }
      } else {
        CrateWriter.section(&bytes, CrateCoding.compressed(numbers))
      }
    }
    return CrateWriter.representation(3, offset, isArray: true, isCompressed: !short)
  }

  private mutating func listOperation(_ type: UInt64, header: UInt8, _ indices: [UInt32]) -> UInt64 {
    let offset = place { bytes in
      bytes.append(header)
      CrateWriter.list(&bytes, indices)
    }
    return CrateWriter.representation(type, offset)
  }

  /// Each entry is its name and the way, eight bytes on, to what its value is.
  private mutating func dictionary(_ entries: [(name: String, value: String)]) -> UInt64 {
    let coded = entries.map { (string($0.name), string($0.value)) }
    let offset = place { bytes in
      bytes.append(little: UInt64(coded.count))
      for (name, value) in coded {
        bytes.append(little: name)
        bytes.append(little: Int64(8))
        bytes.append(little: CrateWriter.inlined(10, value))
      }
    }
    return CrateWriter.representation(31, offset)
  }

  private static func list(_ bytes: inout [UInt8], _ indices: [UInt32]) {
    bytes.append(little: UInt64(indices.count))
    for index in indices { bytes.append(little: index) }
  }

  // MARK: tables

  private static func section(_ bytes: inout [UInt8], _ coded: [UInt8]) {
    bytes.append(little: UInt64(coded.count))
    bytes.append(contentsOf: coded)
  }

  private mutating func finished() -> [UInt8] {
    var contents: [(name: String, start: Int, size: Int)] = []
    func add(_ name: String, _ write: (inout [UInt8]) -> Void) {
      while bytes.count % 8 != 0 { bytes.append(0) }
      let start = bytes.count
      write(&bytes)
      contents.append((name, start, bytes.count - start))
    }
    let words = tokens.flatMap { Array<UInt8>($0.utf8) + [0] as [UInt8] }
    add("TOKENS") { bytes in
      bytes.append(little: UInt64(tokens.count))
      bytes.append(little: UInt64(words.count))
      CrateWriter.section(&bytes, LZ4.frameless(words))
    }
    add("STRINGS") { CrateWriter.list(&$0, strings) }
    add("FIELDS") { bytes in
      bytes.append(little: UInt64(fields.count))
      CrateWriter.section(&bytes, CrateCoding.compressed(fields.map { Int32(bitPattern: $0.token) }))
      var values: [UInt8] = []
      for field in fields { values.append(little: field.value) }
      CrateWriter.section(&bytes, LZ4.frameless(values))
    }
    add("FIELDSETS") { bytes in
      bytes.append(little: UInt64(fieldSets.count))
      CrateWriter.section(&bytes, CrateCoding.compressed(fieldSets.map { Int32(bitPattern: $0) }))
    }
    add("PATHS") { bytes in
      bytes.append(little: UInt64(pathEntries.count))
      bytes.append(little: UInt64(pathEntries.count))
      CrateWriter.section(&bytes, CrateCoding.compressed(pathEntries.map { Int32(bitPattern: $0.path) }))
      CrateWriter.section(&bytes, CrateCoding.compressed(pathEntries.map(\.token)))
      CrateWriter.section(&bytes, CrateCoding.compressed(pathEntries.map(\.jump)))
    }
    add("SPECS") { bytes in
      bytes.append(little: UInt64(specs.count))
      CrateWriter.section(&bytes, CrateCoding.compressed(specs.map { Int32(bitPattern: $0.path) }))
      CrateWriter.section(&bytes, CrateCoding.compressed(specs.map { Int32(bitPattern: $0.fieldSet) }))
      CrateWriter.section(&bytes, CrateCoding.compressed(specs.map { Int32(bitPattern: $0.kind) }))
    }
    while bytes.count % 8 != 0 { bytes.append(0) }
    let table = bytes.count
    bytes.append(little: UInt64(contents.count))
    for (name, start, size) in contents {
      bytes.append(contentsOf: Array(name.utf8) + [UInt8](repeating: 0, count: 16 - name.utf8.count))
      bytes.append(little: Int64(start))
      bytes.append(little: Int64(size))
    }
    var bootstrap = Array("PXR-USDC".utf8) + [0, 8, 0, 0, 0, 0, 0, 0]
    bootstrap.append(little: Int64(table))
    bytes.replaceSubrange(0..<bootstrap.count, with: bootstrap)
    return bytes
  }
}
