#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reading JSON that may be damaged. Foundation's decoder of Swift 6.0 ends the program where a key is no text, so the
/// strings are checked before it sees them.
public enum JSONInput {
  /// The value that `bytes` hold. Throws a `DecodingError`, or what the value's own decoding throws.
  public static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    if let place = firstFault(in: bytes) {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "not JSON at byte \(place)"))
    }
    return try JSONDecoder().decode(type, from: Data(bytes))
  }

  /// Where the first byte is that no JSON has there: beside UTF-8, a control character, or in an escape. What stands
  /// between the strings is left to the decoder.
  private static func firstFault(in bytes: [UInt8]) -> Int? {
    guard String(validating: bytes, as: UTF8.self) != nil else { return firstBesideUTF8(in: bytes) }
    var i = 0
    var isInString = false
    while i < bytes.count {
      switch bytes[i] {
      case UInt8(ascii: "\""): isInString.toggle()
      case UInt8(ascii: "\\") where isInString:
        guard let length = escape(bytes[i...]) else { return i }
        i += length - 1
      case UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): if isInString { return i }
      case 0..<0x20: return i
      default: break
      }
      i += 1
    }
    return nil
  }

  /// How long the escape is that begins here, nil where it is none.
  private static func escape(_ text: ArraySlice<UInt8>) -> Int? {
    switch text.dropFirst().first {
    case UInt8(ascii: "u"):
      guard let unit = codeUnit(text) else { return nil }
      switch unit {
      case 0xD800..<0xDC00:
        guard let low = codeUnit(text.dropFirst(6)), (0xDC00..<0xE000).contains(low) else { return nil }
        return 12
      case 0xDC00..<0xE000: return nil
      default: return 6
      }
    case let letter?: return "\"\\/bfnrt".utf8.contains(letter) ? 2 : nil
    case nil: return nil
    }
  }

  /// The code unit of UTF-16 that `\uXXXX` at the beginning of `text` stands for.
  private static func codeUnit(_ text: ArraySlice<UInt8>) -> UInt16? {
    guard text.starts(with: "\\u".utf8), text.count >= 6 else { return nil }
    var unit: UInt16 = 0
    for digit in text.dropFirst(2).prefix(4) {
      guard let value = Character(UnicodeScalar(digit)).hexDigitValue else { return nil }
      unit = unit << 4 | UInt16(value)
    }
    return unit
  }

  private static func firstBesideUTF8(in bytes: [UInt8]) -> Int {
    var decoder = UTF8()
    var rest = bytes.makeIterator()
    var place = 0
    while case .scalarValue(let scalar) = decoder.decode(&rest) { place += UTF8.width(scalar) }
    return place
  }
}
