import Imaging
import Reconstruction

#if canImport(Glibc)
  import Glibc
#endif

/// A thing whose surface is known exactly.
protocol Solid: Sendable {
  /// The distance along a ray (unit direction) to the surface and its outward normal there.
  func hit(from origin: SIMD3<Double>, along ray: SIMD3<Double>) -> (t: Double, normal: SIMD3<Double>)?
}

struct Sphere: Solid {
  var radius: Double

  func hit(from origin: SIMD3<Double>, along ray: SIMD3<Double>) -> (t: Double, normal: SIMD3<Double>)? {
    let b = origin.dot(ray)
    let root = b * b - origin.dot(origin) + radius * radius
    guard root > 0 else { return nil }
    let t = -b - root.squareRoot()
    return t > 0 ? (t, (origin + ray * t) / radius) : nil
  }
}

/// A cylinder upright on y = 0.
struct Can: Solid {
  var radius: Double
  var height: Double

  func hit(from origin: SIMD3<Double>, along ray: SIMD3<Double>) -> (t: Double, normal: SIMD3<Double>)? {
    var best: (t: Double, normal: SIMD3<Double>)?
    let a = ray.x * ray.x + ray.z * ray.z
    let b = origin.x * ray.x + origin.z * ray.z
    let root = b * b - a * (origin.x * origin.x + origin.z * origin.z - radius * radius)
    if root > 0 {
      let t = (-b - root.squareRoot()) / a
      let p = origin + ray * t
      if t > 0, p.y >= 0, p.y <= height { best = (t, SIMD3(p.x, 0, p.z) / radius) }
    }
    for (level, up) in [(height, 1.0), (0, -1)] where ray.y * up < 0 {
      let t = (level - origin.y) / ray.y
      let p = origin + ray * t
      if p.x * p.x + p.z * p.z <= radius * radius, t < best?.t ?? .infinity { best = (t, SIMD3(0, up, 0)) }
    }
    return best
  }
}

/// A cylinder upright on y = 0 with a cylinder taken out of it from above.
struct Cup: Solid {
  var radius: Double
  var height: Double
  var inner: Double
  var floor: Double

  func hit(from origin: SIMD3<Double>, along ray: SIMD3<Double>) -> (t: Double, normal: SIMD3<Double>)? {
    var hits: [(t: Double, normal: SIMD3<Double>)] = []
    func wall(_ radius: Double, from low: Double, outwards: Double) {
      let a = ray.x * ray.x + ray.z * ray.z
      let b = origin.x * ray.x + origin.z * ray.z
      let root = b * b - a * (origin.x * origin.x + origin.z * origin.z - radius * radius)
      guard root > 0 else { return }
      let t = (-b - outwards * root.squareRoot()) / a
      let p = origin + ray * t
      if t > 0, p.y >= low, p.y <= height { hits.append((t, SIMD3(p.x, 0, p.z) * (outwards / radius))) }
    }
    func level(_ y: Double, up: Double, from low: Double, to high: Double) {
      guard ray.y * up < 0 else { return }
      let t = (y - origin.y) / ray.y
      let p = origin + ray * t
      let r = (p.x * p.x + p.z * p.z).squareRoot()
      if r >= low, r <= high { hits.append((t, SIMD3(0, up, 0))) }
    }
    wall(radius, from: 0, outwards: 1)
    wall(inner, from: floor, outwards: -1)
    level(height, up: 1, from: inner, to: radius)
    level(floor, up: 1, from: 0, to: inner)
    level(0, up: -1, from: 0, to: radius)
    return hits.min { $0.t < $1.t }
  }
}

/// Pictures of a solid from cameras around it, with everything that is true about them.
struct Scene {
  let solid: any Solid
  private(set) var views: ViewSet
  private(set) var masks: ObjectMasks
  private let contrast: Double

  /// `rings` of `count` cameras each at an elevation in degrees, at `distance`, looking at `target`.
  init(
    _ solid: any Solid, box: Box3, target: SIMD3<Double> = .zero, distance: Double, rings: [Double], count: Int,
    width: Int = 128, height: Int = 128, focal: Double, contrast: Double = 1
  ) {
    self.solid = solid
    self.contrast = contrast
    let lens = Lens(
      width: width, height: height, fx: focal, fy: focal, cx: Double(width - 1) / 2, cy: Double(height - 1) / 2)
    var views: [PosedView] = []
    for (r, elevation) in rings.enumerated() {
      for k in 0..<count {
        let around = (Double(k) + 0.5 * Double(r)) / Double(count) * 2 * .pi
        let up = elevation * .pi / 180
        let direction = SIMD3(cos(up) * sin(around), sin(up), cos(up) * cos(around))
        views.append(
          PosedView(
            index: views.count, name: "\(views.count)", path: "\(views.count)", lens: lens,
            cameraFromWorld: Self.looking(from: target + direction * distance, at: target), pass: 1, stop: k, side: 0))
      }
    }
    self.views = ViewSet(views: views, box: box, tableHeight: nil, isMetric: true)
    let masks = views.map { view in
      Self.map(view) { Self.ray(view, $0, $1).flatMap { solid.hit(from: $0.0, along: $0.1) } == nil ? UInt8(0) : 255 }
    }
    self.masks = ObjectMasks(masks: masks, level: 0, hull: nil, box: box)
  }

  /// The picture of a view.
  func picture(_ view: Int) -> RGBImage {
    let posed = views.views[view]
    let gray = Self.map(posed) { x, y -> UInt8 in
      guard let (origin, ray) = Self.ray(posed, x, y), let hit = solid.hit(from: origin, along: ray) else { return 8 }
      return UInt8(100 + 80 * contrast * texture(origin + ray * hit.t))
    }
    return RGBImage(width: gray.width, height: gray.height, bytes: gray.pixels.flatMap { [$0, $0, $0] })
  }

  /// Pictures on demand, made instead of read.
  func pictures() -> ViewPictures {
    let made = views.views.indices.map { picture($0) }
    return ViewPictures(of: views) { (path) throws(ReconstructionError) in made[Int(path)!] }
  }

  /// The true depth map of a view, `spoil` added to each depth.
  func truth(_ view: Int, spoil: (Int, Int) -> Float = { _, _ in 0 }) -> DepthMap {
    let posed = views.views[view]
    var normal = Plane(width: posed.lens.width, height: posed.lens.height, fill: SIMD3<Int8>.zero)
    let depth = Self.map(posed) { x, y -> Float in
      guard let (origin, ray) = Self.ray(posed, x, y), let hit = solid.hit(from: origin, along: ray) else { return 0 }
      let n = posed.cameraFromWorld.rotation * hit.normal * 127
      normal[x, y] = SIMD3<Int8>(n, rounding: .toNearestOrAwayFromZero)
      return Float((posed.cameraFromWorld * (origin + ray * hit.t)).z) + spoil(x, y)
    }
    return DepthMap(
      view: view, lens: posed.lens, cameraFromWorld: posed.cameraFromWorld, depth: depth, normal: normal,
      confidence: GrayImage(width: depth.width, height: depth.height, fill: 255))
  }

  /// Between -1 and 1: waves of several lengths in all directions, so that every place looks different.
  private func texture(_ p: SIMD3<Double>) -> Double {
    var sum = 0.0
    for (i, k) in [0.9, 1.7, 2.9, 4.3].enumerated() {
      let s = Double(i)
      sum += sin(k * (p.x + 0.31 * p.y) + s) * sin(k * (p.y - 0.27 * p.z) + 2 * s) * cos(k * (p.z + 0.23 * p.x) - s)
      sum += 0.7 * sin(k * (p.x * 0.6 - p.z * 0.8) + 3 * s)
    }
    return max(-1, min(1, sum / 3))
  }

  static func map<Value>(_ view: PosedView, _ body: (Int, Int) -> Value) -> Plane<Value> {
    var pixels: [Value] = []
    for y in 0..<view.lens.height { for x in 0..<view.lens.width { pixels.append(body(x, y)) } }
    return Plane(width: view.lens.width, height: view.lens.height, pixels: pixels)
  }

  static func ray(_ view: PosedView, _ x: Int, _ y: Int) -> (SIMD3<Double>, SIMD3<Double>)? {
    let world = view.cameraFromWorld.inverse
    return (world.translation, (world.rotation * view.lens.ray(SIMD2(Double(x), Double(y)))).normalized)
  }

  static func looking(from eye: SIMD3<Double>, at target: SIMD3<Double>) -> RigidTransform {
    let z = (target - eye).normalized
    let x = z.cross(SIMD3(0, 1, 0)).normalized
    let rotation = Matrix3(x, z.cross(x), z)
    return RigidTransform(rotation: rotation, translation: -(rotation * eye))
  }
}

extension Scene {
  /// The same solid with something else said about it.
  init(_ scene: Scene, views: ViewSet? = nil, masks: ObjectMasks? = nil) {
    self = scene
    self.views = views ?? scene.views
    self.masks = masks ?? scene.masks
  }
}
