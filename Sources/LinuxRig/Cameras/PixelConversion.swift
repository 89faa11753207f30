import Imaging

extension RawPicture {
  /// The picture in RGB. Blocks for milliseconds; the result does not depend on `threads`.
  package func rgb(threads: Int = Parallel.processorCount) -> RGBImage {
    let (width, height) = (layout.width, layout.height)
    let kernel = RowConversion(layout)
    let pixels = [UInt8](unsafeUninitializedCapacity: 3 * width * height) { target, count in
      count = 3 * width * height
      guard count > 0, let out = target.baseAddress else { return }
      let rows = TargetRows(first: out)
      bytes.withUnsafeBufferPointer { source in
        guard let first = source.baseAddress else { return }
        let planes = SourceRows(first: first)
        Parallel.bands(height, of: 64, threads: threads) { band in
          for y in band { kernel.convert(planes.first, y, rows.first + 3 * width * y) }
        }
      }
    }
    return RGBImage(width: width, height: height, bytes: pixels)
  }
}

/// Each row is written by one thread only.
private struct TargetRows: @unchecked Sendable {
  let first: UnsafeMutablePointer<UInt8>
}

/// Only read.
private struct SourceRows: @unchecked Sendable {
  let first: UnsafePointer<UInt8>
}

/// Converts single rows. In fixed point with 16 bits of fraction, rounded: within 1 of exact arithmetic.
private struct RowConversion: Sendable {
  private let layout: PictureLayout
  private let lumaOffset: Int32, lumaScale: Int32
  private let redOfV: Int32, greenOfU: Int32, greenOfV: Int32, blueOfU: Int32

  init(_ layout: PictureLayout) {
    self.layout = layout
    let encoding = layout.encoding
    let green = 1 - encoding.red - encoding.blue
    let chroma = encoding.isFullRange ? 65536.0 : 65536.0 * 255 / 224
    let luma = encoding.isFullRange ? 65536.0 : 65536.0 * 255 / 219
    let redGain = 2 * (1 - encoding.red)
    let blueGain = 2 * (1 - encoding.blue)
    lumaOffset = encoding.isFullRange ? 0 : 16
    lumaScale = Int32(luma.rounded())
    redOfV = Int32((chroma * redGain).rounded())
    blueOfU = Int32((chroma * blueGain).rounded())
    greenOfU = Int32((chroma * blueGain * encoding.blue / green).rounded())
    greenOfV = Int32((chroma * redGain * encoding.red / green).rounded())
  }

  /// Converts row `y` of a picture.
  func convert(_ picture: UnsafePointer<UInt8>, _ y: Int, _ out: UnsafeMutablePointer<UInt8>) {
    let row = picture + y * layout.stride
    let half = y / 2
    let chroma = picture + layout.stride * layout.height
    switch layout.pixels {
    case .rgb: out.update(from: row, count: 3 * layout.width)
    case .bgr: pick(row, step: 3, red: 2, blue: 0, out)
    case .rgbx: pick(row, step: 4, red: 0, blue: 2, out)
    case .bgrx: pick(row, step: 4, red: 2, blue: 0, out)
    case .nv12:
      let pairs = chroma + half * layout.stride
      mix(out, luma: row, lumaStep: 1, u: pairs, v: pairs + 1, chromaStep: 2)
    case .yuv420:
      let pitch = (layout.stride + 1) / 2
      let u = chroma + half * pitch
      mix(out, luma: row, lumaStep: 1, u: u, v: u + pitch * layout.chromaRows, chromaStep: 1)
    case .yuyv: mix(out, luma: row, lumaStep: 2, u: row + 1, v: row + 3, chromaStep: 4)
    }
  }

  @inline(__always)
  private func pick(
    _ row: UnsafePointer<UInt8>, step: Int, red: Int, blue: Int, _ out: UnsafeMutablePointer<UInt8>
  ) {
    for x in 0..<layout.width {
      let source = row + step &* x
      let target = out + 3 &* x
      target[0] = source[red]
      target[1] = source[1]
      target[2] = source[blue]
    }
  }

  /// Chroma is that of its pixel pair: half a pixel of blur in colour, none in brightness.
  @inline(__always)
  private func mix(
    _ out: UnsafeMutablePointer<UInt8>, luma: UnsafePointer<UInt8>, lumaStep: Int, u: UnsafePointer<UInt8>,
    v: UnsafePointer<UInt8>, chromaStep: Int
  ) {
    for x in 0..<layout.width {
      let at = (x &>> 1) &* chromaStep
      let brightness = (Int32(luma[x &* lumaStep]) &- lumaOffset) &* lumaScale &+ 32768
      let (du, dv) = (Int32(u[at]) &- 128, Int32(v[at]) &- 128)
      let target = out + 3 &* x
      target[0] = clamped(brightness &+ redOfV &* dv)
      target[1] = clamped(brightness &- greenOfU &* du &- greenOfV &* dv)
      target[2] = clamped(brightness &+ blueOfU &* du)
    }
  }

  @inline(__always)
  private func clamped(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(255, value &>> 16))) }
}
