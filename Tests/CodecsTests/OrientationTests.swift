import Codecs
import Imaging
import Media
import Testing

@Suite struct OrientationTests {
  // the letter F, as EXIF's tables draw it
  private let upright = ["####", "#...", "###.", "#...", "#..."]
  private let stored = [
    1: ["####", "#...", "###.", "#...", "#..."],
    2: ["####", "...#", ".###", "...#", "...#"],
    3: ["...#", "...#", ".###", "...#", "####"],
    4: ["#...", "#...", "###.", "#...", "####"],
    5: ["#####", "#.#..", "#.#..", "#...."],
    6: ["#....", "#.#..", "#.#..", "#####"],
    7: ["....#", "..#.#", "..#.#", "#####"],
    8: ["#####", "..#.#", "..#.#", "....#"]
  ]

  private func picture(_ rows: [String]) -> RGBImage {
    RGBImage(
      width: rows[0].count, height: rows.count,
      bytes: rows.joined().flatMap { [UInt8](repeating: $0 == "#" ? 255 : 0, count: 3) })
  }

  @Test(arguments: 1...8) func everyOrientationTurnsUpright(orientation: Int) throws {
    let turned = picture(try #require(stored[orientation])).oriented(orientation)
    let wanted = picture(upright)
    #expect(turned.width == wanted.width && turned.height == wanted.height && turned.bytes == wanted.bytes)
  }

  @Test func anExifOrientationIsReadFromTheFile() throws {
    let image = picture(try #require(stored[6])).resizedByPixelDoubling(16)
    let bytes = withExif(try JPEG.encode(image, quality: 95), orientation: 6)
    #expect(Exif.read(jpeg: bytes)?.orientation == 6)
    let upright = try Picture.decodeUpright(bytes)
    #expect(upright.width == 64 && upright.height == 80)
    #expect(upright[8, 70].x > 200 && upright[56, 70].x < 50 && upright[56, 8].x > 200)
    #expect(try Picture.decode(bytes).width == 80)
  }

  private func withExif(_ jpeg: [UInt8], orientation: UInt8) -> [UInt8] {
    let body: [UInt8] =
      Array("Exif\0\0MM".utf8) + [
        0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0
      ]
    return [0xFF, 0xD8, 0xFF, 0xE1, 0, UInt8(body.count + 2)] + body + jpeg[2...]
  }
}

extension RGBImage {
  fileprivate func resizedByPixelDoubling(_ n: Int) -> RGBImage {
    var out = RGBImage(width: width * n, height: height * n)
    for y in 0..<out.height { for x in 0..<out.width { out[x, y] = self[x / n, y / n] } }
    return out
  }
}
