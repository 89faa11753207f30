import CFeatures
import Imaging

/// Moves sights of a point to where their surroundings look most like those in one picture of the track: a few hundredths
/// of a pixel, where a detector is a few tenths off.
struct SubPixelAlignment {
  let features: FeatureSet
  let cameras: [Camera]
  let threads: Int

  /// One sight to align: in the picture `reference` at `from`; the place in `track`.
  private struct Item: Sendable {
    var track: Int
    var sighting: Int
    var from: SIMD2<Float>
    var to: SIMD2<Float>
    var warp: SIMD4<Float>
  }

  /// Aligns all tracks, whose positions must be known. Sights that do not align are dropped.
  func aligned(_ tracks: [Track], tally: Tally) throws(ReconstructionError) -> [Track] {
    let count = cameras.count
    var work: [Int: [Item]] = [:]
    for t in tracks.indices { collect(t, tracks[t], count, &work) }
    let keys = work.keys.sorted()
    let items = keys.map { work[$0]! }
    let done = Slots<[SIMD2<Double>?]>(count: keys.count)
    try Parallel.forEach(keys.count, threads: threads) { k throws(ReconstructionError) in
      done[k] = align(items[k], from: keys[k] / count, to: keys[k] % count)
      if k % 16 == 0 { try tally.check() }
    }
    var places = tracks.map { $0.sightings.map { Optional($0.pixel) } }
    for (k, result) in done.values.enumerated() {
      for (i, place) in result.enumerated() { places[items[k][i].track][items[k][i].sighting] = place }
    }
    return tracks.indices.compactMap { t in
      var track = tracks[t]
      track.sightings = track.sightings.enumerated().compactMap { i, sighting in
        guard let pixel = places[t][i] else { return nil }
        return Sighting(view: sighting.view, feature: sighting.feature, pixel: pixel)
      }
      return track.sightings.count >= 2 ? track : nil
    }
  }

  private func collect(_ t: Int, _ track: Track, _ count: Int, _ work: inout [Int: [Item]]) {
    let rays = track.sightings.map { (cameras[$0.view].cameraFromWorld.centre - track.position).normalized }
    let mean = rays.reduce(SIMD3.zero, +).normalized
    // the reference looks from the middle of all
    let reference = rays.indices.max { (rays[$0].dot(mean), $1) < (rays[$1].dot(mean), $0) }!
    let from = track.sightings[reference]
    for (i, s) in track.sightings.enumerated() where i != reference {
      guard let warp = warp(track.position, facing: mean, from.view, s.view) else { continue }
      work[from.view * count + s.view, default: []].append(
        Item(track: t, sighting: i, from: SIMD2<Float>(from.pixel), to: SIMD2<Float>(s.pixel), warp: warp))
    }
  }

  /// How a small piece of surface that faces `normal` is stretched from one picture to another.
  private func warp(_ x: SIMD3<Double>, facing normal: SIMD3<Double>, _ a: Int, _ b: Int) -> SIMD4<Float>? {
    let u = (abs(normal.y) < 0.9 ? normal.cross([0, 1, 0]) : normal.cross([1, 0, 0])).normalized
    let v = normal.cross(u)
    let depth = (cameras[a].cameraFromWorld * x).z
    let step = depth / cameras[a].lens.fx
    guard let a0 = cameras[a].pixel(x), let au = cameras[a].pixel(x + u * step),
      let av = cameras[a].pixel(x + v * step),
      let b0 = cameras[b].pixel(x), let bu = cameras[b].pixel(x + u * step), let bv = cameras[b].pixel(x + v * step)
    else { return nil }
    let (p, q) = (au - a0, av - a0)
    let (r, s) = (bu - b0, bv - b0)
    let det = p.x * q.y - p.y * q.x
    guard abs(det) > 1e-3 else { return nil }
    // [r s] [p q]⁻¹
    let w = SIMD4(
      (r.x * q.y - s.x * p.y) / det, (s.x * p.x - r.x * q.x) / det, (r.y * q.y - s.y * p.y) / det,
      (s.y * p.x - r.y * q.x) / det)
    let size = abs(w.x * w.w - w.y * w.z)
    guard size > 0.2, size < 5 else { return nil }
    return SIMD4<Float>(w)
  }

  private func align(_ items: [Item], from a: Int, to b: Int) -> [SIMD2<Double>?] {
    let (here, there) = (features.pictures[a], features.pictures[b])
    let from = items.flatMap { [$0.from.x, $0.from.y] }
    let warp = items.flatMap { [$0.warp.x, $0.warp.y, $0.warp.z, $0.warp.w] }
    var places = items.flatMap { [$0.to.x, $0.to.y] }
    var isGood = [UInt8](repeating: 0, count: items.count)
    cfeatures_align(
      here.pixels, Int32(here.width), Int32(here.height), there.pixels, Int32(there.width), Int32(there.height),
      Int32(items.count), from, warp, 7, 2, 0.85, &places, &isGood)
    return items.indices.map { i in
      isGood[i] == 0 ? nil : SIMD2(Double(places[2 * i]), Double(places[2 * i + 1]))
    }
  }
}
