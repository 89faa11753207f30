import Foundation
import Testing

/// Readers that share nothing with those of the program: short, and of well-formed files only.

/// The fields of a TIFF structure as text.
struct TIFFFields {
  private(set) var main: [Int: String] = [:]
  private(set) var photo: [Int: String] = [:]
  private(set) var isSorted = true
  private let bytes: [UInt8]
  private let isBig: Bool

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    try #require(bytes.count > 8)
    isBig = bytes[0] == 0x4D
    #expect(number(2, 2) == 42)
    main = directory(number(4, 4))
    let place = try #require(main[0x8769])
    photo = directory(try #require(Int(place)))
  }

  private func number(_ at: Int, _ count: Int) -> Int {
    let part = bytes[at..<at + count]
    return (isBig ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
  }

  private mutating func directory(_ at: Int) -> [Int: String] {
    var fields: [Int: String] = [:]
    var last = -1
    for index in 0..<number(at, 2) {
      let entry = at + 2 + 12 * index
      let tag = number(entry, 2)
      isSorted = isSorted && tag > last
      last = tag
      fields[tag] = text(type: number(entry + 2, 2), count: number(entry + 4, 4), at: entry + 8)
    }
    return fields
  }

  private func text(type: Int, count: Int, at place: Int) -> String {
    let size = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1][type] ?? 0
    let start = size * count <= 4 ? place : number(place, 4)
    if size * count > 4 && start % 2 == 1 { return "at an odd offset" }
    switch type {
    case 2: return String(decoding: bytes[start..<start + count - 1], as: UTF8.self)
    case 3, 4: return String(number(start, size))
    case 5: return "\(number(start, 4))/\(number(start + 4, 4))"
    default: return String(decoding: bytes[start..<start + count], as: UTF8.self)
    }
  }
}

/// The boxes of a HEIC: items, their properties and references (ISO/IEC 14496-12, 23008-12).
struct BoxFile {
  struct Reference {
    var from: Int
    var to: [Int]
  }
  private let bytes: [UInt8]
  private var boxes: [(path: String, body: Range<Int>)] = []
  private(set) var primary = 0

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    walk(0..<bytes.count, "")
    primary = number(try #require(body("/meta/pitm")).lowerBound + 4, 2)
  }

  private static let parents: Set<String> = ["/meta", "/meta/iprp", "/meta/iprp/ipco", "/meta/iref", "/meta/iinf"]

  private mutating func walk(_ range: Range<Int>, _ path: String) {
    var at = range.lowerBound
    while at + 8 <= range.upperBound {
      let size = number(at, 4)
      guard size >= 8, at + size <= range.upperBound else { return }
      let name = path + "/" + String(decoding: bytes[at + 4..<at + 8], as: UTF8.self)
      boxes.append((name, at + 8..<at + size))
      if Self.parents.contains(name) {
        let isFull = ["/meta", "/meta/iref"].contains(name)
        let skip = name == "/meta/iinf" ? 6 : isFull ? 4 : 0
        walk(at + 8 + skip..<at + size, name)
      }
      at += size
    }
  }

  private func number(_ at: Int, _ count: Int) -> Int { bytes[at..<at + count].reduce(0) { $0 << 8 | Int($1) } }
  private func body(_ path: String) -> Range<Int>? { boxes.first { $0.path == path }?.body }

  /// The bodies of all properties of a kind.
  func properties(_ kind: String) -> [[UInt8]] {
    boxes.filter { $0.path == "/meta/iprp/ipco/\(kind)" }.map { Array(bytes[$0.body]) }
  }

  func references(of kind: String) -> [Reference] {
    boxes.filter { $0.path == "/meta/iref/\(kind)" }.map { box in
      let at = box.body.lowerBound
      let to = (0..<number(at + 2, 2)).map { number(at + 4 + 2 * $0, 2) }
      return Reference(from: number(at, 2), to: to)
    }
  }

  /// Width and height of each `ispe` that an item has.
  func sizes(of item: Int) -> [[Int]] {
    let properties = boxes.filter { $0.path.hasPrefix("/meta/iprp/ipco/") }
    return associations(of: item).compactMap { index in
      let box = properties[index - 1]
      let at = box.body.lowerBound + 4
      return box.path.hasSuffix("ispe") ? [number(at, 4), number(at + 4, 4)] : nil
    }
  }

  private func associations(of item: Int) -> [Int] {
    guard let body = body("/meta/iprp/ipma") else { return [] }
    let isWide = bytes[body.lowerBound + 3] & 1 == 1
    var at = body.lowerBound + 8
    for _ in 0..<number(body.lowerBound + 4, 4) {
      let id = number(at, 2)
      let count = Int(bytes[at + 2])
      let indices = (0..<count).map { index in
        isWide ? number(at + 3 + 2 * index, 2) & 0x7FFF : Int(bytes[at + 3 + index] & 0x7F)
      }
      if id == item { return indices }
      at += 3 + count * (isWide ? 2 : 1)
    }
    return []
  }

  /// The TIFF structure of the EXIF item.
  var exif: [UInt8]? {
    let items = boxes.filter { $0.path == "/meta/iinf/infe" }
    guard let item = items.first(where: { bytes[($0.body.lowerBound + 8)...].starts(with: "Exif".utf8) }),
      let place = location(of: number(item.body.lowerBound + 4, 2))
    else { return nil }
    return Array(bytes[place.lowerBound + 4 + number(place.lowerBound, 4)..<place.upperBound])
  }

  /// Where the first extent of an item lies (`iloc` of version 0 or 1).
  private func location(of item: Int) -> Range<Int>? {
    guard let body = body("/meta/iloc") else { return nil }
    var at = body.lowerBound
    let version = Int(bytes[at])
    let sizes = [bytes[at + 4] >> 4, bytes[at + 4] & 15, bytes[at + 5] >> 4].map(Int.init)
    let count = number(at + 6, 2)
    at += 8
    for _ in 0..<count {
      let id = number(at, 2)
      at += version == 1 ? 6 : 4
      let base = number(at, sizes[2])
      let extents = number(at + sizes[2], 2)
      at += sizes[2] + 2
      let start = base + number(at, sizes[0])
      if id == item { return start..<start + number(at + sizes[0], sizes[1]) }
      at += extents * (sizes[0] + sizes[1])
    }
    return nil
  }
}

/// Files that lie beside the tests.
enum Fixture {
  static func bytes(_ name: String) throws -> [UInt8] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return [UInt8](try Data(contentsOf: folder.appendingPathComponent("Fixtures/heic/\(name)")))
  }
}
