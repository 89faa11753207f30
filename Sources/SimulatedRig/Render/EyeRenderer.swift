import CRender
import Imaging

/// One camera at one picture size: its lens' rays, its scratch memory, and its last views of the still room.
final class EyeRenderer {
  private let lens: Lens
  private var camera = cr_camera()
  private let view: OpaquePointer
  private let rays: UnsafeMutablePointer<Float>
  /// The newest last.
  private var backdrops: [(key: BackdropKey, picture: LinearPicture)] = []
  /// A stand that shakes comes back to the same few views.
  private static let backdropsKept = 3

  /// What the still room's picture depends on.
  struct BackdropKey: Hashable {
    var cameraFromTable: RigidTransform
    var lamps: [Double]
  }

  /// nil without memory for a picture of this size.
  init?(lens: Lens, threads: Int) {
    guard let view = cr_view_create(Int32(lens.width), Int32(lens.height)) else { return nil }
    self.lens = lens
    self.view = view
    rays = .allocate(capacity: 2 * lens.width * lens.height)
    camera.width = Int32(lens.width)
    camera.height = Int32(lens.height)
    camera.fx = Float(lens.fx)
    camera.fy = Float(lens.fy)
    camera.cx = Float(lens.cx)
    camera.cy = Float(lens.cy)
    camera.k1 = Float(lens.k1)
    camera.k2 = Float(lens.k2)
    camera.k3 = Float(lens.k3)
    camera.p1 = Float(lens.p1)
    camera.p2 = Float(lens.p2)
    camera.max_r2 = Float(EyeRenderer.trustedRadiusSquared(lens))
    camera.rays = UnsafePointer(rays)
    let task = Task(view: view, camera: camera, scene: cr_scene())
    let rays = Pointer(rays)
    Parallel.bands(lens.height, of: 64, threads: threads) { rows in
      withUnsafePointer(to: task.camera) {
        cr_camera_rays($0, rays.value, Int32(rows.lowerBound), Int32(rows.upperBound))
      }
    }
  }

  deinit {
    cr_view_free(view)
    rays.deallocate()
  }

  /// How far out the distortion may be trusted: well beyond the corners, but not where it folds back.
  private static func trustedRadiusSquared(_ lens: Lens) -> Double {
    var corner = 0.0
    for x in [0.0, Double(lens.width - 1)] {
      for y in [0.0, Double(lens.height - 1)] {
        let r = lens.ray(SIMD2(x, y))
        corner = max(corner, r.x * r.x + r.y * r.y)
      }
    }
    var limit = corner
    while limit < corner * 2.6 {
      let next = limit * 1.05
      if 1 + next * (3 * lens.k1 + next * (5 * lens.k2 + next * 7 * lens.k3)) <= 0.1 { break }
      limit = next
    }
    return limit
  }

  /// Pointers for the threads of one kernel call; each unit of work writes only what belongs to it.
  private struct Task: @unchecked Sendable {
    var view: OpaquePointer
    var camera: cr_camera
    var scene: cr_scene
    var backdrop: UnsafePointer<Float>?
    var keep: Float = 0
    var weight: Float = 1
    var out: UnsafeMutablePointer<Float>?
    var depth: UnsafeMutablePointer<Float>?
  }

  private struct Pointer<T>: @unchecked Sendable {
    var value: UnsafeMutablePointer<T>
    init(_ value: UnsafeMutablePointer<T>) { self.value = value }
  }

  /// Adds `weight` times a picture of `scene` before the still `room` to `keep` times `out`. Returns false without memory.
  func draw(
    _ scene: cr_scene, from cameraFromTable: RigidTransform, before room: cr_scene, key: BackdropKey,
    into out: LinearPicture, keep: Float, weight: Float, threads: Int
  ) -> Bool {
    guard let backdrop = backdrop(of: room, key, threads: threads) else { return false }
    camera.from_world = cr_pose(cameraFromTable)
    var task = Task(view: view, camera: camera, scene: scene)
    guard cr_view_prepare(view, &task.scene, &task.camera) == 0 else { return false }
    task.backdrop = UnsafePointer(backdrop.values)
    task.keep = keep
    task.weight = weight
    task.out = out.values
    drawTiles(task, threads: threads)
    return true
  }

  private func backdrop(of room: cr_scene, _ key: BackdropKey, threads: Int) -> LinearPicture? {
    if let place = backdrops.firstIndex(where: { $0.key == key }) {
      backdrops.append(backdrops.remove(at: place))
    } else {
      if backdrops.count >= Self.backdropsKept { backdrops.removeFirst() }
      camera.from_world = cr_pose(key.cameraFromTable)
      let picture = LinearPicture(width: lens.width, height: lens.height)
      guard drawBackdrop(room, into: picture, threads: threads) else { return nil }
      backdrops.append((key, picture))
    }
    return backdrops.last?.picture
  }

  private func drawBackdrop(_ room: cr_scene, into picture: LinearPicture, threads: Int) -> Bool {
    var task = Task(view: view, camera: camera, scene: room)
    guard cr_view_prepare(view, &task.scene, &task.camera) == 0 else { return false }
    let sharp = LinearPicture(width: lens.width, height: lens.height)
    let depth = UnsafeMutablePointer<Float>.allocate(capacity: lens.width * lens.height)
    defer { depth.deallocate() }
    task.out = sharp.values
    task.depth = depth
    drawTiles(task, threads: threads)
    // the lenses are focused on the table's axis
    let focus = max(100, camera.from_world.m.11)
    let strength = 1.6 * camera.fx
    let width = Int32(lens.width)
    let height = Int32(lens.height)
    for pass in Int32(0)..<2 {
      let from = Pointer(pass == 0 ? sharp.values : picture.values)
      let to = Pointer(pass == 0 ? picture.values : sharp.values)
      let far = Pointer(depth)
      Parallel.bands(lens.height, of: 64, threads: threads) { rows in
        cr_defocus_rows(
          from.value, far.value, to.value, width, height, Int32(rows.lowerBound), Int32(rows.upperBound), pass,
          strength, focus)
      }
    }
    picture.values.update(from: sharp.values, count: 3 * lens.width * lens.height)
    return true
  }

  private func drawTiles(_ task: Task, threads: Int) {
    Parallel.forEach(Int(cr_view_tile_count(view)), threads: threads) { tile in
      withUnsafePointer(to: task.scene) { scene in
        withUnsafePointer(to: task.camera) { camera in
          cr_view_tile(
            task.view, scene, camera, Int32(tile), task.backdrop, task.keep, task.weight, task.out, task.depth)
        }
      }
    }
  }
}
