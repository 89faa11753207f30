import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// What a thing covers of the floor it stands on, seen from above.
package struct Footprint: Sendable {
  /// The corners of its convex hull, one way round.
  private let hull: [SIMD2<Double>]

  /// The footprint of things at these places (x, z).
  package init(_ places: [SIMD2<Double>]) { hull = Self.hull(places) }

  /// The turn about +y, from −45° to 45°, that makes the rectangle along x and z around the footprint as small as can be;
  /// none where that saves less than 1 % of its area, as with round things.
  ///
  /// The smallest rectangle has a side along an edge of the hull (Freeman and Shapira 1975).
  package var turn: Angle {
    var best = (angle: 0.0, area: 0.99 * area(turned: 0))
    for (a, b) in zip(hull, hull.dropFirst() + hull.prefix(1)) {
      let edge = b - a
      let angle = atan2(edge.y, edge.x).remainder(dividingBy: .pi / 2)
      let area = area(turned: angle)
      if area < best.area { best = (angle, area) }
    }
    return Angle(radians: best.angle)
  }

  private func area(turned angle: Double) -> Double {
    let (c, s) = (cos(angle), sin(angle))
    var low = SIMD2(Double.infinity, Double.infinity)
    var high = -low
    for p in hull {
      let q = SIMD2(p.x * c + p.y * s, p.y * c - p.x * s)
      low = pointwiseMin(low, q)
      high = pointwiseMax(high, q)
    }
    return hull.isEmpty ? 0 : (high.x - low.x) * (high.y - low.y)
  }

  /// Andrew's monotone chain (1979).
  private static func hull(_ places: [SIMD2<Double>]) -> [SIMD2<Double>] {
    let sorted = places.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    guard sorted.count > 2 else { return sorted }
    return Array(chain(sorted).dropLast() + chain(sorted.reversed()).dropLast())
  }

  private static func chain(_ sorted: [SIMD2<Double>]) -> [SIMD2<Double>] {
    var chain: [SIMD2<Double>] = []
    for p in sorted {
      while chain.count >= 2 {
        let a = chain[chain.count - 1] - chain[chain.count - 2]
        let b = p - chain[chain.count - 1]
        if a.x * b.y - a.y * b.x > 0 { break }
        chain.removeLast()
      }
      chain.append(p)
    }
    return chain
  }
}
