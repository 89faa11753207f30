import Imaging
import Media

extension DepthMaps {
  /// The measured points in world coordinates with normals and colours: every pixel of every map, thinned evenly to at most
  /// `limit`. Throws what reading pictures throws.
  func pointCloud(pictures: ViewPictures, limit: Int = 1_000_000) throws(ReconstructionError) -> TriangleMesh {
    let total = maps.reduce(0) { $0 + $1.depth.pixels.reduce(0) { $0 + ($1 > 0 ? 1 : 0) } }
    let step = max(1, (total + limit - 1) / limit)
    var cloud = TriangleMesh()
    var countdown = 0
    for map in maps {
      let picture = try pictures.rgb(map.view, level: level(of: map, pictures))
      let worldFromCamera = map.cameraFromWorld.inverse
      let scale = SIMD2(
        Float(picture.width) / Float(map.depth.width), Float(picture.height) / Float(map.depth.height))
      for y in 0..<map.depth.height {
        for x in 0..<map.depth.width {
          let depth = Double(map.depth[x, y])
          guard depth > 0 else { continue }
          countdown -= 1
          if countdown > 0 { continue }
          countdown = step
          let ray = map.lens.ray(SIMD2(Double(x), Double(y)))
          cloud.positions.append(SIMD3<Float>(worldFromCamera * (ray * depth)))
          let normal = SIMD3<Double>(SIMD3<Float>(map.normal[x, y]) / 127)
          cloud.normals.append(SIMD3<Float>((worldFromCamera.rotation * normal).normalized))
          let colour = picture.bilinear((SIMD2(Float(x), Float(y)) + 0.5) * scale - 0.5)
          cloud.colours.append(SIMD3<UInt8>(colour + 0.5))
        }
      }
    }
    return cloud
  }

  /// The smallest level of a view's picture that is not smaller than its map.
  private func level(of map: DepthMap, _ pictures: ViewPictures) -> Int {
    var level = 0
    while level < 4, pictures.lens(map.view, level: level + 1).width >= map.depth.width { level += 1 }
    return level
  }
}
