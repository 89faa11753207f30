import Imaging

extension RGBImage {
  /// The picture with every pixel that is not `known` filled smoothly from those that are, by averaging down and
  /// spreading back up (S. Gortler, R. Grzeszczuk, R. Szeliski, M. Cohen, "The Lumigraph", SIGGRAPH 1996, the pull-push
  /// step). Smaller copies of the map then show no foreign colour at the rims of charts.
  func filledOutside(_ known: (Int) -> Bool) -> RGBImage {
    let mask = (0..<width * height).map { known($0) ? UInt8(1) : 0 }
    var out = self
    out.fill(mask)
    return out
  }

  private mutating func fill(_ mask: [UInt8]) {
    guard width > 1, height > 1, mask.contains(0), mask.contains(1) else { return }
    let columns = (width + 1) / 2
    let rows = (height + 1) / 2
    var small = RGBImage(width: columns, height: rows)
    var smallMask = [UInt8](repeating: 0, count: columns * rows)
    for y in 0..<rows {
      for x in 0..<columns {
        var sum = SIMD3<UInt32>.zero
        var count: UInt32 = 0
        for v in 2 * y..<min(height, 2 * y + 2) {
          for u in 2 * x..<min(width, 2 * x + 2) where mask[v * width + u] != 0 {
            let i = 3 * (v * width + u)
            sum &+= SIMD3(UInt32(bytes[i]), UInt32(bytes[i + 1]), UInt32(bytes[i + 2]))
            count += 1
          }
        }
        if count == 0 { continue }
        smallMask[y * columns + x] = 1
        let mean = (sum &+ SIMD3(repeating: count / 2)) / SIMD3(repeating: count)
        small[x, y] = SIMD3<UInt8>(truncatingIfNeeded: mean)
      }
    }
    small.fill(smallMask)
    for y in 0..<height {
      for x in 0..<width where mask[y * width + x] == 0 {
        // the middle of this pixel in the smaller picture, linear between its pixels
        let place = (SIMD2(Float(x), Float(y)) + 0.5) / 2 - 0.5
        let colour = small.bilinear(place)
        self[x, y] = SIMD3<UInt8>(colour + 0.5)
      }
    }
  }
}
