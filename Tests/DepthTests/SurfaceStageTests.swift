import Imaging
import Media
import Reconstruction
import TestSupport
import Testing

/// What every closed surface must satisfy.
func expectClosed(_ mesh: TriangleMesh, sourceLocation: SourceLocation = #_sourceLocation) {
  var balance: [SIMD2<UInt32>: Int] = [:]
  for t in mesh.triangles {
    for (a, b) in [(t.x, t.y), (t.y, t.z), (t.z, t.x)] {
      balance[SIMD2(min(a, b), max(a, b)), default: 0] += a < b ? 1 : -1
    }
  }
  #expect(balance.values.allSatisfy { $0 == 0 }, "the surface has open edges", sourceLocation: sourceLocation)
}

func volume(_ mesh: TriangleMesh) -> Double {
  mesh.triangles.reduce(0) { sum, t in
    let (a, b, c) = (mesh.positions[Int(t.x)], mesh.positions[Int(t.y)], mesh.positions[Int(t.z)])
    return sum + Double(a.dot(b.cross(c))) / 6
  }
}

@Suite struct SurfaceStageTests {
  private var options: SurfaceStage.Options {
    var options = SurfaceStage.Options()
    options.voxels = 120_000
    options.coarseVoxels = 24_000
    return options
  }

  private func surface(_ scene: Scene, _ maps: [DepthMap]) throws -> FineSurface {
    try SurfaceStage.run(
      DepthMaps(maps: maps), views: scene.views, masks: scene.masks, pictures: scene.pictures(), options: options)
  }

  @Test func trueDepthMapsOfASphereGiveTheSphere() throws {
    let scene = Scene(
      Sphere(radius: 10), box: Box3(min: [-11, -11, -11], max: [11, 11, 11]), distance: 60, rings: [-50, 0, 50],
      count: 8, focal: 300)
    let fine = try surface(scene, scene.views.views.indices.map { scene.truth($0) })
    expectClosed(fine.mesh)
    // a voxel is 0.45 units wide
    let errors = fine.mesh.positions.map { abs($0.length - 10) }.sorted()
    #expect(errors[errors.count / 2] < 0.03)
    #expect(errors[errors.count * 99 / 100] < 0.2)
    #expect(abs(volume(fine.mesh) / 4188.8 - 1) < 0.01)
    #expect(fine.isSeen.filter { $0 }.count > fine.isSeen.count * 9 / 10)
    #expect(zip(fine.mesh.positions, fine.mesh.normals).allSatisfy { $0.normalized.dot($1) > 0.9 })
    #expect(fine.confidence.count == fine.mesh.positions.count)
  }

  @Test func whatNobodySawIsClosedFlat() throws {
    // seen from above only: below the can the hull is a cone, and the can ends flat
    let scene = Scene(
      Can(radius: 8, height: 16), box: Box3(min: [-10, -6, -10], max: [10, 18, 10]), target: [0, 8, 0], distance: 60,
      rings: [20, 45], count: 12, focal: 260)
    let fine = try surface(scene, scene.views.views.indices.map { scene.truth($0) })
    expectClosed(fine.mesh)
    let bottom = zip(fine.mesh.positions, fine.mesh.normals).filter { $0.0.y < 4 && $0.1.y < -0.7 }.map(\.0.y)
    #expect(!bottom.isEmpty)
    // voxels are 0.45 units wide; the coarse ones that close it twice as wide, and two of these are in doubt
    #expect(bottom.min()! > -1.8)
    #expect(bottom.max()! < 0.8)
    let below = fine.mesh.positions.indices.filter {
      let p = fine.mesh.positions[$0]
      return p.y < 1 && p.x * p.x + p.z * p.z < 25
    }
    #expect(!below.isEmpty)
    #expect(below.allSatisfy { !fine.isSeen[$0] })
  }

  @Test func aPlainConvexThingKeepsTheShapeOfItsHull() throws {
    // no depth at all but at the rim of one picture: only silhouettes know anything
    let scene = Scene(
      Can(radius: 8, height: 16), box: Box3(min: [-10, -6, -10], max: [10, 18, 10]), target: [0, 8, 0], distance: 60,
      rings: [10, 40], count: 16, focal: 260)
    let fine = try surface(scene, [])
    expectClosed(fine.mesh)
    let sides = fine.mesh.positions.filter { $0.y > 4 && $0.y < 12 }.map { ($0.x * $0.x + $0.z * $0.z).squareRoot() }
    #expect(sides.allSatisfy { abs($0 - 8) < 0.7 })
  }

  @Test func aSparseRingKeepsABodyThatItSeesOnlyFaintly() throws {
    // as of weak texture: enough was seen to doubt the hull, too little to hold a surface against least area
    let scene = Scene(
      Can(radius: 8, height: 16), box: Box3(min: [-10, -6, -10], max: [10, 18, 10]), target: [0, 8, 0], distance: 60,
      rings: [15], count: 12, focal: 260)
    for confidence in [60, 90, 130] as [UInt8] {
      let maps = scene.views.views.indices.map { view in
        var map = scene.truth(view)
        map.confidence = GrayImage(width: map.lens.width, height: map.lens.height, fill: confidence)
        return map
      }
      let fine = try surface(scene, maps)
      expectClosed(fine.mesh)
      #expect(abs(volume(fine.mesh) / (8 * 8 * 16 * .pi) - 1) < 0.12, "confidence \(confidence)")
    }
  }

  @Test func holesInAFewOfManyMasksCutNothingOff() throws {
    let scene = Scene(
      Sphere(radius: 10), box: Box3(min: [-11, -11, -11], max: [11, 11, 11]), distance: 60, rings: [0, 30], count: 20,
      focal: 300)
    var masks = scene.masks
    // neighbours have the same shadow in view
    for view in [3, 4] {
      for y in 52..<76 { for x in 52..<76 { masks.masks[view][x, y] = 0 } }
    }
    let fine = try surface(Scene(scene, masks: masks), scene.views.views.indices.map { scene.truth($0) })
    expectClosed(fine.mesh)
    #expect(fine.mesh.positions.allSatisfy { abs($0.length - 10) < 0.6 })
  }

  @Test(arguments: [40, 56, 110] as [UInt8]) func aCupSeenFromAboveHasAFloor(confidence: UInt8) throws {
    var scene = Scene(
      Cup(radius: 10, height: 14, inner: 8.5, floor: 6), box: Box3(min: [-11, -1, -11], max: [11, 15, 11]),
      target: [0, 7, 0], distance: 70, rings: [25, 50], count: 20, focal: 260)
    var views = scene.views
    views.tableHeight = 0
    scene = Scene(scene, views: views)
    var noise = SplitMix(seed: 5)
    let maps = scene.views.views.indices.map { view in
      var map = scene.truth(view) { _, _ in Float(noise.next() % 2001) / 1000 - 1 }
      map.confidence = GrayImage(width: map.lens.width, height: map.lens.height, fill: confidence)
      return map
    }
    let fine = try surface(scene, maps)
    expectClosed(fine.mesh)
    let middle = fine.mesh.positions.filter { $0.x * $0.x + $0.z * $0.z < 36 }.map(\.y).sorted()
    // what is seen but faintly may lie two voxels too high
    #expect(middle.contains { abs($0 - 6) < (confidence > 100 ? 0.6 : 2) }, "the floor is there")
    #expect(middle.contains { $0 < 1 }, "and what it stands on")
    let body: Double = .pi * (100 * 14 - 8.5 * 8.5 * 8)
    #expect(volume(fine.mesh) > 0.8 * body)
  }

  @Test func aWrongDepthMapDoesNotLeaveIslands() throws {
    let scene = Scene(
      Sphere(radius: 10), box: Box3(min: [-14, -14, -14], max: [14, 14, 14]), distance: 60, rings: [0, 40], count: 10,
      focal: 300)
    var maps = scene.views.views.indices.map { scene.truth($0) }
    // one camera sees a patch hover before the sphere
    maps[3] = scene.truth(3) { x, y in (50..<70).contains(x) && (50..<70).contains(y) ? -3.5 : 0 }
    let fine = try surface(scene, maps)
    expectClosed(fine.mesh)
    #expect(fine.mesh.positions.allSatisfy { $0.length < 11.2 })
  }

  @Test func theTableCutsOffWhatIsBelowIt() throws {
    var scene = Scene(
      Can(radius: 8, height: 16), box: Box3(min: [-10, -6, -10], max: [10, 18, 10]), target: [0, 8, 0], distance: 60,
      rings: [20, 45], count: 12, focal: 260)
    var views = scene.views
    views.tableHeight = 0
    scene = Scene(scene, views: views)
    let fine = try surface(scene, scene.views.views.indices.map { scene.truth($0) })
    #expect(fine.mesh.positions.map(\.y).min()! > -0.2)
    #expect(fine.mesh.positions.map(\.y).min()! < 1)
  }

  @Test func masksWithoutAnObjectGiveNoSurface() {
    let scene = Self.empty
    #expect(throws: ReconstructionError.self) { try surface(scene, []) }
  }

  private static var empty: Scene {
    let scene = Scene(
      Sphere(radius: 10), box: Box3(min: [-11, -11, -11], max: [11, 11, 11]), distance: 60, rings: [10], count: 6,
      focal: 300)
    let blank = scene.views.views.map { GrayImage(width: $0.lens.width, height: $0.lens.height, fill: 0) }
    return Scene(scene, masks: ObjectMasks(masks: blank, level: 0, hull: nil, box: scene.masks.box))
  }
}

@Suite struct PolygoniserTests {
  private func field(_ n: Int, _ value: (SIMD3<Float>) -> Float) -> (VoxelGrid, [Float]) {
    let grid = VoxelGrid(origin: SIMD3(repeating: -1), voxel: 2 / Float(n - 1), nx: n, ny: n, nz: n)
    var field: [Float] = []
    for z in 0..<n { for y in 0..<n { for x in 0..<n { field.append(value(grid.position(x, y, z))) } } }
    return (grid, field)
  }

  @Test func aSphereIsClosedRoundAndTurnedOutwards() {
    let (grid, values) = field(33) { $0.length - 0.7 }
    let mesh = Polygoniser.surface(of: values, on: grid)
    expectClosed(mesh)
    #expect(abs(volume(mesh) / (4.0 / 3 * .pi * 0.343) - 1) < 0.01)
    #expect(mesh.positions.allSatisfy { abs($0.length - 0.7) < 0.01 })
  }

  @Test func anyFieldGivesAClosedSurface() {
    // noise meets all 256 cases and every way two cubes can share a face
    var state: UInt64 = 3
    let (grid, values) = field(20) { p in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return p.x.magnitude > 0.93 || p.y.magnitude > 0.93 || p.z.magnitude > 0.93
        ? 1 : Float(state >> 40) / Float(1 << 23) - 1
    }
    let mesh = Polygoniser.surface(of: values, on: grid)
    #expect(mesh.triangles.count > 10_000)
    expectClosed(mesh)
    #expect(mesh.triangles.allSatisfy { Int($0.max()) < mesh.positions.count })
  }

  @Test func exactZerosMakeNoDegenerateTriangles() {
    let (grid, values) = field(17) { max(max($0.x.magnitude, $0.y.magnitude), $0.z.magnitude) - 0.5 }
    let mesh = Polygoniser.surface(of: values, on: grid)
    expectClosed(mesh)
    for t in mesh.triangles {
      let (a, b, c) = (mesh.positions[Int(t.x)], mesh.positions[Int(t.y)], mesh.positions[Int(t.z)])
      #expect((b - a).cross(c - a).length > 0)
    }
  }

  @Test func islandsAndCavitiesGo() {
    let (grid, values) = field(41) { p in
      // a thick shell with a cavity, and a crumb in a corner
      max(min(p.length - 0.7, (p - SIMD3(repeating: 0.85)).length - 0.08), 0.3 - p.length)
    }
    let whole = Polygoniser.surface(of: values, on: grid)
    let (mesh, kept) = whole.withoutIslands(share: 0.05)
    expectClosed(mesh)
    #expect(mesh.positions.allSatisfy { abs($0.length - 0.7) < 0.02 })
    #expect(kept.count == mesh.positions.count)
    #expect(mesh.positions.count < whole.positions.count)
    let all = whole.withoutIslands(share: 0).mesh
    #expect(all.positions.contains { $0.x > 0.75 })
  }
}
