import Foundation
import Testing

/// Reads crate files as OpenUSD's own reader does (pxr/usd/sdf/crateFile.cpp), as far as our layers go: independent of the
/// writer, and every place is checked by array bounds.
struct CrateReading {
  let bytes: [UInt8]
  var tokens: [String] = []
  var strings: [Int] = []
  /// For each path its kind and its fields with their representations.
  var specs: [String: (kind: Int, fields: [String: UInt64])] = [:]

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    #expect(bytes.starts(with: Array("PXR-USDC".utf8)))
    let table = number(16, 8)
    var sections: [String: Int] = [:]
    for i in 0..<number(table, 8) {
      let at = table + 8 + 32 * i
      sections[String(decoding: bytes[at..<at + 16].prefix { $0 != 0 }, as: UTF8.self)] = number(at + 16, 8)
    }
    var at = try #require(sections["TOKENS"])
    let words = try LZ4Reading.frameless(part(at + 16), size: number(at + 8, 8))
    tokens = words.dropLast().split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    #expect(tokens.count == number(at, 8))
    at = try #require(sections["STRINGS"])
    strings = (0..<number(at, 8)).map { number(at + 8 + 4 * $0, 4) }
    at = try #require(sections["FIELDS"])
    var count = number(at, 8)
    let names = try ints(part(at + 8), count)
    let values = try LZ4Reading.frameless(part(at + 16 + number(at + 8, 8)), size: 8 * count)
    at = try #require(sections["FIELDSETS"])
    let sets = try ints(part(at + 8), number(at, 8))
    let paths = try paths(try #require(sections["PATHS"]))
    at = try #require(sections["SPECS"])
    count = number(at, 8)
    let columns = try columns(at + 8, 3, count)
    for i in 0..<count {
      var fields: [String: UInt64] = [:]
      for field in sets[columns[1][i]...].prefix(while: { $0 >= 0 }) {
        fields[tokens[names[field]]] = (0..<8).reduce(0) { $0 | UInt64(values[8 * field + $1]) << UInt64(8 * $1) }
      }
      specs[try #require(paths[columns[0][i]])] = (columns[2][i], fields)
    }
  }

  private func number(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
  private func part(_ at: Int) -> [UInt8] { Array(bytes[(at + 8)..<(at + 8 + number(at, 8))]) }

  private func columns(_ at: Int, _ columns: Int, _ count: Int) throws -> [[Int]] {
    var place = at
    return try (0..<columns).map { _ in
      defer { place += 8 + number(place, 8) }
      return try ints(part(place), count)
    }
  }

  private func ints(_ coded: [UInt8], _ count: Int) throws -> [Int] {
    let raw = try LZ4Reading.frameless(coded, size: 4 + (2 * count + 7) / 8 + 4 * count, exact: false)
    func signed(_ at: Int, _ size: Int) -> Int {
      let value = (0..<size).reduce(0) { $0 | Int(raw[at + $1]) << (8 * $1) }
      return value >= 1 << (8 * size - 1) ? value - 1 << (8 * size) : value
    }
    let common = signed(0, 4)
    var at = 4 + (2 * count + 7) / 8
    var value: Int32 = 0
    let out = (0..<count).map { i -> Int in
      let size = [0, 1, 2, 4][Int(raw[4 + i / 4] >> UInt8(i % 4 * 2) & 3)]
      value &+= Int32(truncatingIfNeeded: size == 0 ? common : signed(at, size))
      at += size
      return Int(value)
    }
    #expect(at == raw.count)
    return out
  }

  private func paths(_ at: Int) throws -> [Int: String] {
    let count = number(at + 8, 8)
    let columns = try columns(at + 16, 3, count)
    var paths: [Int: String] = [:]
    func walk(_ start: Int, _ root: String?) {
      var at = start
      var parent = root
      while true {
        let token = columns[1][at]
        let path: String
        if let parent {
          path = (token < 0 ? parent + "." : parent == "/" ? "/" : parent + "/") + tokens[abs(token)]
        } else {
          path = "/"
        }
        paths[columns[0][at]] = path
        let jump = columns[2][at]
        if jump > 0 { walk(at + jump, parent) }
        if jump > 0 || jump == -1 { parent = path } else if jump != 0 { return }
        if parent == nil { parent = path }
        at += 1
      }
    }
    walk(0, nil)
    #expect(paths.count == count)
    return paths
  }

  // MARK: values

  private func field(_ path: String, _ name: String) throws -> (type: Int, payload: Int, isInlined: Bool, isArray: Bool)
  {
    let spec = try #require(specs[path], "\(path)")
    let value = try #require(spec.fields[name], "\(path) \(name)")
    return (Int(value >> 48 & 0xFF), Int(value & 0xFFFF_FFFF_FFFF), value >> 62 & 1 == 1, value >> 63 == 1)
  }

  /// A text, token or asset.
  func word(_ path: String, _ name: String) throws -> String {
    let field = try field(path, name)
    #expect(field.isInlined && (10...12).contains(field.type))
    return field.type == 10 ? tokens[strings[field.payload]] : tokens[field.payload]
  }

  func float(_ path: String, _ name: String) throws -> Float {
    let field = try field(path, name)
    #expect(field.isInlined && (8...9).contains(field.type))
    return Float(bitPattern: UInt32(field.payload))
  }

  /// The numbers of a vector or an array of vectors of floats.
  func floats(_ path: String, _ name: String, width: Int) throws -> [Float] {
    let field = try field(path, name)
    #expect(field.type == [2: 20, 3: 24, 4: 28][width] && field.payload % 8 == 0)
    let count = field.isArray ? number(field.payload, 8) * width : width
    let start = field.payload + (field.isArray ? 8 : 0)
    return (0..<count).map { Float(bitPattern: UInt32(number(start + 4 * $0, 4))) }
  }

  func whole(_ path: String, _ name: String) throws -> [Int] {
    let field = try field(path, name)
    #expect(field.type == 3 && field.isArray)
    let count = number(field.payload, 8)
    let isCompressed = try #require(specs[path]?.fields[name]) >> 61 & 1 == 1
    if isCompressed { return try ints(part(field.payload + 8), count) }
    return (0..<count).map { number(field.payload + 8 + 4 * $0, 4) }
  }

  func names(_ path: String, _ name: String) throws -> [String] {
    let field = try field(path, name)
    #expect(field.type == 41)
    return (0..<number(field.payload, 8)).map { tokens[number(field.payload + 8 + 4 * $0, 4)] }
  }

  func texts(_ path: String, _ name: String) throws -> [String: String] {
    let field = try field(path, name)
    #expect(field.type == 31)
    var out: [String: String] = [:]
    for i in 0..<number(field.payload, 8) {
      let at = field.payload + 8 + 20 * i
      #expect(number(at + 4, 8) == 8 && number(at + 18, 2) == 10 | 1 << 14)
      out[tokens[strings[number(at, 4)]]] = tokens[strings[number(at + 12, 4)]]
    }
    return out
  }
}

/// The LZ4 block format, decoded by the letter.
enum LZ4Reading {
  static func frameless(_ bytes: [UInt8], size: Int, exact: Bool = true) throws -> [UInt8] {
    #expect(bytes.first == 0)
    let out = try block(Array(bytes.dropFirst()))
    #expect(exact ? out.count == size : out.count <= size)
    return out
  }

  static func block(_ bytes: [UInt8]) throws -> [UInt8] {
    var out: [UInt8] = []
    var at = 0
    func more(_ first: Int) -> Int {
      var length = first
      if first == 15 {
        repeat {
          length += Int(bytes[at])
          at += 1
        } while bytes[at - 1] == 255
      }
      return length
    }
    while at < bytes.count {
      let token = Int(bytes[at])
      at += 1
      let literals = more(token >> 4)
      out += bytes[at..<at + literals]
      at += literals
      if at == bytes.count {
        #expect(token & 15 == 0)
        break
      }
      let back = Int(bytes[at]) | Int(bytes[at + 1]) << 8
      at += 2
      let length = more(token & 15) + 4
      try #require(back > 0 && back <= out.count)
      for _ in 0..<length { out.append(out[out.count - back]) }
    }
    return out
  }
}
