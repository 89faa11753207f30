import Codecs
import Imaging
import Testing

@Suite struct PNGTests {
  @Test(arguments: [0, 1, 4, 9]) func aRoundTripIsExact(level: Int) throws {
    let picture = Pattern.noise(width: 37, height: 23, seed: 3)
    let decoded = try PNG.decode(try PNG.encode(picture, level: level))
    #expect(decoded.width == 37 && decoded.height == 23)
    #expect(decoded.bytes == picture.bytes)
    let gray = picture.gray
    #expect(try PNG.decodeGray(try PNG.encode(gray, level: level)).pixels == gray.pixels)
  }

  @Test func grayAndColourConvertIntoEachOther() throws {
    let picture = Pattern.smooth(width: 20, height: 10)
    #expect(try PNG.decodeGray(try PNG.encode(picture)).pixels == picture.gray.pixels)
    let gray = picture.gray
    let colour = try PNG.decode(try PNG.encode(gray))
    #expect(colour[7, 3] == SIMD3(repeating: gray[7, 3]))
  }

  @Test func everyCutIsAnError() throws {
    let bytes = try PNG.encode(Pattern.noise(width: 20, height: 20, seed: 4))
    for end in stride(from: 0, to: bytes.count, by: 5) {
      #expect(throws: CodecError.self) { try PNG.decode(Array(bytes[..<end])) }
    }
  }

  @Test func everyFlippedBitInThePixelsIsNoticed() throws {
    let bytes = try PNG.encode(Pattern.noise(width: 12, height: 12, seed: 5))
    let pixels = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("IDAT".utf8)) })
    for position in pixels..<bytes.count - 12 {
      var spoiled = bytes
      spoiled[position] ^= 0x10
      #expect(throws: CodecError.self) { try PNG.decode(spoiled) }
    }
  }

  @Test func aHugeHeaderIsRefusedBeforeMemoryIsTaken() throws {
    var bytes = try PNG.encode(Pattern.noise(width: 4, height: 4, seed: 6))
    bytes.replaceSubrange(16..<24, with: [0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF])
    let crc = Checksum.crc32(Array(bytes[12..<29]))
    bytes.replaceSubrange(
      29..<33, with: [UInt8(crc >> 24), UInt8(crc >> 16 & 255), UInt8(crc >> 8 & 255), UInt8(crc & 255)])
    #expect { try PNG.decode(bytes) } throws: { ($0 as? CodecError)?.kind == .tooLarge }
  }
}

enum Checksum {
  /// The textbook loop of CRC-32 (ISO 3309), bit by bit.
  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var crc = ~UInt32(0)
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
