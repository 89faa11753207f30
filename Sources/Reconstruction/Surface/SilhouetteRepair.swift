import CDepth
import Imaging

/// Takes back what a mask leaves out although it was measured: a surface that several depth maps agree on is on the
/// object from wherever one looks at it, also where it has the colour of what is behind it.
struct SilhouetteRepair: Sendable {
  /// What each map is sure of, in world coordinates.
  private let places: [[SIMD3<Float>]]
  /// How many maps have to agree.
  private static let witnesses: UInt8 = 3
  /// Every how many columns and rows of a map a place is taken.
  private static let step = 2

  /// The repair by what `depth` measured inside `hull`.
  init(_ depth: DepthMaps, hull: VoxelHull?, threads: Int) {
    places = Parallel.map(depth.maps.count, threads: threads) { Self.places(depth.maps[$0], hull) }
  }

  private static func places(_ map: DepthMap, _ hull: VoxelHull?) -> [SIMD3<Float>] {
    let worldFromCamera = map.cameraFromWorld.inverse
    var places: [SIMD3<Float>] = []
    for y in stride(from: step / 2, to: map.depth.height, by: step) {
      for x in stride(from: step / 2, to: map.depth.width, by: step) where map.confidence[x, y] >= 128 {
        let z = Double(map.depth[x, y])
        guard z > 0 else { continue }
        let place = worldFromCamera * (map.lens.ray(SIMD2(Double(x), Double(y))) * z)
        // what is seen of the table at the object's foot is outside the hull
        if let hull, !hull.contains(place) { continue }
        places.append(SIMD3<Float>(place))
      }
    }
    return places
  }

  /// The mask of a pinhole camera with what was measured outside of it, or nil where nothing was. `outline` is its
  /// `Silhouette.distance`.
  func repaired(_ mask: GrayImage, outline: [Int8], camera: cdepth_camera) -> GrayImage? {
    let measured = measured(outside: mask, camera)
    // matching makes things a pixel or two larger than they are: only what goes farther is a part left out
    let reach = 2
    let strong = outline.indices.filter { outline[$0] >= 4 * Int8(reach) && measured[$0] >= Self.witnesses }
    if strong.isEmpty { return nil }
    var repaired = mask
    for i in strong {
      let (x, y) = (i % mask.width, i / mask.width)
      for v in max(0, y - reach)...min(mask.height - 1, y + reach) {
        for u in max(0, x - reach)...min(mask.width - 1, x + reach)
        where measured[v * mask.width + u] >= Self.witnesses { repaired[u, v] = 255 }
      }
    }
    return repaired
  }

  /// For each pixel off the mask how many maps have something there.
  private func measured(outside mask: GrayImage, _ camera: cdepth_camera) -> [UInt8] {
    var count = [UInt8](repeating: 0, count: mask.pixels.count)
    var last = [Int32](repeating: -1, count: mask.pixels.count)
    for (map, places) in places.enumerated() {
      for place in places {
        guard let (x, y) = camera.pixel(place) else { continue }
        for v in max(0, y - 1)...min(mask.height - 1, y + 1) {
          for u in max(0, x - 1)...min(mask.width - 1, x + 1) {
            let i = v &* mask.width &+ u
            if mask.pixels[i] != 0 || last[i] == Int32(map) { continue }
            last[i] = Int32(map)
            if count[i] < .max { count[i] += 1 }
          }
        }
      }
    }
    return count
  }
}

extension cdepth_camera {
  /// The pixel in which a place in world coordinates is seen, or nil where it is in none.
  fileprivate func pixel(_ p: SIMD3<Float>) -> (x: Int, y: Int)? {
    let z = r.6 * p.x + r.7 * p.y + r.8 * p.z + t.2
    guard z > 0 else { return nil }
    let x = fx * (r.0 * p.x + r.1 * p.y + r.2 * p.z + t.0) / z + cx
    let y = fy * (r.3 * p.x + r.4 * p.y + r.5 * p.z + t.1) / z + cy
    guard x > -0.5, y > -0.5, x < Float(width) - 0.5, y < Float(height) - 0.5 else { return nil }
    return (Int(x + 0.5), Int(y + 0.5))
  }
}
