import Codecs
import Imaging
import Media
import TestSupport
import Testing

/// What becomes of files that are cut, spoiled, or lie about their sizes.
@Suite struct HEICDamageTests {
  private let bytes: [UInt8]

  init() throws { bytes = try HEIC.encode(Pattern.photo(width: 96, height: 64), thumbnailSide: 32) }

  @Test func everyCutIsAnErrorThatSaysSo() throws {
    for end in stride(from: 0, to: bytes.count - 1, by: 3) {
      let cut = Array(bytes[..<end])
      #expect(throws: CodecError.self, "cut at \(end) of \(bytes.count)") { try Picture.decode(cut) }
    }
    do {
      _ = try HEIC.decode(Array(bytes[..<(bytes.count / 2)]))
      Issue.record("half a file was decoded")
    } catch {
      #expect(!error.message.isEmpty && error.kind != .noCodec, "\(error)")
    }
  }

  @Test func flippedBitsNeverTrap() {
    var random = SplitMix(seed: 11)
    let limits = PictureLimits(maxPixels: 1 << 20)
    for _ in 0..<600 {
      var spoiled = bytes
      for _ in 0..<4 { spoiled[Int(random.next() % UInt64(bytes.count))] ^= UInt8(1 << (random.next() % 8)) }
      if let image = try? HEIC.decode(spoiled, limits: limits) { #expect(image.width * image.height <= 1 << 20) }
      _ = HEIC.exif(spoiled, limits: limits)
    }
  }

  @Test func everySpoiledByteOfTheHeadIsAnErrorOrAPicture() {
    let limits = PictureLimits(maxPixels: 1 << 20)
    for place in 0..<min(bytes.count, 600) {
      for value: UInt8 in [0, 0x7F, 0xFF] {
        var spoiled = bytes
        spoiled[place] = value
        if let image = try? HEIC.decode(spoiled, limits: limits) { #expect(image.width > 0) }
      }
    }
  }

  /// The first place of a box's name.
  private func place(_ name: String) throws -> Int {
    try #require(bytes.indices.first { bytes[$0...].starts(with: name.utf8) })
  }

  @Test(arguments: [UInt8(0x80), 0x7F, 0xFF, 0x01]) func aSizeBeyondReasonIsRefused(first: UInt8) throws {
    let at = try place("ispe") + 8
    for field in [[at], [at + 4], [at, at + 4]] {
      var spoiled = bytes
      for start in field { spoiled.replaceSubrange(start..<start + 4, with: [first, 0, 0, 0]) }
      let refused: Set<CodecError.Kind> = [.tooLarge, .invalid, .damaged]
      #expect { try HEIC.header(spoiled) } throws: { refused.contains(($0 as? CodecError)?.kind ?? .io) }
      #expect { try HEIC.decode(spoiled) } throws: { refused.contains(($0 as? CodecError)?.kind ?? .io) }
    }
  }

  /// The sizes of the picture and of its thumbnail, which a decoder would take memory by.
  @Test func codedSizesAreFoundAndHeldToTheLimits() throws {
    let sizes = HEVCSizes.read(bytes).map { [$0.width, $0.height] }
    #expect(sizes.contains([96, 64]) && sizes.count == 2, "\(sizes)")
    let turned = HEVCSizes.read(try Fixture.bytes("turned.heic")).map { [$0.width, $0.height] }
    #expect(turned == [[96, 64]])
    // one that is larger than the file says it is
    let large = try HEIC.encode(Pattern.smooth(width: 512, height: 512), thumbnailSide: 0)
    let at = try #require(large.indices.first { large[$0...].starts(with: "ispe".utf8) }) + 8
    var lying = large
    lying.replaceSubrange(at..<at + 8, with: [0, 0, 0, 64, 0, 0, 0, 64])
    let limits = PictureLimits(maxPixels: 128 * 128)
    #expect { try HEIC.decode(lying, limits: limits) } throws: { ($0 as? CodecError)?.kind == .tooLarge }
  }

  @Test func aSizeThatTheCodedPictureHasNotIsDamage() throws {
    let at = try place("ispe") + 8
    var spoiled = bytes
    spoiled.replaceSubrange(at..<at + 4, with: [0, 0, 2, 0])
    #expect(throws: CodecError.self) { try HEIC.decode(spoiled) }
  }

  @Test(arguments: ["meta", "iprp", "ipco", "iloc", "hvcC", "mdat"]) func aBoxThatReachesBeyondTheEndIsAnError(
    name: String
  ) throws {
    let at = try place(name) - 4
    var spoiled = bytes
    spoiled.replaceSubrange(at..<at + 4, with: [0x80, 0, 0, 0])
    // the last box may be taken to reach to the end
    if let image = try? HEIC.decode(spoiled) { #expect(name == "mdat" && image.width == 96) }
  }
}
