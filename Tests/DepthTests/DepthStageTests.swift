import Imaging
import Reconstruction
import Testing

@Suite struct DepthStageTests {
  static let sphere = Scene(
    Sphere(radius: 10), box: Box3(min: [-11, -11, -11], max: [11, 11, 11]), distance: 60, rings: [10, 35], count: 14,
    focal: 300)

  /// The errors of all known depths along their rays, ascending, and the share of the object's pixels that are known.
  private func errors(_ maps: DepthMaps, _ scene: Scene) -> (sorted: [Float], known: Double) {
    var errors: [Float] = []
    var wanted = 0
    for map in maps.maps {
      let truth = scene.truth(map.view)
      wanted += truth.depth.pixels.filter { $0 > 0 }.count
      let dx = Int((truth.lens.cx - map.lens.cx).rounded())
      let dy = Int((truth.lens.cy - map.lens.cy).rounded())
      for y in 0..<map.depth.height {
        for x in 0..<map.depth.width where map.depth[x, y] > 0 {
          let exact = truth.depth[x + dx, y + dy]
          errors.append(exact > 0 ? abs(map.depth[x, y] - exact) : .infinity)
        }
      }
    }
    return (errors.sorted(), Double(errors.count) / Double(wanted))
  }

  @Test func depthOfATexturedSphereIsFoundToAFractionOfAPixel() throws {
    let scene = Self.sphere
    let maps = try DepthStage.run(scene.views, masks: scene.masks, pictures: scene.pictures())
    #expect(maps.maps.count == scene.views.views.count)
    let (sorted, known) = errors(maps, scene)
    // a pixel is 0.17 units wide at the surface and sources stand about 20° apart: a tenth of a pixel is 0.05 units
    #expect(known > 0.75)
    #expect(sorted[sorted.count / 2] < 0.1)
    #expect(sorted[sorted.count * 9 / 10] < 0.25)
    #expect(sorted[sorted.count * 99 / 100] < 1)
  }

  @Test func normalsPointOutOfTheSphere() throws {
    let scene = Self.sphere
    let maps = try DepthStage.run(scene.views, masks: scene.masks, pictures: scene.pictures())
    let map = maps.maps[0]
    var cosines: [Float] = []
    let world = map.cameraFromWorld.inverse
    for y in 0..<map.depth.height {
      for x in 0..<map.depth.width where map.depth[x, y] > 0 {
        let seen = map.lens.ray(SIMD2(Double(x), Double(y))) * Double(map.depth[x, y])
        let p = world * seen
        let n = world.rotation * SIMD3<Double>(SIMD3<Float>(map.normal[x, y])) / 127
        cosines.append(Float(p.normalized.dot(n)))
      }
    }
    cosines.sort()
    #expect(cosines[cosines.count / 2] > 0.97)
  }

  @Test func resultsDoNotDependOnTheNumberOfThreads() throws {
    let scene = Self.sphere
    let maps = try [1, 3].map { threads in
      try DepthStage.run(
        scene.views, masks: scene.masks, pictures: scene.pictures(), options: .init(detail: .preview, threads: threads))
    }
    #expect(maps[0].stored == maps[1].stored)
    let surfaces = try [1, 3].map { threads in
      var options = SurfaceStage.Options(detail: .preview, threads: threads)
      options.voxels = 60_000
      options.coarseVoxels = 12_000
      return try SurfaceStage.run(
        maps[0], views: scene.views, masks: scene.masks, pictures: scene.pictures(), options: options)
    }
    #expect(surfaces[0].stored == surfaces[1].stored)
  }

  @Test func anUntexturedThingYieldsNoConfidentDepth() throws {
    let scene = Scene(
      Sphere(radius: 10), box: Box3(min: [-11, -11, -11], max: [11, 11, 11]), distance: 60, rings: [20], count: 14,
      focal: 300, contrast: 0)
    do {
      let maps = try DepthStage.run(scene.views, masks: scene.masks, pictures: scene.pictures())
      let inner = maps.maps.reduce(0) { sum, map in sum + map.confidence.pixels.reduce(0) { $0 + ($1 > 128 ? 1 : 0) } }
      let all = scene.masks.masks.reduce(0) { sum, mask in sum + mask.pixels.reduce(0) { $0 + ($1 > 0 ? 1 : 0) } }
      // only the outline against the background matches anything
      #expect(Double(inner) < 0.2 * Double(all))
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test func oneViewIsTooFew() {
    let scene = Self.sphere
    let lonely = scene.views.keeping([0])
    #expect(throws: ReconstructionError.self) {
      try DepthStage.run(lonely, masks: scene.masks.keeping([0]), pictures: ViewPictures(of: lonely))
    }
  }

  @Test func aCancelledRunEndsWithTheCancellation() throws {
    struct Impatient: StageProgress {
      func step(done: Int, of total: Int) throws(ReconstructionError) {
        if 3 * done > total { throw ReconstructionError(.cancelled, "enough") }
      }
    }
    let scene = Self.sphere
    do {
      _ = try DepthStage.run(
        scene.views, masks: scene.masks, pictures: scene.pictures(), progress: Impatient(),
        options: .init(detail: .preview))
      Issue.record("ran to the end")
    } catch {
      #expect(error.kind == .cancelled)
    }
  }

  @Test func aBrokenPictureIsNamed() {
    let scene = Self.sphere
    let pictures = ViewPictures(of: scene.views) { (path) throws(ReconstructionError) in
      throw ReconstructionError(.invalidInput, place: path, "is cut short")
    }
    do {
      _ = try DepthStage.run(scene.views, masks: scene.masks, pictures: pictures)
      Issue.record("read what cannot be read")
    } catch {
      #expect(error.kind == .invalidInput)
      #expect(error.place != nil)
    }
  }
}
