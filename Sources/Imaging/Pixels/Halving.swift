import CImaging

extension Lens {
  /// The lens of a picture halved by means of 2×2, where an odd last row or column is dropped.
  public var halved: Lens {
    var lens = self
    lens.width /= 2
    lens.height /= 2
    lens.fx /= 2
    lens.fy /= 2
    lens.cx = (cx + 0.5) / 2 - 0.5
    lens.cy = (cy + 0.5) / 2 - 0.5
    return lens
  }
}

extension Plane<UInt8> {
  /// Half the size: each pixel the rounded mean of 2×2; an odd last row or column is dropped.
  public var halved: GrayImage {
    GrayImage(
      width: width / 2, height: height / 2,
      pixels: halvedBytes(pixels, width: width, height: height, channels: 1))
  }
}

extension RGBImage {
  /// Half the size: each pixel the rounded mean of 2×2; an odd last row or column is dropped.
  public var halved: RGBImage {
    RGBImage(
      width: width / 2, height: height / 2, bytes: halvedBytes(bytes, width: width, height: height, channels: 3))
  }
}

extension Plane<UInt16> {
  /// Half the size: each pixel the rounded mean of 2×2; an odd last row or column is dropped.
  public var halved: Plane<UInt16> {
    let count = (width / 2) * (height / 2)
    let out = [UInt16](unsafeUninitializedCapacity: count) { target, used in
      pixels.withUnsafeBufferPointer { source in
        if count > 0 { cimaging_halve16(source.baseAddress, Int32(width), Int32(height), target.baseAddress) }
      }
      used = count
    }
    return Plane(width: width / 2, height: height / 2, pixels: out)
  }
}

private func halvedBytes(_ bytes: [UInt8], width: Int, height: Int, channels: Int) -> [UInt8] {
  let count = (width / 2) * (height / 2) * channels
  return [UInt8](unsafeUninitializedCapacity: count) { target, used in
    bytes.withUnsafeBufferPointer { source in
      if count > 0 {
        cimaging_halve(source.baseAddress, Int32(width), Int32(height), Int32(channels), target.baseAddress)
      }
    }
    used = count
  }
}
