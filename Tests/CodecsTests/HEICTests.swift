import Codecs
import Foundation
import Imaging
import Media
import TestSupport
import Testing

@Suite struct HEICTests {
  @Test func theCodecsAreThere() {
    #expect(HEIC.missingEncoder == nil)
    #expect(HEIC.missingDecoder == nil)
  }

  @Test func aRoundTripStaysCloseToThePicture() throws {
    let picture = Pattern.photo(width: 480, height: 360)
    var before = 0.0
    for quality in [30, 60, 90] {
      let bytes = try HEIC.encode(picture, quality: quality)
      let ratio = Pattern.signalToNoise(try HEIC.decode(bytes).gray.pixels, picture.gray.pixels)
      #expect(ratio > before + 2, "\(quality): \(ratio) dB")
      before = ratio
      if quality == 60 {
        #expect(ratio > 38, "\(ratio) dB")
        #expect(bytes.count < 480 * 360, "\(bytes.count) bytes")
      }
    }
  }

  @Test func coloursKeepTheirValues() throws {
    for colour in [SIMD3<UInt8>(200, 30, 30), [20, 180, 40], [10, 20, 220], [255, 255, 255], [0, 0, 0]] {
      var picture = RGBImage(width: 64, height: 64)
      for y in 0..<64 { for x in 0..<64 { picture[x, y] = colour } }
      let decoded = try HEIC.decode(try HEIC.encode(picture))[31, 17]
      for channel in 0..<3 { #expect(abs(Int(decoded[channel]) - Int(colour[channel])) <= 4, "\(colour): \(decoded)") }
    }
  }

  @Test(arguments: [[1, 1], [15, 16], [63, 65], [321, 7], [130, 71]]) func everySizeComesBack(sides: [Int]) throws {
    let picture = Pattern.smooth(width: sides[0], height: sides[1])
    let bytes = try HEIC.encode(picture, quality: 90)
    let header = try HEIC.header(bytes)
    #expect(header.format == .heic && header.width == sides[0] && header.height == sides[1] && header.hasColour)
    let decoded = try HEIC.decode(bytes)
    #expect(decoded.width == sides[0] && decoded.height == sides[1])
    #expect(Pattern.meanDifference(decoded.gray.pixels, picture.gray.pixels) < 4)
  }

  @Test func itIsToldByItsContentAndByNothingElse() throws {
    let bytes = try HEIC.encode(Pattern.smooth(width: 40, height: 30))
    #expect(Picture.format(bytes) == .heic)
    #expect(try Picture.header(bytes).width == 40)
    #expect(try Picture.decode(bytes).height == 30)
    #expect(try Picture.decodeGray(bytes).width == 40)
    var other = bytes
    other.replaceSubrange(8..<12, with: Array("avif".utf8))
    for place in stride(from: 16, to: Int(other[3]), by: 4) { other[place] = 0 }
    #expect(Picture.format(other) == nil)
  }

  @Test func aThumbnailLiesInTheFile() throws {
    let file = try BoxFile(try HEIC.encode(Pattern.photo(width: 640, height: 480), thumbnailSide: 320))
    let thumbnails = file.references(of: "thmb")
    #expect(thumbnails.count == 1 && thumbnails.first?.to == [file.primary], "\(thumbnails)")
    let thumbnail = try #require(thumbnails.first?.from)
    #expect(file.sizes(of: thumbnail) == [[320, 240]])
    #expect(file.sizes(of: file.primary) == [[640, 480]])
    let without = try BoxFile(try HEIC.encode(Pattern.photo(width: 640, height: 480), thumbnailSide: 0))
    #expect(without.references(of: "thmb").isEmpty)
    let small = try BoxFile(try HEIC.encode(Pattern.photo(width: 64, height: 48), thumbnailSide: 320))
    #expect(small.references(of: "thmb").isEmpty)
  }

  @Test func picturesAreStoredUpright() throws {
    var exif = Exif()
    exif.orientation = 6
    let bytes = try HEIC.encode(Pattern.photo(width: 64, height: 48), exif: exif)
    #expect(HEIC.exif(bytes)?.orientation == 1)
    let file = try BoxFile(bytes)
    #expect(file.properties("irot").isEmpty && file.properties("imir").isEmpty)
    let block = try #require(file.exif)
    #expect(try TIFFFields(block).main[0x0112] == "1")
  }

  @Test func foreignTurnsAreApplied() throws {
    // 96 × 64 pixels, red on the left, and an irot of 90° anticlockwise before it is shown
    let bytes = try Fixture.bytes("turned.heic")
    let header = try HEIC.header(bytes)
    #expect(header.width == 64 && header.height == 96)
    let upright = try Picture.decodeUpright(bytes)
    #expect(upright.width == 64 && upright.height == 96)
    // the left edge comes to lie at the bottom
    #expect(upright[32, 88].x > 180 && upright[32, 88].z < 70)
    #expect(upright[32, 8].z > 180 && upright[32, 8].x < 70)
  }

  @Test func emptyAndOversizedPicturesAreRefusedByTheEncoder() {
    #expect(throws: CodecError.self) { try HEIC.encode(RGBImage(width: 0, height: 4)) }
    #expect { try HEIC.encode(RGBImage(width: 16_385, height: 1)) } throws: {
      ($0 as? CodecError)?.kind == .tooLarge
    }
  }

  @Test func limitsAreCheckedBeforeMemoryIsTaken() throws {
    let bytes = try HEIC.encode(Pattern.smooth(width: 64, height: 64))
    let limits = PictureLimits(maxPixels: 64 * 64 - 1)
    #expect { try HEIC.decode(bytes, limits: limits) } throws: { ($0 as? CodecError)?.kind == .tooLarge }
    #expect { try HEIC.header(bytes, limits: limits) } throws: { ($0 as? CodecError)?.kind == .tooLarge }
    #expect(try HEIC.decode(bytes, limits: PictureLimits(maxPixels: 64 * 64)).width == 64)
  }
}
