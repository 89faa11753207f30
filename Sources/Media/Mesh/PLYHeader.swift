/// What a PLY's header declares.
struct PLYHeader {
  enum Encoding { case text, little, big }

  enum Number: String {
    case int8, uint8, int16, uint16, int32, uint32, float32, float64

    init?(word: Substring) {
      switch word {
      case "char", "int8": self = .int8
      case "uchar", "uint8": self = .uint8
      case "short", "int16": self = .int16
      case "ushort", "uint16": self = .uint16
      case "int", "int32": self = .int32
      case "uint", "uint32": self = .uint32
      case "float", "float32": self = .float32
      case "double", "float64": self = .float64
      default: return nil
      }
    }

    var size: Int {
      switch self {
      case .int8, .uint8: 1
      case .int16, .uint16: 2
      case .int32, .uint32, .float32: 4
      case .float64: 8
      }
    }

    var isReal: Bool { self == .float32 || self == .float64 }
  }

  struct Property {
    var name: Substring
    var type: Number
    /// For a list, the type of its length.
    var count: Number?
  }

  struct Element {
    var name: Substring
    var count: Int
    var properties: [Property] = []
    var hasLists: Bool { properties.contains { $0.count != nil } }
    /// The size of one record in a binary file, where it has no list.
    var recordSize: Int { properties.reduce(0) { $0 + $1.type.size } }
  }

  var encoding = Encoding.text
  var elements: [Element] = []

  /// No header of ours or anyone's needs longer lines or more of them.
  private static let longestLine = 4096
  private static let mostLines = 4096

  static func read(_ cursor: inout ByteCursor, limits: MeshLimits) throws(MediaError) -> PLYHeader {
    var header = PLYHeader()
    guard try cursor.line(limit: longestLine) == "ply" else { throw MediaError(.invalid, place: "line 1", "no PLY") }
    var hasFormat = false
    for number in 2...mostLines {
      let words = try cursor.line(limit: longestLine).split(separator: " ", omittingEmptySubsequences: true)
      switch words.first {
      case "end_header":
        guard hasFormat else { throw MediaError(.invalid, place: "line \(number)", "the header names no format") }
        return header
      case "format":
        header.encoding = try format(words, number)
        hasFormat = true
      case "element":
        guard words.count == 3, let count = Int(words[2]), count >= 0 else { throw invalid(words, number) }
        let limit = words[1] == "face" ? limits.maxTriangles : limits.maxVertices
        guard count <= limit else {
          throw MediaError(
            .tooLarge, place: "line \(number)", "\(count) of \(words[1]) where at most \(limit) are allowed")
        }
        header.elements.append(Element(name: words[1], count: count))
      case "property": try header.add(words, number)
      default: break  // comment, obj_info, blank
      }
    }
    throw MediaError(.tooLarge, place: "line \(mostLines)", "the header does not end")
  }

  private static func format(_ words: [Substring], _ number: Int) throws(MediaError) -> Encoding {
    switch words.count >= 2 ? words[1] : "" {
    case "ascii": return .text
    case "binary_little_endian": return .little
    case "binary_big_endian": return .big
    default: throw invalid(words, number)
    }
  }

  private mutating func add(_ words: [Substring], _ number: Int) throws(MediaError) {
    guard let last = elements.indices.last, elements[last].properties.count < 256 else {
      throw PLYHeader.invalid(words, number)
    }
    if words.count == 5, words[1] == "list", let count = Number(word: words[2]), !count.isReal,
      let type = Number(word: words[3])
    {
      elements[last].properties.append(Property(name: words[4], type: type, count: count))
    } else if words.count == 3, let type = Number(word: words[1]) {
      elements[last].properties.append(Property(name: words[2], type: type, count: nil))
    } else {
      throw PLYHeader.invalid(words, number)
    }
  }

  private static func invalid(_ words: [Substring], _ number: Int) -> MediaError {
    MediaError(.invalid, place: "line \(number)", "not understood: “\(words.joined(separator: " ").prefix(80))”")
  }
}
