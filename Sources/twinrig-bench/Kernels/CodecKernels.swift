import Codecs
import Imaging

/// The picture codecs, on 1.9 megapixels.
enum CodecKernels {
  static func all() throws -> [Kernel] {
    let colour = TestPicture.colour
    let pixels = colour.width * colour.height
    let jpeg = try JPEG.encode(colour, quality: 92)
    let png = try PNG.encode(colour)
    return try heic(colour) + [
      Kernel("jpeg encode 92 4:4:4", pixels, "MP", run: { checksum(try JPEG.encode(colour, quality: 92)) }),
      Kernel(
        "jpeg encode 92 4:2:0", pixels, "MP", run: { checksum(try JPEG.encode(colour, quality: 92, chroma: .halved)) }),
      Kernel("jpeg decode", pixels, "MP", run: { checksum(try JPEG.decode(jpeg).bytes) }),
      Kernel("jpeg decode 1/2", pixels, "MP", run: { checksum(try JPEG.decode(jpeg, scale: .half).bytes) }),
      Kernel("jpeg decode 1/8", pixels, "MP", run: { checksum(try JPEG.decode(jpeg, scale: .eighth).bytes) }),
      Kernel("jpeg decode gray", pixels, "MP", run: { checksum(try JPEG.decodeGray(jpeg).pixels) }),
      Kernel("png encode level 1", pixels, "MP", run: { checksum(try PNG.encode(colour, level: 1)) }),
      Kernel("png encode", pixels, "MP", run: { checksum(try PNG.encode(colour)) }),
      Kernel("png decode", pixels, "MP", run: { checksum(try PNG.decode(png).bytes) })
    ]
  }

  /// None where libheif's codecs are not installed.
  private static func heic(_ colour: RGBImage) throws -> [Kernel] {
    guard HEIC.missingEncoder == nil, HEIC.missingDecoder == nil else { return [] }
    let pixels = colour.width * colour.height
    let heic = try HEIC.encode(colour)
    return [
      Kernel("heic encode \(HEIC.usualQuality)", pixels, "MP", run: { checksum(try HEIC.encode(colour)) }),
      Kernel("heic decode", pixels, "MP", run: { checksum(try HEIC.decode(heic).bytes) })
    ]
  }
}
