import CRender
import Imaging
import Media
import Rig
import Synchronization

/// The built surroundings: what stands still behind the table, and the table itself.
struct Room: Sendable {
  /// Bench, wall and clutter; they never move.
  let still: [RenderMesh]
  /// The part of the bench around the disc, on which the object's shadow falls; it does not move either.
  let bench: RenderMesh
  /// The disc's face and edge, which turn.
  let disc: RenderMesh, rim: RenderMesh

  /// How far the disc stands above the bench.
  static let discHeight: Float = 26
  /// How far the part of the bench that takes shadows reaches beyond the disc.
  static let shadowReach: Float = 130

  private struct Bytes: @unchecked Sendable { var start: UnsafeMutablePointer<UInt8> }
  private enum Surface: Int32 { case wood, plaster, books, poster, carton, disc, rim }

  private struct Key: Hashable {
    var discRadius: Double
    var seed: UInt64
    var finest: Int
  }
  private static let last = Mutex<(key: Key, room: Room)?>(nil)

  /// A room, or the last one again if that is the same: many worlds of one process have the same.
  static func furnished(discRadius: Double, seed: UInt64, finest: Int, threads: Int) throws(DeviceError) -> Room {
    let key = Key(discRadius: discRadius, seed: seed, finest: finest)
    if let kept = last.withLock({ $0 }), kept.key == key { return kept.room }
    let room = try Room(discRadius: discRadius, seed: seed, finest: finest, threads: threads)
    last.withLock { $0 = (key, room) }
    return room
  }

  /// `finest` is the side of the finest texture in texels: more than the pictures resolve is a waste.
  private init(discRadius: Double, seed: UInt64, finest: Int, threads: Int) throws(DeviceError) {
    let mark = UInt32(truncatingIfNeeded: seed)
    func texture(_ surface: Surface, size: Int, gloss: Float) throws(DeviceError) -> RenderTexture {
      let side = min(size, finest)
      let bytes = [UInt8](unsafeUninitializedCapacity: 3 * side * side) { buffer, count in
        let out = Bytes(start: buffer.baseAddress!)
        Parallel.bands(side, of: 32, threads: threads) { rows in
          cr_room_texture(
            surface.rawValue, mark, Int32(side), Int32(rows.lowerBound), Int32(rows.upperBound), out.start)
        }
        count = 3 * side * side
      }
      let image = RGBImage(width: side, height: side, bytes: bytes)
      return try RenderTexture(image, gloss: gloss, name: "room")
    }
    func mesh(_ shape: Shape, _ texture: RenderTexture) throws(DeviceError) -> RenderMesh {
      try RenderMesh(shape.mesh, texture: texture, closed: false, name: "room")
    }
    let radius = Float(discRadius)
    let wood = try texture(.wood, size: 1024, gloss: 0.12)
    var benchTop = Shape()
    benchTop.grid(
      origin: [-1000, -Room.discHeight, 500], u: [2000, 0, 0], v: [0, 0, -1300], columns: 80, rows: 52)
    var around = Shape()
    around.ring(inner: radius - 6, outer: radius + Room.shadowReach, height: -Room.discHeight)
    var wall = Shape()
    wall.grid(origin: [-1400, -Room.discHeight, -800], u: [2800, 0, 0], v: [0, 1100, 0], columns: 90, rows: 40)
    var shelf = Shape()
    shelf.box(centre: [-210, 85 - Room.discHeight, -560], half: [150, 85, 60], turn: 8)
    var board = Shape()
    board.box(centre: [215, 120 - Room.discHeight, -700], half: [105, 120, 6], turn: -12)
    var cartons = Shape()
    cartons.box(centre: [120, 42 - Room.discHeight, -520], half: [62, 42, 45], turn: 24)
    cartons.box(centre: [-395, 60 - Room.discHeight, -420], half: [70, 60, 60], turn: -31)
    cartons.box(centre: [330, 36 - Room.discHeight, -330], half: [48, 36, 40], turn: 40)
    var disc = Shape()
    disc.disc(radius: radius)
    var rim = Shape()
    rim.band(radius: radius, top: 0, bottom: -Room.discHeight + 4)
    still = [
      try mesh(benchTop, wood), try mesh(wall, try texture(.plaster, size: 512, gloss: 0)),
      try mesh(shelf, try texture(.books, size: 512, gloss: 0.1)),
      try mesh(board, try texture(.poster, size: 512, gloss: 0.1)),
      try mesh(cartons, try texture(.carton, size: 512, gloss: 0))
    ]
    bench = try mesh(around, wood)
    self.disc = try mesh(disc, try texture(.disc, size: 1024, gloss: 0.08))
    self.rim = try mesh(rim, try texture(.rim, size: 512, gloss: 0.2))
  }
}

#if canImport(Glibc)
  import Glibc
#endif

/// A textured surface under construction: finely divided, because edges are drawn as straight segments of the
/// distorted picture.
private struct Shape {
  var mesh = TriangleMesh()

  private mutating func point(_ p: SIMD3<Float>, _ n: SIMD3<Float>, _ uv: SIMD2<Float>) {
    mesh.positions.append(p)
    mesh.normals.append(n)
    mesh.uvs.append(uv)
  }

  /// A net of (columns + 1) × (rows + 1) points that are there already, from index `first`.
  private mutating func weave(first: Int, columns: Int, rows: Int) {
    for y in 0..<rows {
      for x in 0..<columns {
        let a = UInt32(first + y * (columns + 1) + x)
        let b = a + UInt32(columns + 1)
        mesh.triangles.append([a, a + 1, b + 1])
        mesh.triangles.append([a, b + 1, b])
      }
    }
  }

  /// The place on the bench's boards, 700 mm to a repetition.
  private func benchUV(_ p: SIMD3<Float>) -> SIMD2<Float> { SIMD2(p.x, -p.z) / 700 }

  /// A rectangle. One that lies flat gets the bench's boards, any other its whole texture.
  mutating func grid(origin: SIMD3<Float>, u: SIMD3<Float>, v: SIMD3<Float>, columns: Int, rows: Int) {
    let first = mesh.positions.count
    let normal = u.cross(v).normalized
    let flat = normal.y > 0.99 && u.x > 500
    for y in 0...rows {
      for x in 0...columns {
        let s = Float(x) / Float(columns)
        let t = Float(y) / Float(rows)
        let p = origin + u * s + v * t
        point(p, normal, flat ? benchUV(p) : SIMD2(s, t))
      }
    }
    weave(first: first, columns: columns, rows: rows)
  }

  /// An upright box, turned about its middle by so many degrees; every face shows the whole texture.
  mutating func box(centre: SIMD3<Float>, half: SIMD3<Float>, turn degrees: Float) {
    let c = cos(degrees * .pi / 180)
    let s = sin(degrees * .pi / 180)
    let x = SIMD3<Float>(c, 0, -s) * half.x
    let y = SIMD3<Float>(0, half.y, 0)
    let z = SIMD3<Float>(s, 0, c) * half.z
    for (right, up, out) in [(x, y, z), (-z, y, x), (-x, y, -z), (z, y, -x), (x, -z, y)] {
      grid(
        origin: centre - right - up + out, u: right * 2, v: up * 2, columns: max(2, Int(right.length / 12)),
        rows: max(2, Int(up.length / 12)))
    }
  }

  /// A flat ring of bench around the origin.
  mutating func ring(inner: Float, outer: Float, height: Float) {
    let first = mesh.positions.count
    for y in 0...12 {
      for x in 0...144 {
        let angle = Float(x) / 144 * 2 * .pi
        let radius = inner + (outer - inner) * Float(y) / 12
        let p = SIMD3(radius * cos(angle), height, -radius * sin(angle))
        point(p, [0, 1, 0], benchUV(p))
      }
    }
    weave(first: first, columns: 144, rows: 12)
  }

  /// The disc's face at height 0.
  mutating func disc(radius: Float) {
    let first = mesh.positions.count
    for y in 0...8 {
      for x in 0...288 {
        let angle = Float(x) / 288 * 2 * .pi
        let r = Float(y) / 8
        let p = SIMD3(r * cos(angle), 0, -r * sin(angle))
        point(p * radius, [0, 1, 0], SIMD2(p.x, -p.z) * 0.5 + 0.5)
      }
    }
    weave(first: first, columns: 288, rows: 8)
  }

  /// The wall of a cylinder.
  mutating func band(radius: Float, top: Float, bottom: Float) {
    let first = mesh.positions.count
    for y in 0...1 {
      for x in 0...288 {
        let turn = Float(x) / 288
        let n = SIMD3<Float>(cos(turn * 2 * .pi), 0, -sin(turn * 2 * .pi))
        point(n * radius + [0, y == 0 ? bottom : top, 0], n, SIMD2(turn, Float(y)))
      }
    }
    weave(first: first, columns: 288, rows: 1)
  }
}
