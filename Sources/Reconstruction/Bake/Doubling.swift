import Imaging

extension GrayImage {
  /// The picture at `size`² (about twice its own), linear between pixels.
  func doubled(to size: Int) -> GrayImage {
    GrayImage(width: size, height: size, pixels: enlarge(pixels, channels: 1, from: width, to: size))
  }
}

extension RGBImage {
  /// The picture at `size`² (about twice its own), linear between pixels.
  func doubled(to size: Int) -> RGBImage {
    RGBImage(width: size, height: size, bytes: enlarge(bytes, channels: 3, from: width, to: size))
  }
}

/// Linear enlargement of a square picture in fixed point: 7 bits between pixels.
private func enlarge(_ source: [UInt8], channels: Int, from small: Int, to size: Int) -> [UInt8] {
  /// The pixel before a place, the one after it, and 128 times how far it is from the first.
  let places = (0..<size).map { i -> (before: Int, after: Int, share: Int) in
    let p = max(0, (Double(i) + 0.5) * Double(small) / Double(size) - 0.5)
    let before = min(Int(p), small - 1)
    return (before, min(before + 1, small - 1), Int((p - Double(before)) * 128))
  }
  return [UInt8](unsafeUninitializedCapacity: size * size * channels) { out, count in
    source.withUnsafeBufferPointer { source in
      for y in 0..<size {
        let v = places[y]
        let top = source.baseAddress! + v.before &* small &* channels
        let bottom = source.baseAddress! + v.after &* small &* channels
        for x in 0..<size {
          let u = places[x]
          for k in 0..<channels {
            let a = u.before &* channels &+ k
            let b = u.after &* channels &+ k
            let upper = Int(top[a]) &* (128 &- u.share) &+ Int(top[b]) &* u.share
            let lower = Int(bottom[a]) &* (128 &- u.share) &+ Int(bottom[b]) &* u.share
            let sum = upper &* (128 &- v.share) &+ lower &* v.share
            out[(y &* size &+ x) &* channels &+ k] = UInt8(truncatingIfNeeded: (sum &+ 8192) >> 14)
          }
        }
      }
    }
    count = size * size * channels
  }
}
