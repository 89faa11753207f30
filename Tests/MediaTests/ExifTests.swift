import Foundation
import Media
import Testing

@Suite struct ExifTests {
  private static var corpus: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fuzz/corpus/JPEG")
  }

  @Test func aCameraFileIsUnderstood() throws {
    let exif = try #require(Exif.read(jpeg: try FileBytes.read(Self.corpus.appendingPathComponent("exif.jpg").path)))
    #expect(exif.orientation == 6 && exif.make == "maker" && exif.model == nil)
    #expect(exif.focalLength == 4.5 && exif.focalLengthOn35mmFilm == 28)
    let pixels = try #require(exif.focalLengthInPixels(width: 4000, height: 3000))
    #expect(abs(pixels - 28 / 43.2666 * 5000) < 0.1)
    #expect(Exif.read(jpeg: try FileBytes.read(Self.corpus.appendingPathComponent("plain.jpg").path)) == nil)
  }

  @Test func thePixelPitchGoesBeforeTheFilmEquivalentAndFollowsScaling() {
    var exif = Exif()
    #expect(exif.focalLengthInPixels(width: 100, height: 100) == nil)
    exif.focalLength = 5
    exif.focalLengthOn35mmFilm = 28
    exif.pixelsPerMillimetre = [600, 600]
    exif.width = 4000
    #expect(exif.focalLengthInPixels(width: 2000, height: 1500) == 1500)
  }

  @Test func everyCutAndFlippedBitIsHarmless() throws {
    let bytes = try FileBytes.read(Self.corpus.appendingPathComponent("exif.jpg").path)
    for end in 0..<min(bytes.count, 400) { _ = Exif.read(jpeg: Array(bytes[..<end])) }
    for position in 0..<min(bytes.count, 260) {
      for bit in 0..<8 {
        var spoiled = bytes
        spoiled[position] ^= UInt8(1 << bit)
        if let exif = Exif.read(jpeg: spoiled) { #expect((1...8).contains(exif.orientation)) }
      }
    }
  }

  @Test(.enabled(if: SharedData.path("data/unposed/sceaux") != nil)) func realPhotosTellTheirFocalLength() throws {
    let folder = try #require(SharedData.path("data/unposed/sceaux"))
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }.filter {
      $0.hasSuffix(".JPG")
    }
    let name = try #require(names?.min())
    let exif = try #require(Exif.read(jpeg: try FileBytes.read(folder + "/" + name)))
    let pixels = try #require(exif.focalLengthInPixels(width: 2832, height: 2128))
    // K.txt beside the pictures says 2905.88
    #expect(abs(pixels / 2905.88 - 1) < 0.05, "\(exif) \(pixels)")
  }
}
