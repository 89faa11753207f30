import Codecs
import Imaging
import TestSupport
import Testing

@Suite struct JPEGTests {
  @Test(arguments: [JPEG.Chroma.full, .halved]) func aRoundTripStaysCloseToThePicture(chroma: JPEG.Chroma) throws {
    let picture = Pattern.smooth(width: 130, height: 71)
    let decoded = try JPEG.decode(try JPEG.encode(picture, quality: 95, chroma: chroma))
    #expect(decoded.width == 130 && decoded.height == 71)
    #expect(Pattern.meanDifference(decoded.bytes, picture.bytes) < 2)
  }

  @Test func fullChromaKeepsColourEdgesThatHalvedChromaSmears() throws {
    var picture = RGBImage(width: 64, height: 64)
    for y in 0..<64 { for x in 0..<64 { picture[x, y] = x % 2 == 0 ? [255, 0, 0] : [0, 0, 255] } }
    let full = try JPEG.decode(try JPEG.encode(picture, quality: 98, chroma: .full))
    let halved = try JPEG.decode(try JPEG.encode(picture, quality: 98, chroma: .halved))
    #expect(Pattern.meanDifference(full.bytes, picture.bytes) < 8)
    #expect(Pattern.meanDifference(halved.bytes, picture.bytes) > 40)
  }

  @Test(arguments: JPEG.Scale.allCases) func scaledDecodingIsTheAveragedPicture(scale: JPEG.Scale) throws {
    let picture = Pattern.smooth(width: 101, height: 67)
    let bytes = try JPEG.encode(picture, quality: 97)
    let n = scale.rawValue
    let small = try JPEG.decode(bytes, scale: scale)
    #expect(small.width == (101 + n - 1) / n && small.height == (67 + n - 1) / n)
    let wanted = Pattern.blockMeans(picture, n)
    var sum = 0
    for y in 0..<67 / n {
      for x in 0..<101 / n { sum += abs(Int(small[x, y].y) - Int(wanted[x, y].y)) }
    }
    #expect(Double(sum) / Double((67 / n) * (101 / n)) < 2.5)
  }

  @Test func grayOnlyDecodingIsTheBrightness() throws {
    let picture = Pattern.smooth(width: 80, height: 60)
    let bytes = try JPEG.encode(picture, quality: 95)
    let gray = try JPEG.decodeGray(bytes)
    #expect(Pattern.meanDifference(gray.pixels, picture.gray.pixels) < 2)
    let again = try JPEG.decode(try JPEG.encode(gray))
    #expect(Pattern.meanDifference(again.gray.pixels, gray.pixels) < 2)
  }

  @Test func headerTellsSizeAndColour() throws {
    let colour = try JPEG.header(try JPEG.encode(Pattern.smooth(width: 33, height: 17)))
    #expect(colour.format == .jpeg && colour.width == 33 && colour.height == 17 && colour.hasColour)
    let gray = try JPEG.header(try JPEG.encode(Pattern.smooth(width: 33, height: 17).gray))
    #expect(!gray.hasColour)
  }

  @Test func everyCutIsReportedAndNothingTraps() throws {
    let bytes = try JPEG.encode(Pattern.smooth(width: 64, height: 48))
    for end in stride(from: 0, to: bytes.count - 2, by: 7) {
      let cut = Array(bytes[..<end])
      #expect(throws: CodecError.self) { try JPEG.decode(cut) }
      #expect(throws: CodecError.self) { try JPEG.decodeGray(cut, scale: .half) }
    }
  }

  @Test func aCutPictureIsGivenWhenDamageIsAccepted() throws {
    let picture = Pattern.smooth(width: 64, height: 64)
    let bytes = try JPEG.encode(picture, quality: 95)
    let cut = Array(bytes[..<(bytes.count * 3 / 4)])
    let decoded = try JPEG.decode(cut, acceptDamage: true)
    let top = 3 * 64 * 16
    #expect(Pattern.meanDifference(Array(decoded.bytes[..<top]), Array(picture.bytes[..<top])) < 3)
    #expect { try JPEG.decode(cut) } throws: { ($0 as? CodecError)?.kind == .damaged }
  }

  @Test func flippedBitsNeverTrap() throws {
    let bytes = try JPEG.encode(Pattern.smooth(width: 40, height: 40))
    var random = SplitMix(seed: 7)
    for _ in 0..<1500 {
      var spoiled = bytes
      for _ in 0..<4 { spoiled[Int(random.next() % UInt64(bytes.count))] ^= UInt8(1 << (random.next() % 8)) }
      _ = try? JPEG.decode(spoiled, limits: PictureLimits(maxPixels: 1 << 20))
    }
  }

  @Test func limitsAreCheckedAtTheDecodedScale() throws {
    let bytes = try JPEG.encode(Pattern.smooth(width: 64, height: 64))
    let limits = PictureLimits(maxPixels: 1024)
    #expect { try JPEG.decode(bytes, limits: limits) } throws: { ($0 as? CodecError)?.kind == .tooLarge }
    #expect(try JPEG.decode(bytes, scale: .half, limits: limits).width == 32)
  }

  @Test func emptyAndOversizedPicturesAreRefusedByTheEncoder() {
    #expect(throws: CodecError.self) { try JPEG.encode(RGBImage(width: 0, height: 4)) }
    #expect(throws: CodecError.self) { try JPEG.encode(GrayImage(width: 65_501, height: 1, fill: 0)) }
  }
}
