import CFeatures
import Imaging

/// The features of all views, found at one level of the pictures.
struct FeatureSet: Sendable {
  /// How often the pictures were halved.
  var level: Int
  /// The pinholes at that level.
  var lenses: [Lens]
  /// Features by view.
  var features: [[cfeatures_feature]]
  /// The grey pictures they were found in, for alignment to a part of a pixel.
  var pictures: [Plane<UInt16>]

  /// Most features kept of a view.
  static let capacity = 3000

  /// Finds features where masks allow. A mask may be of any size: it is looked up by proportion.
  static func detect(
    _ set: ViewSet, pictures: ViewPictures, masks: [GrayImage], level: Int, threads: Int, tally: Tally
  ) throws(ReconstructionError) -> FeatureSet {
    let planes = Slots<Plane<UInt16>>(count: set.views.count)
    try Parallel.forEach(set.views.count, threads: threads) { i throws(ReconstructionError) in
      planes[i] = try pictures.luminance(i, level: level)
    }
    return try detect(
      planes.values, lenses: set.views.map { pictures.lens($0.index, level: level) }, masks: masks, level: level,
      threads: threads, tally: tally)
  }

  /// The same in pictures at hand.
  static func detect(
    _ planes: [Plane<UInt16>], lenses: [Lens], masks: [GrayImage], level: Int, threads: Int, tally: Tally
  ) throws(ReconstructionError) -> FeatureSet {
    let found = Slots<[cfeatures_feature]>(count: planes.count)
    try Parallel.forEach(planes.count, threads: threads) { i throws(ReconstructionError) in
      let mask = masks[i].sized(planes[i].width, planes[i].height)
      guard let features = detect(planes[i], mask: mask) else {
        throw ReconstructionError.outOfMemory("to find the features of a picture")
      }
      found[i] = features
      try tally.advance()
    }
    return FeatureSet(level: level, lenses: lenses, features: found.values, pictures: planes)
  }

  private static func detect(_ picture: Plane<UInt16>, mask: GrayImage) -> [cfeatures_feature]? {
    var isOutOfMemory = false
    let features = [cfeatures_feature](unsafeUninitializedCapacity: capacity) { buffer, count in
      let n = cfeatures_detect(
        picture.pixels, mask.pixels, Int32(picture.width), Int32(picture.height), 0.004, 12, buffer.baseAddress,
        Int32(capacity))
      isOutOfMemory = n < 0
      count = max(0, Int(n))
    }
    return isOutOfMemory ? nil : features
  }

  /// The place of a feature, in pixels of its level.
  func place(_ view: Int, _ feature: Int) -> SIMD2<Double> {
    let f = features[view][feature]
    return SIMD2(Double(f.x), Double(f.y))
  }
}

extension Plane<UInt8> {
  /// The picture at another size, each pixel the nearest one.
  func sized(_ width: Int, _ height: Int) -> GrayImage {
    if width == self.width && height == self.height { return self }
    var out = GrayImage(width: width, height: height, fill: 0)
    for y in 0..<height {
      let row = min(self.height - 1, y * self.height / height) * self.width
      for x in 0..<width { out.pixels[y * width + x] = pixels[row + min(self.width - 1, x * self.width / width)] }
    }
    return out
  }
}
