import Codecs
import Imaging
import Media
import Rig
import SimulatedRig
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#endif

extension SimulatedRigTests {
  /// The lenses draw as `Lens` says: dots printed on a board land where their projections lie.
  @Suite struct LensTests {
    private static let board = 230.0  // millimetres
    private static let dots = 9
    private static let radius = 4.0

    @Test func dotsLieWhereTheLensPutsThem() async throws {
      let folder = try scratchFolder()
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try writeBoard(in: folder)
      var geometry = RigGeometry.nominal(width: 600, height: 800, k1: -0.25, k2: 0.12)
      geometry.stereo.left.p1 = 0.002
      geometry.stereo.right.p2 = -0.002
      let world = try smallWorld(width: 600, height: 800) {
        $0.geometry = geometry
        $0.errors = .none
        $0.object = .model(path: folder + "/board.obj", texture: nil, unitMillimetres: 1)
        $0.sensor = SensorSettings()
        $0.sensor.fullWell = 1e9
        $0.sensor.readNoise = 0
        $0.turntable = AxisSettings(
          limits: $0.turntable.limits, backlash: .zero, periodicError: .zero, vibration: .zero)
        $0.pan = nil
        $0.tilt = nil
        $0.truthFile = folder + "/truth.ply"
      }
      try await world.begin(CameraControls(exposureMicroseconds: 8000, gain: 1, redGain: 1.6, blueGain: 1.4))
      try await world.rig.turntable.move(to: .degrees(33), speed: nil)
      try await world.rig.clock.sleep(for: .seconds(2))
      let pair = try await world.rig.camera.capture()
      let corners = try PLY.read(try FileBytes.read(folder + "/truth.ply")).positions.map { SIMD3<Double>($0) }
      let left = geometry.leftFromObject(turntable: .degrees(33), pan: .zero, tilt: .zero)
      let found = [
        misses(pair.left.image, corners, geometry.stereo.left, left),
        misses(pair.right.image, corners, geometry.stereo.right, geometry.stereo.rightFromLeft * left)
      ]
      for (side, misses) in found.enumerated() {
        #expect(misses.count >= 40, "\(misses.count) dots seen by camera \(side)")
        let rms = (misses.reduce(0) { $0 + $1.dot($1) } / Double(misses.count)).squareRoot()
        let mean = misses.reduce(SIMD2<Double>.zero, +) / Double(misses.count)
        #expect(rms < 0.05, "camera \(side): rms \(rms) pixels, mean \(mean)")
        #expect(mean.length < 0.02, "camera \(side): mean \(mean)")
      }
    }

    /// How far each dot that is wholly in the picture is from where it should be.
    private func misses(
      _ image: RGBImage, _ corners: [SIMD3<Double>], _ lens: Lens, _ cameraFromObject: RigidTransform
    ) -> [SIMD2<Double>] {
      // the first face of the file is the top, its corners in the order of the texture: lower left, lower right, …
      let origin = corners[0]
      let u = (corners[1] - origin) / LensTests.board
      let v = (corners[3] - origin) / LensTests.board
      var out: [SIMD2<Double>] = []
      for row in 0..<LensTests.dots {
        for column in 0..<LensTests.dots {
          let pitch = LensTests.board / Double(LensTests.dots)
          let centre = SIMD2(Double(column) + 0.5, Double(row) + 0.5) * pitch
          let outline = (0..<96).compactMap { i -> SIMD2<Double>? in
            let a = Double(i) / 96 * 2 * .pi
            let p = origin + u * (centre.x + LensTests.radius * cos(a)) + v * (centre.y + LensTests.radius * sin(a))
            return lens.project(cameraFromObject * p)
          }
          if let expected = centroid(outline), let seen = centroid(of: image, around: expected, outline) {
            out.append(seen - expected)
          }
        }
      }
      return out
    }

    /// The area centroid of a polygon.
    private func centroid(_ polygon: [SIMD2<Double>]) -> SIMD2<Double>? {
      guard polygon.count == 96 else { return nil }
      var area = 0.0
      var sum = SIMD2<Double>.zero
      let origin = polygon[0]
      for i in polygon.indices {
        let p = polygon[i] - origin
        let q = polygon[(i + 1) % polygon.count] - origin
        let cross = p.x * q.y - p.y * q.x
        area += cross
        sum += (p + q) * cross
      }
      return area == 0 ? nil : origin + sum / (3 * area)
    }

    /// The centroid of darkness around a place, or nil near the picture's edge.
    private func centroid(
      of image: RGBImage, around place: SIMD2<Double>, _ outline: [SIMD2<Double>]
    ) -> SIMD2<Double>? {
      let reach = SIMD2(
        outline.map { ($0.x - place.x).magnitude }.max() ?? 0, outline.map { ($0.y - place.y).magnitude }.max() ?? 0)
      let half = SIMD2(Int(reach.x) + 4, Int(reach.y) + 3)
      let x0 = Int(place.x.rounded()) - half.x
      let y0 = Int(place.y.rounded()) - half.y
      guard x0 > 2, y0 > 2, x0 + 2 * half.x < image.width - 2, y0 + 2 * half.y < image.height - 2 else { return nil }
      // the paper's brightness as a plane through the window's border: light falls off
      var border: [(x: Double, y: Double, v: Double)] = []
      for y in y0...y0 + 2 * half.y {
        for x in x0...x0 + 2 * half.x where x == x0 || y == y0 || x == x0 + 2 * half.x || y == y0 + 2 * half.y {
          border.append((Double(x) - place.x, Double(y) - place.y, linear(image[x, y].y)))
        }
      }
      let n = Double(border.count)
      let mean = border.reduce(0) { $0 + $1.v } / n
      let slopeX = border.reduce(0) { $0 + $1.x * ($1.v - mean) } / border.reduce(0) { $0 + $1.x * $1.x }
      let slopeY = border.reduce(0) { $0 + $1.y * ($1.v - mean) } / border.reduce(0) { $0 + $1.y * $1.y }
      guard border.allSatisfy({ $0.v > 0.6 * mean }) else { return nil }  // a neighbour or the board's edge
      var weight = 0.0
      var sum = SIMD2<Double>.zero
      for y in y0...y0 + 2 * half.y {
        for x in x0...x0 + 2 * half.x {
          let d = SIMD2(Double(x), Double(y)) - place
          let paper = mean + slopeX * d.x + slopeY * d.y
          let darkness = 1 - linear(image[x, y].y) / paper
          weight += darkness
          sum += d * darkness
        }
      }
      return place + sum / weight
    }

    private func scratchFolder() throws -> String {
      let folder = "/tmp/twinrig-lens-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      return folder
    }

    /// A thin board with black dots on white paper.
    private func writeBoard(in folder: String) throws {
      let size = 1840
      let scale = LensTests.board / Double(size)
      let pitch = LensTests.board / Double(LensTests.dots)
      var image = RGBImage(width: size, height: size, fill: (235, 235, 235))
      for y in 0..<size {
        for x in 0..<size {
          // texture rows run down, v runs up
          let u = (Double(x) + 0.5) * scale
          let v = LensTests.board - (Double(y) + 0.5) * scale
          let du = u - ((u / pitch).rounded(.down) + 0.5) * pitch
          let dv = v - ((v / pitch).rounded(.down) + 0.5) * pitch
          let edge = ((du * du + dv * dv).squareRoot() - LensTests.radius) / scale
          let cover = min(1, max(0, 0.5 - edge))
          if cover > 0 {
            let level = (1 - cover) * linear(235) + cover * linear(20)
            let s = level <= 0.0031308 ? level * 12.92 : 1.055 * pow(level, 1 / 2.4) - 0.055
            image[x, y] = SIMD3(repeating: UInt8((s * 255).rounded()))
          }
        }
      }
      try FileBytes.write(try PNG.encode(image, level: 1), to: folder + "/board.png")
      let h = LensTests.board / 2
      var text = "mtllib board.mtl\nusemtl board\n"
      for y in [0.0, -4.0] {
        for (x, z) in [(-h, h), (h, h), (h, -h), (-h, -h)] { text += "v \(x) \(y) \(z)\n" }
      }
      text += "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
      text += "f 1/1 2/2 3/3 4/4\nf 8/1 7/1 6/1 5/1\n"
      for (a, b) in [(1, 2), (2, 3), (3, 4), (4, 1)] { text += "f \(b)/1 \(a)/1 \(a + 4)/1 \(b + 4)/1\n" }
      try FileBytes.write([UInt8](text.utf8), to: folder + "/board.obj")
      try FileBytes.write([UInt8]("newmtl board\nmap_Kd board.png\n".utf8), to: folder + "/board.mtl")
    }
  }
}
