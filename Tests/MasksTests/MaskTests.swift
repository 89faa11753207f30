import Codecs
import Foundation
import Imaging
import Reconstruction
import Testing

/// A ball with a dark spot, before a dark background with a grey cloth in one corner, seen by a ring of cameras.
struct BallScene: Sendable {
  static let width = 240
  static let height = 180
  static let radius = 40.0
  static let centre = SIMD3(5.0, 3.0, -4.0)
  static let spot = SIMD3(0.0, 0.0, 1.0)

  static func views(_ count: Int) -> [PosedView] {
    (0..<count).map { i in
      let azimuth = Double(i) / Double(count) * 2 * .pi
      let elevation = i % 2 == 0 ? 0.3 : 0.7
      let from = SIMD3(cos(elevation) * sin(azimuth), sin(elevation), cos(elevation) * cos(azimuth))
      let z = -from
      let x = z.cross([0, 1, 0]).normalized
      let r = Matrix3(x, z.cross(x), z)
      let lens = Lens(width: width, height: height, fx: 400, fy: 400, cx: 119.5, cy: 89.5)
      return PosedView(
        index: i, name: "\(i)", path: "\(i)", lens: lens,
        cameraFromWorld: RigidTransform(rotation: r, translation: r * (-400 * from)), pass: 1, stop: i, side: 0)
    }
  }

  /// 1 where the ray of the pixel meets the ball, 2 where it meets the spot.
  static func hit(_ view: PosedView, _ x: Int, _ y: Int) -> Int {
    let c = view.cameraFromWorld * centre
    let d = view.lens.ray(SIMD2(Double(x), Double(y))).normalized
    let along = d.dot(c)
    let inside = along * along - c.dot(c) + radius * radius
    guard inside > 0 else { return 0 }
    let p = view.cameraFromWorld.inverse * (d * (along - inside.squareRoot()))
    return (p - centre).normalized.dot(spot) > 0.97 ? 2 : 1
  }

  /// The ball with part of it in the shade in a third of the views, one beside the other, before a cloth whose light
  /// part is next to the ball.
  static func shadedPicture(_ view: PosedView) -> RGBImage {
    var picture = picture(view)
    for y in 0..<height {
      for x in 0..<width {
        let noise = Int(picture[x, y].x) % 3 - 1
        if isShaded(view, x, y) {
          picture[x, y] = SIMD3<UInt8>(clamping: SIMD3(36 + noise, 34 + noise, 33 + noise))
        } else if hit(view, x, y) == 0 {
          let light = max(4, 26 - abs(x - 120) / 6)
          picture[x, y] = SIMD3<UInt8>(
            clamping: x < 150 ? SIMD3(light + noise, light * 4 / 5, light * 3 / 5) : SIMD3(max(noise, 0), 0, 0))
        }
      }
    }
    return picture
  }

  static func isShaded(_ view: PosedView, _ x: Int, _ y: Int) -> Bool {
    view.index < 5 && hit(view, x, y) == 1 && (96..<136).contains(x) && (60..<84).contains(y)
  }

  static func picture(_ view: PosedView) -> RGBImage {
    var seed = UInt64(view.index) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    func noise() -> Int {
      var sum = 0
      for _ in 0..<4 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        sum += Int(seed >> 60)
      }
      return (sum - 30) / 4
    }
    var picture = RGBImage(width: width, height: height)
    for y in 0..<height {
      for x in 0..<width {
        let base: SIMD3<Int>
        switch hit(view, x, y) {
        case 1: base = SIMD3(150 + (x * 7 + y * 13) % 60, 120 + x % 40, 60)
        case 2: base = SIMD3(30, 26, 22)
        default: base = x + y < 90 ? SIMD3(40, 38, 36) : SIMD3(8, 8, 8)
        }
        let n = noise()
        picture[x, y] = SIMD3<UInt8>(clamping: base &+ SIMD3(n, n, n))
      }
    }
    return picture
  }
}

private func pictures(_ set: ViewSet, _ make: @escaping @Sendable (PosedView) -> RGBImage) -> ViewPictures {
  let views = set.views
  return ViewPictures(of: set) { path throws(ReconstructionError) in make(views[Int(path)!]) }
}

@Suite struct MaskTests {
  @Test func ballIsFoundToThePixelAndItsDarkSpotIsKept() throws {
    let set = ViewSet(views: BallScene.views(14), box: nil, tableHeight: nil, isMetric: false)
    let masks = try MaskStage.run(set, pictures: pictures(set, BallScene.picture), progress: NoProgress())
    #expect(masks.level == 0 && masks.masks.count == 14)
    for view in set.views {
      var (both, either, spotKept, spot) = (0, 0, 0, 0)
      for y in 0..<BallScene.height {
        for x in 0..<BallScene.width {
          let truth = BallScene.hit(view, x, y)
          let found = masks.masks[view.index][x, y] != 0
          if truth != 0 && found { both += 1 }
          if truth != 0 || found { either += 1 }
          if truth == 2 { spot += 1 }
          if truth == 2 && found { spotKept += 1 }
        }
      }
      #expect(Double(both) / Double(either) > 0.97, "view \(view.index)")
      #expect(spot == 0 || Double(spotKept) / Double(spot) > 0.9, "the spot in view \(view.index)")
    }
    let hull = try #require(masks.hull)
    let volume = Double(hull.occupied.reduce(0) { $0 + Int($1) }) * hull.cell * hull.cell * hull.cell
    let truth = 4 / 3 * Double.pi * BallScene.radius * BallScene.radius * BallScene.radius
    #expect(volume > truth && volume < 1.4 * truth)
    for axis in 0..<3 {
      #expect(masks.box.min[axis] < BallScene.centre[axis] - BallScene.radius + 0.5)
      #expect(masks.box.min[axis] > BallScene.centre[axis] - 1.4 * BallScene.radius)
      #expect(masks.box.max[axis] > BallScene.centre[axis] + BallScene.radius - 0.5)
    }
  }

  @Test func partsInTheShadeAreKept() throws {
    let set = ViewSet(views: BallScene.views(14), box: nil, tableHeight: nil, isMetric: false)
    let masks = try MaskStage.run(set, pictures: pictures(set, BallScene.shadedPicture), progress: NoProgress())
    for view in set.views {
      var (both, either, kept, shaded) = (0, 0, 0, 0)
      for y in 0..<BallScene.height {
        for x in 0..<BallScene.width {
          let isBall = BallScene.hit(view, x, y) != 0
          let found = masks.masks[view.index][x, y] != 0
          if isBall && found { both += 1 }
          if isBall || found { either += 1 }
          if BallScene.isShaded(view, x, y) { shaded += 1 }
          if BallScene.isShaded(view, x, y) && found { kept += 1 }
        }
      }
      #expect(Double(both) / Double(either) > 0.93, "view \(view.index)")
      #expect(kept >= shaded * 95 / 100, "the shade in view \(view.index): \(kept) of \(shaded)")
    }
  }

  @Test func whereColoursTellNothingEverythingStays() throws {
    let set = ViewSet(views: BallScene.views(8), box: nil, tableHeight: nil, isMetric: false)
    let plain = pictures(set) { _ in RGBImage(width: BallScene.width, height: BallScene.height, fill: (90, 80, 70)) }
    let masks = try MaskStage.run(set, pictures: plain, progress: NoProgress())
    #expect(masks.hull == nil)
    #expect(masks.masks.allSatisfy { $0.pixels.allSatisfy { $0 == 255 } })
    let far = BallScene.radius
    #expect(masks.box.min.max() < -far && masks.box.max.min() > far)
  }

  @Test func masksDoNotDependOnTheNumberOfThreads() throws {
    let set = ViewSet(views: BallScene.views(6), box: nil, tableHeight: nil, isMetric: false)
    let one = try MaskStage.run(
      set, pictures: pictures(set, BallScene.picture), threads: 1, progress: NoProgress())
    let many = try MaskStage.run(
      set, pictures: pictures(set, BallScene.picture), threads: 5, progress: NoProgress())
    #expect(one.masks.map(\.pixels) == many.masks.map(\.pixels))
    #expect(one.hull?.occupied == many.hull?.occupied)
    #expect(one.box == many.box)
  }

  @Test func aCancelledJobStops() throws {
    struct Cancelled: StageProgress {
      func step(done: Int, of total: Int) throws(ReconstructionError) {
        if done > 3 { throw ReconstructionError(.cancelled, "enough") }
      }
    }
    let set = ViewSet(views: BallScene.views(8), box: nil, tableHeight: nil, isMetric: false)
    #expect(throws: ReconstructionError.self) {
      try MaskStage.run(set, pictures: pictures(set, BallScene.picture), progress: Cancelled())
    }
  }
}

@Suite struct RealMaskTests {
  private static let reader: ViewPictures.Reader = { path throws(ReconstructionError) in
    do throws(CodecError) {
      return try Picture.read(path)
    } catch {
      throw ReconstructionError(.invalidInput, place: path, error.description)
    }
  }

  /// The published box of the object, from the benchmark's own pages.
  @Test(.enabled(if: SharedData.root != nil)) func dinosaurStandsFreeOfItsCloth() throws {
    let ring = try #require(SharedData.ring("dinoSparseRing"))
    let set = try ViewSetReader.read(images: ring + "/images", cameras: ring + "/par.txt")
    let masks = try MaskStage.run(
      set, pictures: ViewPictures(of: set, reader: Self.reader), progress: NoProgress())
    let truth = Box3(min: [-0.061897, -0.018874, -0.057845], max: [0.010897, 0.068227, 0.015495])
    let slack = 0.013
    for axis in 0..<3 {
      #expect(masks.box.min[axis] < truth.min[axis] + 0.001 && masks.box.min[axis] > truth.min[axis] - slack)
      #expect(masks.box.max[axis] > truth.max[axis] - 0.001 && masks.box.max[axis] < truth.max[axis] + slack)
    }
    for mask in masks.masks {
      let share = Double(mask.pixels.reduce(0) { $0 + ($1 != 0 ? 1 : 0) }) / Double(mask.pixels.count)
      #expect((0.08...0.5).contains(share))
    }
    // two spikes of the tail in the body's shadow
    #expect(masks.masks[3][232, 68] != 0 && masks.masks[3][285, 97] != 0)
  }
}
