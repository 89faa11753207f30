import Codecs
import Foundation
import Imaging
import Testing

/// The fuzzers' corpora, replayed: small files of every kind, and every file that once was a find.
@Suite struct CorpusTests {
  private static func files(_ name: String) -> [String] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fuzz/corpus/\(name)").path
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().map { folder + "/" + $0 }
  }

  private static let damaged: Set<String> = ["cut.jpg", "cut.png", "cmyk.jpg"]

  @Test(arguments: files("JPEG") + files("PNG")) func aSmallFileDecodesUnlessItIsDamaged(path: String) throws {
    let name = String(path.split(separator: "/").last ?? "")
    let limits = PictureLimits(maxPixels: 1 << 18)
    do {
      let image = try Picture.read(path, limits: limits)
      #expect(!Self.damaged.contains(name) && image.bytes.count == 3 * image.width * image.height)
      #expect(try Picture.readGray(path, limits: limits).pixels.count == image.width * image.height)
    } catch {
      #expect(Self.damaged.contains(name) || name.hasPrefix("found"), "\(error)")
      #expect(error.place == path)
    }
  }

  @Test func theCorporaAreThere() {
    #expect(Self.files("JPEG").count >= 7 && Self.files("PNG").count >= 8)
  }

  private func read(_ name: String) throws -> RGBImage {
    let path = try #require((Self.files("PNG") + Self.files("JPEG")).first { $0.hasSuffix("/" + name) })
    return try Picture.read(path)
  }

  @Test func foreignVariantsGiveTheSamePixels() throws {
    let rgb = try read("rgb.png")
    #expect(rgb.width == 13 && rgb.height == 9)
    #expect(try read("alpha.png").bytes == rgb.bytes)
    let one = try read("one.png")
    #expect(Set(one.bytes) == [0, 255])
    #expect(Set((0..<117).map { try! read("palette.png")[$0 % 13, $0 / 13] }).count <= 7)
  }

  @Test func interlacedSixteenBitPixelsAreScaledToEight() throws {
    // written by hand from random numbers; these two were 50730 32547 25798 and 18342 23979 22263
    let image = try read("interlaced16.png")
    #expect(image.width == 9 && image.height == 7)
    #expect(image[5, 3] == [197, 127, 100])
    #expect(image[8, 6] == [71, 93, 87])
  }

  @Test func aKindThatIsNotDecodedIsToldWithWhatToDo() throws {
    #expect { try read("cmyk.jpg") } throws: {
      ($0 as? CodecError)?.kind == .unsupported && "\($0)".contains("CMYK") && "\($0)".contains("save it as")
    }
    #expect { try Picture.decode(Array("GIF89a".utf8)) } throws: { "\($0)".contains("save it as") }
  }

  @Test func unknownAndEmptyFilesAreToldApart() {
    #expect { try Picture.decode([]) } throws: { "\($0)".contains("empty") }
    #expect { try Picture.decode(Array("GIF89a".utf8)) } throws: { "\($0)".contains("neither") }
    #expect { try Picture.read("/nowhere/at/all.jpg") } throws: {
      ($0 as? CodecError)?.kind == .io && "\($0)".contains("/nowhere/at/all.jpg")
    }
  }
}
