import Imaging
import LinuxRig
import Testing

/// The conversion of cameras' pictures against a naive twin.
@Suite struct PixelConversionTests {
  private static let encodings: [YUVEncoding] = [
    .jpeg, YUVEncoding(red: 0.299, blue: 0.114, isFullRange: false), .rec709,
    YUVEncoding(red: 0.2126, blue: 0.0722, isFullRange: true), .rec2020
  ]

  /// A picture of noise.
  private func noise(_ layout: PictureLayout, seed: UInt64) -> RawPicture {
    var state = seed
    let bytes = (0..<layout.byteCount).map { _ -> UInt8 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(state >> 56)
    }
    return RawPicture(layout: layout, bytes: bytes)
  }

  /// One pixel in exact arithmetic.
  private func exact(_ picture: RawPicture, _ x: Int, _ y: Int) -> [Double] {
    let layout = picture.layout
    func byte(_ index: Int) -> Double { Double(picture.bytes[index]) }
    let row = y * layout.stride
    let chroma = layout.stride * layout.height
    switch layout.pixels {
    case .rgb: return [0, 1, 2].map { byte(row + 3 * x + $0) }
    case .bgr: return [2, 1, 0].map { byte(row + 3 * x + $0) }
    case .rgbx: return [0, 1, 2].map { byte(row + 4 * x + $0) }
    case .bgrx: return [2, 1, 0].map { byte(row + 4 * x + $0) }
    case .nv12:
      let pair = chroma + (y / 2) * layout.stride + 2 * (x / 2)
      return colour(byte(row + x), byte(pair), byte(pair + 1), layout.encoding)
    case .yuv420:
      let pitch = (layout.stride + 1) / 2
      let place = chroma + (y / 2) * pitch + x / 2
      let plane = pitch * ((layout.height + 1) / 2)
      return colour(byte(row + x), byte(place), byte(place + plane), layout.encoding)
    case .yuyv:
      let pair = row + 4 * (x / 2)
      return colour(byte(row + 2 * x), byte(pair + 1), byte(pair + 3), layout.encoding)
    }
  }

  private func colour(_ y: Double, _ u: Double, _ v: Double, _ encoding: YUVEncoding) -> [Double] {
    let luma = encoding.isFullRange ? y : (y - 16) * 255 / 219
    let spread = encoding.isFullRange ? 1.0 : 255.0 / 224
    let (cb, cr) = ((u - 128) * spread, (v - 128) * spread)
    let red = luma + 2 * (1 - encoding.red) * cr
    let blue = luma + 2 * (1 - encoding.blue) * cb
    // luma is the weighted sum of all three
    let rest = luma - encoding.red * red - encoding.blue * blue
    let green = rest / (1 - encoding.red - encoding.blue)
    return [red, green, blue].map { max(0, min(255, $0)) }
  }

  private func largestError(_ picture: RawPicture) -> Double {
    let converted = picture.rgb(threads: 2)
    var largest = 0.0
    for y in 0..<picture.layout.height {
      for x in 0..<picture.layout.width {
        let found = converted[x, y]
        let wanted = exact(picture, x, y)
        for (a, b) in zip([found.x, found.y, found.z], wanted) { largest = max(largest, abs(Double(a) - b)) }
      }
    }
    return largest
  }

  @Test(arguments: PixelLayout.allCases) func everyLayoutIsReadAtOddSizesAndStrides(_ pixels: PixelLayout) {
    for (width, height) in [(1, 1), (2, 2), (3, 5), (17, 3), (64, 66), (33, 129)] {
      for padding in [0, 1, 2, 13, 64] {
        var layout = PictureLayout(pixels: pixels, width: width, height: height, stride: 0)
        layout.stride = layout.leastStride + padding
        let error = largestError(noise(layout, seed: UInt64(width * 1000 + padding)))
        let isCopied = [.rgb, .bgr, .rgbx, .bgrx].contains(pixels)
        #expect(isCopied ? error == 0 : error <= 1, "\(layout): \(error)")
      }
    }
  }

  @Test(arguments: [PixelLayout.nv12, .yuv420, .yuyv]) func everyEncodingIsUnderstood(_ pixels: PixelLayout) {
    for encoding in Self.encodings {
      var layout = PictureLayout(pixels: pixels, width: 96, height: 96, stride: 0, encoding: encoding)
      layout.stride = layout.leastStride
      let error = largestError(noise(layout, seed: 3))
      #expect(error <= 1, "\(encoding): \(error)")
    }
  }

  @Test func blackAndWhiteAreBlackAndWhite() {
    for encoding in Self.encodings {
      let (black, white): (UInt8, UInt8) = encoding.isFullRange ? (0, 255) : (16, 235)
      let layout = PictureLayout(pixels: .nv12, width: 2, height: 1, stride: 2, encoding: encoding)
      let image = RawPicture(layout: layout, bytes: [black, white, 128, 128]).rgb()
      #expect(image.bytes == [0, 0, 0, 255, 255, 255], "\(encoding)")
    }
  }

  @Test func theResultDoesNotDependOnThreads() {
    let picture = noise(PictureLayout(pixels: .yuv420, width: 61, height: 400, stride: 64), seed: 9)
    let alone = picture.rgb(threads: 1)
    #expect(picture.rgb(threads: 5).bytes == alone.bytes)
  }

  @Test func anEmptyPictureIsEmpty() {
    let layout = PictureLayout(pixels: .rgb, width: 0, height: 0, stride: 0)
    #expect(RawPicture(layout: layout, bytes: []).rgb().bytes.isEmpty)
  }
}
