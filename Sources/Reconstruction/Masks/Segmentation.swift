import CMasks
import Imaging

/// Tells the object from the background in one picture.
struct Segmentation {
  /// Log-odds of each pixel for the object.
  private(set) var odds: [Float]
  private let picture: RGBImage

  /// Starts from the colours alone.
  init(_ picture: RGBImage, _ colours: ColourModel) {
    self.picture = picture
    let count = picture.width * picture.height
    odds = [Float](unsafeUninitializedCapacity: count) { buffer, n in
      cmasks_lookup(picture.bytes, count, colours.table, buffer.baseAddress)
      n = count
    }
  }

  /// Starts from odds at hand.
  init(_ picture: RGBImage, odds: [Float]) {
    self.picture = picture
    self.odds = odds
  }

  /// Takes what the other views say into account: off the drawn hull there is no object, on it rather more.
  mutating func restrict(to hull: GrayImage, bias: Float) {
    odds.withUnsafeMutableBufferPointer { odds in
      hull.pixels.withUnsafeBufferPointer { hull in
        for i in 0..<odds.count { odds[i] = hull[i] == 0 ? -12 : odds[i] + bias }
      }
    }
  }

  /// The mask: smooth where the picture is, 255 on the object.
  func mask(strength: Float = 1.6, contrast: Float = 2.5) -> GrayImage {
    let (w, h) = (picture.width, picture.height)
    let count = w * h
    let scratch = [Float](unsafeUninitializedCapacity: 4 * count) { buffer, n in
      let base = buffer.baseAddress!
      cmasks_smooth(
        odds, picture.bytes, Int32(w), Int32(h), strength, contrast, 10, base + count, base + 3 * count, base)
      n = count
    }
    let pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, n in
      scratch.withUnsafeBufferPointer { belief in
        for i in 0..<count { buffer[i] = belief[i] > 0 ? 255 : 0 }
      }
      n = count
    }
    return GrayImage(width: w, height: h, pixels: pixels)
  }
}

extension Plane<UInt8> {
  /// The mask without specks: islands of less than `island` pixels go, holes of less than `hole` pixels are filled.
  func cleaned(island: Int, hole: Int) -> GrayImage {
    let count = width * height
    var labels = [Int32](repeating: 0, count: count)
    var stack = labels
    let regions = Int(cmasks_regions(pixels, Int32(width), Int32(height), &labels, &stack))
    var sizes = [Int](repeating: 0, count: regions)
    labels.withUnsafeBufferPointer { labels in
      for i in 0..<count { sizes[Int(labels[i])] += 1 }
    }
    let flipped = [UInt8](unsafeUninitializedCapacity: count) { buffer, n in
      pixels.withUnsafeBufferPointer { pixels in
        labels.withUnsafeBufferPointer { labels in
          for i in 0..<count {
            let isSpeck = sizes[Int(labels[i])] < (pixels[i] != 0 ? island : hole)
            buffer[i] = (pixels[i] != 0) != isSpeck ? 255 : 0
          }
        }
      }
      n = count
    }
    return GrayImage(width: width, height: height, pixels: flipped)
  }
}
