import CImaging

extension Plane<UInt8> {
  /// The picture at another size. Along each axis, shrinking takes the mean over the area that an output pixel covers and
  /// enlarging interpolates linearly between pixel centres; edges are repeated. `Lens.scaled` is the lens that goes with it.
  public func resized(width newWidth: Int, height newHeight: Int) -> GrayImage {
    GrayImage(
      width: newWidth, height: newHeight,
      pixels: resizedBytes(pixels, from: (width, height), to: (newWidth, newHeight), channels: 1))
  }
}

extension RGBImage {
  /// The picture at another size. Along each axis, shrinking takes the mean over the area that an output pixel covers and
  /// enlarging interpolates linearly between pixel centres; edges are repeated. `Lens.scaled` is the lens that goes with it.
  public func resized(width newWidth: Int, height newHeight: Int) -> RGBImage {
    RGBImage(
      width: newWidth, height: newHeight,
      bytes: resizedBytes(bytes, from: (width, height), to: (newWidth, newHeight), channels: 3))
  }
}

private func resizedBytes(
  _ bytes: [UInt8], from old: (width: Int, height: Int), to new: (width: Int, height: Int), channels: Int
) -> [UInt8] {
  precondition(old.width > 0 && old.height > 0 && new.width >= 0 && new.height >= 0)
  let columns = Taps(from: old.width, to: new.width)
  let rows = Taps(from: old.height, to: new.height)
  let count = new.width * new.height * channels
  let scratch = UnsafeMutableBufferPointer<Float>.allocate(capacity: old.width * channels)
  defer { scratch.deallocate() }
  return [UInt8](unsafeUninitializedCapacity: count) { target, used in
    bytes.withUnsafeBufferPointer { source in
      cimaging_resample(
        source.baseAddress, Int32(old.width), Int32(channels), columns.taps, columns.weights, Int32(new.width),
        rows.taps,
        rows.weights, 0, Int32(new.height), scratch.baseAddress, target.baseAddress)
    }
    used = count
  }
}

/// For each output pixel of one axis, the source pixels that it is made of.
private struct Taps {
  var taps: [cimaging_taps] = []
  var weights: [Float] = []

  init(from old: Int, to new: Int) {
    let scale = Double(old) / Double(max(new, 1))
    for i in 0..<new {
      let first = weights.count
      var start: Int
      if scale > 1 {
        let low = Double(i) * scale
        let high = min(low + scale, Double(old))
        start = Int(low)
        for j in start..<min(old, Int(high.rounded(.up))) {
          let covered = min(high, Double(j + 1)) - max(low, Double(j))
          weights.append(Float(covered / scale))
        }
      } else {
        let centre = (Double(i) + 0.5) * scale - 0.5
        let place = min(max(centre, 0), Double(old - 1))
        start = min(Int(place), max(old - 2, 0))
        let fraction = Float(place - Double(start))
        weights.append(1 - fraction)
        if start + 1 < old { weights.append(fraction) }
      }
      taps.append(
        cimaging_taps(start: Int32(start), count: Int32(weights.count - first), first_weight: Int32(first)))
    }
  }
}
