import CImaging

#if canImport(Glibc)
  import Glibc
#endif

extension Plane<UInt8> {
  /// The picture convolved with a Gaussian of `sigma` pixels, edges repeated; the kernel reaches 3 σ.
  public func blurred(sigma: Double) -> GrayImage {
    GrayImage(width: width, height: height, pixels: blurredBytes(pixels, width, height, 1, sigma))
  }
}

extension RGBImage {
  /// The picture convolved with a Gaussian of `sigma` pixels, edges repeated; the kernel reaches 3 σ.
  public func blurred(sigma: Double) -> RGBImage {
    RGBImage(width: width, height: height, bytes: blurredBytes(bytes, width, height, 3, sigma))
  }
}

extension Plane<Float> {
  /// The plane convolved with a Gaussian of `sigma` pixels, edges repeated; the kernel reaches 3 σ.
  public func blurred(sigma: Double) -> FloatPlane {
    guard sigma > 0, !pixels.isEmpty else { return self }
    let out = [Float](unsafeUninitializedCapacity: pixels.count) { target, used in
      pixels.withUnsafeBufferPointer { source in
        let columns = width
        blur(
          columns, height, 1, sigma,
          read: { y, row in row.update(from: source.baseAddress! + y * columns, count: columns) },
          write: { y, row in (target.baseAddress! + y * columns).initialize(from: row, count: columns) })
      }
      used = pixels.count
    }
    return FloatPlane(width: width, height: height, pixels: out)
  }
}

private func blurredBytes(_ bytes: [UInt8], _ width: Int, _ height: Int, _ channels: Int, _ sigma: Double) -> [UInt8] {
  guard sigma > 0, !bytes.isEmpty else { return bytes }
  let stride = width * channels
  return [UInt8](unsafeUninitializedCapacity: bytes.count) { target, used in
    bytes.withUnsafeBufferPointer { source in
      blur(
        width, height, channels, sigma,
        read: { y, row in cimaging_widen(source.baseAddress! + y * stride, stride, row) },
        write: { y, row in cimaging_narrow(row, stride, target.baseAddress! + y * stride) })
    }
    used = bytes.count
  }
}

/// A separable convolution through a ring of 2r + 1 rows, each already blurred along itself: memory for some rows only.
private func blur(
  _ width: Int, _ height: Int, _ channels: Int, _ sigma: Double,
  read: (_ y: Int, _ row: UnsafeMutablePointer<Float>) -> Void, write: (_ y: Int, _ row: UnsafePointer<Float>) -> Void
) {
  let kernel = gaussianKernel(sigma)
  let radius = kernel.count - 1
  let stride = width * channels
  let slots = 2 * radius + 1
  let memory = UnsafeMutablePointer<Float>.allocate(capacity: stride * (slots + 2) + (width + 2 * radius) * channels)
  memory.initialize(repeating: 0, count: stride * (slots + 2) + (width + 2 * radius) * channels)
  defer { memory.deallocate() }
  let wide = memory + stride * slots
  let result = wide + stride
  let padded = result + stride
  var rows = [UnsafePointer<Float>?](repeating: nil, count: slots)
  var ready = 0
  for y in 0..<height {
    while ready <= min(y + radius, height - 1) {
      read(ready, wide)
      cimaging_blur_row(
        wide, Int32(width), Int32(channels), kernel, Int32(radius), padded, memory + stride * (ready % slots))
      ready += 1
    }
    for i in -radius...radius {
      rows[radius + i] = UnsafePointer(memory + stride * (min(max(y + i, 0), height - 1) % slots))
    }
    cimaging_blur_column(rows, Int32(stride), kernel, Int32(radius), result)
    write(y, result)
  }
}

/// The middle weight and those to one side, summing to one when mirrored.
private func gaussianKernel(_ sigma: Double) -> [Float] {
  let radius = max(1, Int((3 * sigma).rounded(.up)))
  let weights = (0...radius).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
  let sum = 2 * weights.reduce(0, +) - weights[0]
  return weights.map { Float($0 / sum) }
}
