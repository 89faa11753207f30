import CRender
import Imaging
import Rig

/// All that decides what the cameras see at one instant.
struct SceneState: Hashable {
  /// True turntable angle.
  var turn: Angle
  /// Where the left camera is, with pan, tilt and vibration.
  var leftFromTable: RigidTransform
  /// Where the object is on the disc (in the object frame), if it is there.
  var discFromObject: RigidTransform?
  /// Lamp levels.
  var lamps: [Double]
  /// The turn for which shadows are drawn, and the view for which the still room is, where everything shakes a little: in
  /// steps of a tenth of a pixel, so that what is drawn once serves many frames.
  var shadowTurn: Angle, leftFromRoom: RigidTransform
}

/// Draws what two true cameras see. Not for two threads at once: the camera has a queue of its own for it.
final class SceneRenderer: @unchecked Sendable {
  private let stereo: StereoCalibration
  private let room: Room
  private let object: RenderMesh
  private let objectRadius: Double
  private let roomLight: Double
  private let threads: Int
  private var eyes: [EyeKey: EyeRenderer] = [:]
  private let shadows: [UnsafeMutablePointer<cr_shadow>]
  private let roomShadows: [UnsafeMutablePointer<cr_shadow>]
  private var shadowKey: ShadowKey?
  private var openFor: RigidTransform?
  private var contact: UnsafeMutablePointer<Float>

  private struct EyeKey: Hashable {
    var side: Int
    var width: Int
  }
  private struct ShadowKey: Hashable {
    var turn: Angle
    var discFromObject: RigidTransform?
  }

  private static let contactSize: Int32 = 160
  private static let contactExtent: Float = 180
  /// Where the lamps hang: left, right, above.
  private static let lampPositions: [SIMD3<Float>] = [[-430, 620, 380], [520, 480, 240], [60, 900, -120]]
  private static let lampColours: [SIMD3<Float>] = [[0.62, 0.60, 0.56], [0.46, 0.45, 0.44], [0.5, 0.5, 0.52]]

  init(
    stereo: StereoCalibration, room: Room, object: RenderMesh, objectRadius: Double, roomLight: Double, lamps: Int,
    threads: Int
  ) throws(DeviceError) {
    self.stereo = stereo
    self.room = room
    self.object = object
    self.objectRadius = objectRadius
    self.roomLight = roomLight
    self.threads = threads
    let size = stereo.left.width >= 600 ? Int32(1024) : 512
    shadows = (0..<lamps).compactMap { _ in cr_shadow_create(size) }
    roomShadows = (0..<lamps).compactMap { _ in cr_shadow_create(1024) }
    contact = .allocate(capacity: Int(SceneRenderer.contactSize * SceneRenderer.contactSize))
    contact.initialize(repeating: 1, count: Int(SceneRenderer.contactSize * SceneRenderer.contactSize))
    guard shadows.count == lamps, roomShadows.count == lamps else { throw SceneRenderer.noMemory }
    var still = cr_scene()
    var stays = cr_pose(.identity)
    for mesh in room.still { cr_scene_add(&still, mesh.pointer, &stays, 0) }
    for (shadow, position) in zip(roomShadows, SceneRenderer.lampPositions) {
      try SceneRenderer.cast(still, into: shadow, from: position, centre: [0, 60, -350], radius: 480)
    }
  }

  deinit {
    for shadow in shadows + roomShadows { cr_shadow_free(shadow) }
    contact.deallocate()
  }

  private static let noMemory = DeviceError(
    .faulty, device: "simulated cameras", operation: "render", remedy: "free some memory")

  private static func cast(
    _ scene: cr_scene, into shadow: UnsafeMutablePointer<cr_shadow>, from lamp: SIMD3<Float>, centre: SIMD3<Float>,
    radius: Float
  ) throws(DeviceError) {
    var scene = scene
    let status = withUnsafeBytes(of: (lamp.x, lamp.y, lamp.z)) { l in
      withUnsafeBytes(of: (centre.x, centre.y, centre.z)) { c in
        cr_shadow_render(
          shadow, &scene, l.assumingMemoryBound(to: Float.self).baseAddress,
          c.assumingMemoryBound(to: Float.self).baseAddress, radius)
      }
    }
    guard status == 0 else { throw noMemory }
  }

  /// The mean of what the left (0) or right (1) camera sees at the given instants, at a width of `width` pixels.
  func picture(_ states: [SceneState], side: Int, width: Int, height: Int) throws(DeviceError) -> LinearPicture {
    let key = EyeKey(side: side, width: width)
    if eyes[key] == nil {
      let lens = (side == 0 ? stereo.left : stereo.right).scaled(width: width, height: height)
      guard let eye = EyeRenderer(lens: lens, threads: threads) else { throw SceneRenderer.noMemory }
      eyes[key] = eye
    }
    guard let eye = eyes[key] else { throw SceneRenderer.noMemory }
    let out = LinearPicture(width: width, height: height)
    for (i, state) in states.enumerated() {
      try prepare(state)
      let cameraFromLeft = side == 0 ? RigidTransform.identity : stereo.rightFromLeft
      let drawn = eye.draw(
        lit(moving(state), state, shadows), from: cameraFromLeft * state.leftFromTable,
        before: lit(stillScene(), state, roomShadows),
        key: EyeRenderer.BackdropKey(cameraFromTable: cameraFromLeft * state.leftFromRoom, lamps: state.lamps),
        into: out,
        keep: i == 0 ? 0 : 1, weight: 1 / Float(states.count), threads: threads)
      guard drawn else { throw SceneRenderer.noMemory }
    }
    return out
  }

  private func turned(_ angle: Angle) -> RigidTransform {
    RigidTransform(rotation: .rotation(angle, about: [0, 1, 0]), translation: .zero)
  }

  private func stillScene() -> cr_scene {
    var scene = cr_scene()
    var stays = cr_pose(.identity)
    for mesh in room.still { cr_scene_add(&scene, mesh.pointer, &stays, 0) }
    return scene
  }

  private func moving(_ state: SceneState) -> cr_scene {
    var scene = cr_scene()
    var stays = cr_pose(.identity)
    var turns = cr_pose(turned(state.turn))
    cr_scene_add(&scene, room.bench.pointer, &stays, 0)
    cr_scene_add(&scene, room.disc.pointer, &turns, 1)
    cr_scene_add(&scene, room.rim.pointer, &turns, 0)
    if let discFromObject = state.discFromObject {
      var pose = cr_pose(turned(state.turn) * discFromObject)
      cr_scene_add(&scene, object.pointer, &pose, 0)
      scene.contact = UnsafePointer(contact)
      scene.contact_size = SceneRenderer.contactSize
      scene.contact_extent = SceneRenderer.contactExtent
      scene.contact_from_world = cr_pose(turned(-state.turn))
    }
    return scene
  }

  /// Hangs the lamps into a scene.
  private func lit(_ dark: cr_scene, _ state: SceneState, _ shadows: [UnsafeMutablePointer<cr_shadow>]) -> cr_scene {
    var scene = dark
    var ambient = SIMD3<Float>(repeating: Float(roomLight) * 0.55)
    for (i, level) in state.lamps.enumerated() where level > 0 {
      let place = SceneRenderer.lampPositions[i]
      let colour = SceneRenderer.lampColours[i] * Float(level)
      ambient += colour * 0.3  // what walls and ceiling throw back
      var lamp = cr_lamp(
        position: (place.x, place.y, place.z), colour: (colour.x, colour.y, colour.z), reach: place.length,
        shadow: UnsafePointer(shadows[i]))
      cr_scene_light(&scene, &lamp)
    }
    scene.ambient = (ambient.x, ambient.y, ambient.z)
    return scene
  }

  /// Brings shadows and openness up to date.
  private func prepare(_ state: SceneState) throws(DeviceError) {
    if let discFromObject = state.discFromObject, openFor != discFromObject {
      var pose = cr_pose(discFromObject)
      let size = SceneRenderer.contactSize
      let directions: Int32 = stereo.left.width >= 600 ? 48 : 20
      guard cr_openness(object.pointer, &pose, directions, contact, size, SceneRenderer.contactExtent) == 0 else {
        throw SceneRenderer.noMemory
      }
      openFor = discFromObject
    }
    let key = ShadowKey(turn: state.shadowTurn, discFromObject: state.discFromObject)
    guard shadowKey != key else { return }
    shadowKey = nil
    var casting = state
    casting.turn = state.shadowTurn
    let casters = Casters(scene: moving(casting), shadows: shadows, reach: reach(state))
    try Parallel.forEach(shadows.count, threads: threads) { (i) throws(DeviceError) in
      var scene = casters.scene
      scene.instances.0 = scene.instances.2  // the bench throws no shadow; the rim does
      let place = SceneRenderer.lampPositions[i]
      try SceneRenderer.cast(
        scene, into: casters.shadows[i], from: place, centre: casters.reach.centre, radius: casters.reach.radius)
    }
    shadowKey = key
  }

  private struct Casters: @unchecked Sendable {
    var scene: cr_scene
    var shadows: [UnsafeMutablePointer<cr_shadow>]
    var reach: (centre: SIMD3<Float>, radius: Float)
  }

  /// A ball around all that throws shadows.
  private func reach(_ state: SceneState) -> (centre: SIMD3<Float>, radius: Float) {
    let height = Float(min(300, 2 * objectRadius))
    return ([0, height / 3, 0], max(190, Float(objectRadius) * 1.6 + 60))
  }
}
