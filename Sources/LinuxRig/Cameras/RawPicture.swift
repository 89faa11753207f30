/// How a camera's pixels lie in memory; the names say the order of the bytes.
package enum PixelLayout: Sendable, Hashable, CaseIterable {
  /// Three bytes a pixel.
  case rgb, bgr
  /// Four bytes a pixel, the last without meaning.
  case rgbx, bgrx
  /// A plane of luma, then one of U V pairs for two by two pixels, of the same stride.
  case nv12
  /// A plane of luma, then U, then V, each for two by two pixels with half the stride (rounded up).
  case yuv420
  /// Y U Y V for two pixels of a row.
  case yuyv
}

/// What luma and chroma mean (ITU-R BT.601, BT.709, BT.2020), and of which range they are.
package struct YUVEncoding: Sendable, Hashable {
  /// The weights of red and blue in luma.
  package var red: Double, blue: Double
  /// Whether 0…255 are used, or 16…235 (chroma 16…240).
  package var isFullRange: Bool

  /// BT.601, as JPEG has it.
  package static let jpeg = YUVEncoding(red: 0.299, blue: 0.114, isFullRange: true)
  /// BT.709.
  package static let rec709 = YUVEncoding(red: 0.2126, blue: 0.0722, isFullRange: false)
  /// BT.2020.
  package static let rec2020 = YUVEncoding(red: 0.2627, blue: 0.0593, isFullRange: false)

  /// An encoding.
  package init(red: Double, blue: Double, isFullRange: Bool) {
    self.red = red
    self.blue = blue
    self.isFullRange = isFullRange
  }
}

/// How pictures of a camera lie in memory.
package struct PictureLayout: Sendable, Hashable {
  /// The pixels' order.
  package var pixels: PixelLayout
  /// Size in pixels.
  package var width: Int, height: Int
  /// Bytes from one row to the next, of the first plane.
  package var stride: Int
  /// What luma and chroma mean.
  package var encoding: YUVEncoding

  /// A layout.
  package init(pixels: PixelLayout, width: Int, height: Int, stride: Int, encoding: YUVEncoding = .jpeg) {
    self.pixels = pixels
    self.width = width
    self.height = height
    self.stride = stride
    self.encoding = encoding
  }

  /// Bytes that a row of the first plane needs.
  package var leastStride: Int {
    switch pixels {
    case .rgb, .bgr: 3 * width
    case .rgbx, .bgrx: 4 * width
    case .nv12: 2 * ((width + 1) / 2)
    case .yuv420: width
    case .yuyv: 4 * ((width + 1) / 2)
    }
  }

  /// Rows of chroma planes.
  var chromaRows: Int { (height + 1) / 2 }

  /// Bytes of a whole picture.
  package var byteCount: Int {
    switch pixels {
    case .rgb, .bgr, .rgbx, .bgrx, .yuyv: stride * height
    case .nv12: stride * height + stride * chromaRows
    case .yuv420: stride * height + 2 * ((stride + 1) / 2) * chromaRows
    }
  }
}

/// A picture as the camera wrote it, copied out of its buffer.
package struct RawPicture: Sendable {
  /// How it lies in `bytes`.
  package let layout: PictureLayout
  /// `layout.byteCount` bytes.
  package let bytes: [UInt8]

  /// A picture; traps where `bytes` has another size than the layout says.
  package init(layout: PictureLayout, bytes: [UInt8]) {
    precondition(layout.stride >= layout.leastStride && bytes.count == layout.byteCount)
    self.layout = layout
    self.bytes = bytes
  }
}
