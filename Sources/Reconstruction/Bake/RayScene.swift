import CMesh
import Media

/// A mesh prepared for rays and nearest points. Queries may come from several threads.
final class RayScene: @unchecked Sendable {
  private let scene: OpaquePointer

  /// Builds the hierarchy over `mesh`. Throws where memory runs out.
  init(_ mesh: TriangleMesh) throws(ReconstructionError) {
    var message = [CChar](repeating: 0, count: 200)
    var isOutOfMemory = false
    guard let scene = mesh.withCView({ cmesh_scene_create($0, &message, message.count, &isOutOfMemory) }) else {
      if isOutOfMemory { throw .outOfMemory("to prepare \(mesh.triangles.count) triangles for ray casting") }
      let text = message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      throw ReconstructionError(.io, "cannot prepare \(mesh.triangles.count) triangles for ray casting: \(text)")
    }
    self.scene = scene
  }

  deinit { cmesh_scene_destroy(scene) }

  /// First hits of rays, one each, in order.
  func intersect(_ rays: UnsafeBufferPointer<cmesh_ray>, into hits: UnsafeMutableBufferPointer<cmesh_hit>) {
    precondition(hits.count >= rays.count)
    cmesh_intersect(scene, rays.baseAddress, rays.count, hits.baseAddress)
  }

  /// For each ray 1 where anything is in the way, else 0.
  func occluded(_ rays: UnsafeBufferPointer<cmesh_ray>, into blocked: UnsafeMutableBufferPointer<UInt8>) {
    precondition(blocked.count >= rays.count)
    cmesh_occluded(scene, rays.baseAddress, rays.count, blocked.baseAddress)
  }

  /// The nearest places on the mesh to points, within `radius`.
  func closest(
    to points: UnsafeBufferPointer<SIMD3<Float>>, radius: Float, into out: UnsafeMutableBufferPointer<cmesh_nearest>
  ) {
    precondition(out.count >= points.count)
    cmesh_closest(
      scene, points.baseAddress, MemoryLayout<SIMD3<Float>>.stride, points.count, radius, out.baseAddress)
  }
}

extension cmesh_ray {
  /// A ray from a point along a direction.
  init(from origin: SIMD3<Float>, along direction: SIMD3<Float>, near: Float = 0, far: Float = .infinity) {
    self.init(
      origin: (origin.x, origin.y, origin.z), near: near, direction: (direction.x, direction.y, direction.z), far: far)
  }
}
