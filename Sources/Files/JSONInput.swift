#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reading JSON that may be damaged. Foundation's decoder of Swift 6.0 ends the program where a key is no text, and none
/// says where the damage is, so the text is walked through before a decoder sees it.
public enum JSONInput {
  /// The value that `bytes` hold.
  public static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws(DamagedJSON) -> Value {
    let syntax = try JSONSyntax(of: bytes)
    do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
      throw misfit(type, in: bytes, syntax.numbers) ?? DamagedJSON(error)
    }
  }

  /// So many numbers are tried one by one; texts for people hold fewer.
  private static let mostTried = 2000

  /// Of a number that does not fit where it stands (too large, or with a fraction where a whole one belongs) the decoder only
  /// says that the text is no JSON. It is the last one that has to become 0 for the decoder to be content, or to find
  /// something else.
  private static func misfit<Value: Decodable>(
    _ type: Value.Type, in bytes: [UInt8], _ numbers: [Range<Int>]
  ) -> DamagedJSON? {
    guard numbers.count <= mostTried, isUnspecific(type, bytes) else { return nil }
    var text = bytes
    for place in numbers {
      for i in place { text[i] = UInt8(ascii: i == place.lowerBound ? "0" : " ") }
      if isUnspecific(type, text) { continue }
      let number = String(decoding: bytes[place].prefix(40), as: UTF8.self)
      return DamagedJSON(byte: place.lowerBound, "the number \(number) does not fit there")
    }
    return nil
  }

  /// Whether the decoder refuses a text without saying what of it.
  private static func isUnspecific<Value: Decodable>(_ type: Value.Type, _ text: [UInt8]) -> Bool {
    do { _ = try JSONDecoder().decode(type, from: Data(text)) } catch DecodingError.dataCorrupted(let context) {
      return context.codingPath.isEmpty
    } catch {}
    return false
  }
}
