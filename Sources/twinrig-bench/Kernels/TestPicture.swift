import Imaging

/// A picture of 1600 × 1200 with edges, texture and noise, the same everywhere: whole numbers only.
enum TestPicture {
  static let width = 1600
  static let height = 1200
  static let colour: RGBImage = {
    var random = SplitMix(seed: 42)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(3 * width * height)
    for y in 0..<height {
      for x in 0..<width {
        let rings = ((x - 700) * (x - 700) + (y - 500) * (y - 500)) / 4000 % 64
        let tile = (x / 40 + y / 40) % 2 * 50
        let noise = Int(random.next() % 9) - 4
        bytes.append(UInt8(60 + rings + tile + noise))
        bytes.append(UInt8(40 + rings * 2 + tile / 2 + noise))
        bytes.append(UInt8(120 - rings + tile + noise))
      }
    }
    return RGBImage(width: width, height: height, bytes: bytes)
  }()
  static let gray = colour.gray
  /// The same picture with other noise, one step brighter.
  static let later: GrayImage = {
    var random = SplitMix(seed: 43)
    return GrayImage(
      width: width, height: height,
      pixels: gray.pixels.map { UInt8(clamping: Int($0) + 1 + Int(random.next() % 5) - 2) })
  }()

  static let lens: Lens = {
    var lens = Lens(width: width, height: height, fx: 1400, fy: 1402, cx: 803, cy: 597)
    lens.k1 = -0.18
    lens.k2 = 0.05
    lens.p1 = 0.0004
    return lens
  }()
}
