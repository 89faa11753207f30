import CTOML

/// Reading TOML 1.0.
package enum TOMLDocument {
  /// The largest text that is read, in bytes.
  package static let sizeLimit = 1 << 20
  /// The most values a text may hold.
  package static let nodeLimit = 20_000

  /// The most dots in a line: each may open a table in a table, and who walks through them needs stack for every one.
  package static let dotLimit = 10_000

  /// The document's root table. Throws the place and reason where the text is not TOML or passes a limit.
  package static func parse(_ text: [UInt8]) throws(TOMLSyntaxError) -> TOMLNode {
    guard text.count <= sizeLimit else {
      throw TOMLSyntaxError(line: 0, column: 0, message: "larger than \(sizeLimit) bytes")
    }
    for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
    where line.count > dotLimit && line.count(where: { $0 == UInt8(ascii: ".") }) > dotLimit {
      throw TOMLSyntaxError(line: index + 1, column: 1, message: "more than \(dotLimit) dots in a line")
    }
    var error = ctoml_error()
    let document = text.withUnsafeBytes { bytes in
      ctoml_parse(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, nodeLimit, &error)
    }
    guard let document else {
      throw TOMLSyntaxError(
        line: Int(error.line), column: Int(error.column), message: withUnsafeBytes(of: error.message, terminatedString))
    }
    defer { ctoml_free(document) }
    var count = 0
    let nodes = ctoml_nodes(document, &count)
    return tree(UnsafeBufferPointer(start: nodes, count: count))
  }

  /// Every node stands after the one it is in, so from the back each is complete when its turn comes.
  private static func tree(_ nodes: UnsafeBufferPointer<ctoml_node>) -> TOMLNode {
    var entries = [[TOMLNode.Entry]](repeating: [], count: nodes.count)
    for index in nodes.indices.reversed() {
      let source = nodes[index]
      let children = Array(entries[index].reversed())
      entries[index] = []
      let node = TOMLNode(
        value: value(of: source, children: children), line: Int(source.line), column: Int(source.column))
      guard index > 0 else { return node }
      entries[Int(source.parent)].append(
        TOMLNode.Entry(key: string(source.key, source.key_length), node: node))
    }
    return TOMLNode(value: .table([]), line: 1, column: 1)
  }

  private static func value(of source: ctoml_node, children: [TOMLNode.Entry]) -> TOMLNode.Value {
    switch Int(source.kind) {
    case CTOML_TABLE:
      // the library sorts by key; a person reads, and is told of problems, in the order of the file
      .table(children.sorted { ($0.node.line, $0.node.column) < ($1.node.line, $1.node.column) })
    case CTOML_ARRAY: .array(children.map(\.node))
    case CTOML_STRING: .string(string(source.string, source.string_length))
    case CTOML_INTEGER: .integer(source.integer)
    case CTOML_FLOAT: .float(source.number)
    case CTOML_BOOLEAN: .boolean(source.boolean)
    default: .dateTime
    }
  }

  private static func string(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
  }

  private static func terminatedString(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}

/// Why a text is not TOML.
package struct TOMLSyntaxError: Error, Sendable, Hashable {
  /// Where; 0 when it is not about a place.
  package var line: Int, column: Int
  /// What is wrong.
  package var message: String
}
