import Imaging
import Media
import Reconstruction
import Synchronization
import Testing

@Suite struct ViewPicturesTests {
  private final class Counter: Sendable {
    let count = Atomic<Int>(0)
  }

  private func views(_ lens: Lens, _ count: Int = 4) -> ViewSet {
    ViewSet(
      views: (0..<count).map {
        PosedView(
          index: $0, name: "\($0)", path: "\($0)", lens: lens, cameraFromWorld: .identity, pass: 1, stop: $0, side: 0)
      }, box: nil, tableHeight: nil, isMetric: false)
  }

  private func gradient(_ width: Int, _ height: Int) -> RGBImage {
    var picture = RGBImage(width: width, height: height)
    for y in 0..<height { for x in 0..<width { picture[x, y] = SIMD3(UInt8(2 * x), UInt8(3 * y), UInt8(x + y)) } }
    return picture
  }

  @Test func levelsAreMeansAndTheirLensesFit() throws {
    let lens = Lens(width: 41, height: 30, fx: 100, fy: 100, cx: 20, cy: 15)
    let picture = gradient(41, 30)
    let pictures = ViewPictures(of: views(lens)) { (_) throws(ReconstructionError) in picture }
    let half = try pictures.rgb(1, level: 1)
    #expect(half.width == 20 && half.height == 15)
    // the mean of columns 6 and 7 is 6.5: twice that
    #expect(half[3, 4] == SIMD3(13, 26, 15))
    let luminance = try pictures.luminance(1, level: 1)
    #expect(luminance[3, 4] == UInt16(77 * 13 + 150 * 25.5 + 29 * 15))
    let small = pictures.lens(1, level: 2)
    #expect(small.width == 10 && small.height == 7)
    // a ray through the middle of the four by four pixels goes through the one that holds them
    let ray = small.ray(SIMD2(2, 3))
    let full = lens.project(ray)!
    #expect(abs(full.x - 9.5) < 1e-9 && abs(full.y - 13.5) < 1e-9)
    #expect(try pictures.gray(1, level: 2).width == 10)
  }

  @Test func aViewIsDecodedOnceHoweverManyThreadsWantIt() throws {
    let lens = Lens(width: 64, height: 64, fx: 100, fy: 100, cx: 32, cy: 32)
    let counter = Counter()
    let pictures = ViewPictures(of: views(lens)) { (_) throws(ReconstructionError) in
      counter.count.add(1, ordering: .relaxed)
      return RGBImage(width: 64, height: 64)
    }
    try Parallel.forEach(64, threads: 8) { (i) throws(ReconstructionError) in _ = try pictures.rgb(i % 2) }
    #expect(counter.count.load(ordering: .relaxed) == 2)
  }

  @Test func theOldestPicturesMakeRoom() throws {
    let lens = Lens(width: 64, height: 64, fx: 100, fy: 100, cx: 32, cy: 32)
    let counter = Counter()
    let size = 3 * 64 * 64
    let pictures = ViewPictures(of: views(lens), byteLimit: 2 * size + 100) { (_) throws(ReconstructionError) in
      counter.count.add(1, ordering: .relaxed)
      return RGBImage(width: 64, height: 64)
    }
    for view in [0, 1, 0, 2, 0, 1] { _ = try pictures.rgb(view) }
    // 0 stays as it is used again and again; 1 had to go for 2 and is read a second time
    #expect(counter.count.load(ordering: .relaxed) == 4)
  }

  @Test func aPictureOfAnotherSizeIsAnError() {
    let lens = Lens(width: 64, height: 48, fx: 100, fy: 100, cx: 32, cy: 24)
    let pictures = ViewPictures(of: views(lens)) { (_) throws(ReconstructionError) in RGBImage(width: 48, height: 64) }
    do {
      _ = try pictures.gray(2)
      Issue.record("took a picture of the wrong size")
    } catch {
      #expect(error.kind == .invalidInput)
      #expect(error.message.contains("48×64"))
    }
  }

  @Test func aMissingFileIsNamed() {
    let lens = Lens(width: 64, height: 48, fx: 100, fy: 100, cx: 32, cy: 24)
    var set = views(lens)
    set.views[0].path = "/nowhere/at/all.jpg"
    do {
      _ = try ViewPictures(of: set).gray(0)
      Issue.record("read what is not there")
    } catch {
      #expect(error.place == "/nowhere/at/all.jpg")
    }
  }

  @Test func distortionIsTakenOut() throws {
    var lens = Lens(width: 120, height: 90, fx: 100, fy: 100, cx: 59.5, cy: 44.5)
    lens.k1 = -0.18
    lens.p1 = 0.004
    // a bent picture of a straight ramp: each pixel shows how far right its undistorted ray points
    var bent = RGBImage(width: 120, height: 90)
    for y in 0..<90 {
      for x in 0..<120 {
        let ray = lens.ray(SIMD2(Double(x), Double(y)))
        let value = UInt8(max(0, min(255, 127.5 + 150 * ray.x)).rounded())
        bent[x, y] = SIMD3(repeating: value)
      }
    }
    let picture = bent
    let pictures = ViewPictures(of: views(lens)) { (_) throws(ReconstructionError) in picture }
    let straight = try pictures.gray(0)
    for y in 10..<80 {
      for x in 15..<105 {
        let wanted = 127.5 + 150 * (Double(x) - 59.5) / 100
        #expect(abs(Double(straight[x, y]) - wanted) < 1.6)
      }
    }
  }
}

@Suite struct StoredResultTests {
  private var surface: FineSurface {
    FineSurface(
      mesh: TriangleMesh(
        positions: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
        triangles: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        normals: [[-1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), confidence: [0, 0.5, 1, 0.25],
      isSeen: [false, true, true, false])
  }

  private var maps: DepthMaps {
    let scene = Scene(
      Sphere(radius: 10), box: Box3(min: [-11, -11, -11], max: [11, 11, 11]), distance: 60, rings: [10], count: 2,
      width: 24, height: 20, focal: 60)
    return DepthMaps(maps: [scene.truth(0), scene.truth(1)])
  }

  @Test func whatIsStoredComesBack() throws {
    let again = try DepthMaps(stored: maps.stored)
    #expect(again.stored == maps.stored)
    #expect(again.maps[1].depth.pixels == maps.maps[1].depth.pixels)
    #expect(again.maps[1].cameraFromWorld == maps.maps[1].cameraFromWorld)
    let back = try FineSurface(stored: surface.stored)
    #expect(back.mesh.triangles == surface.mesh.triangles)
    #expect(back.isSeen == surface.isSeen)
    #expect(back.confidence == surface.confidence)
  }

  @Test func damagedBytesAreErrorsAndNothingElse() {
    for bytes in [maps.stored, surface.stored] {
      for length in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 97)) {
        let cut = Array(bytes.prefix(length))
        #expect(throws: ReconstructionError.self) { try DepthMaps(stored: cut) }
        #expect(throws: ReconstructionError.self) { try FineSurface(stored: cut) }
      }
      var state: UInt64 = 11
      for _ in 0..<300 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        var bent = bytes
        bent[Int(state >> 33) % min(bytes.count, 400)] ^= UInt8(truncatingIfNeeded: state >> 20) | 1
        // either is fine, as long as it comes back
        _ = try? DepthMaps(stored: bent)
        _ = try? FineSurface(stored: bent)
      }
    }
  }
}

@Suite struct ParallelTests {
  private struct Failure: Error { var item: Int }

  @Test func everyItemIsDoneOnce() {
    for threads in [1, 2, 7] {
      let sums = Mutex([Int](repeating: 0, count: 100))
      Parallel.forEach(100, threads: threads) { i in sums.withLock { $0[i] += i } }
      #expect(sums.withLock { $0 } == Array(0..<100))
    }
  }

  @Test func bandsCoverEverythingWithoutOverlap() {
    for count in [0, 1, 9, 10, 11] {
      let seen = Mutex<[Int]>([])
      Parallel.bands(count, of: 5, threads: 3) { range in seen.withLock { $0 += Array(range) } }
      #expect(seen.withLock { $0.sorted() } == Array(0..<count))
    }
  }

  @Test func anErrorStopsTheWorkAndIsThrown() {
    for threads in [1, 4] {
      let done = Mutex(0)
      #expect(throws: Failure.self) {
        try Parallel.forEach(10_000, threads: threads) { (i) throws(Failure) in
          if i == 20 { throw Failure(item: i) }
          done.withLock { $0 += 1 }
        }
      }
      #expect(done.withLock { $0 } < 10_000)
    }
  }
}
