import CRender
import Imaging
import Media
import Rig

/// A picture on a surface, owned.
final class RenderTexture: @unchecked Sendable {
  // Immutable once made.
  let pointer: UnsafeMutablePointer<cr_texture>

  /// Throws `.outOfRange` for pictures beyond 8192 pixels a side, or without memory.
  init(_ image: RGBImage, gloss: Float, name: String) throws(DeviceError) {
    guard let made = cr_texture_create(image.bytes, Int32(image.width), Int32(image.height), gloss) else {
      throw DeviceError(
        .outOfRange, device: name, operation: "load a texture of \(image.width)×\(image.height) pixels",
        remedy: "use a picture of at most 8192 pixels a side")
    }
    pointer = made
  }

  deinit { cr_texture_free(pointer) }
}

/// A mesh the renderer draws, owned. Its `openness` changes when it is put down; that happens only on the thread that
/// renders.
final class RenderMesh: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<cr_mesh>
  private let texture: RenderTexture?

  init(owning pointer: UnsafeMutablePointer<cr_mesh>) {
    self.pointer = pointer
    texture = nil
  }

  /// A mesh under a picture. `closed` meshes have no visible back faces.
  init(_ mesh: TriangleMesh, texture: RenderTexture, closed: Bool, name: String) throws(DeviceError) {
    guard
      let made = cr_mesh_create(UInt32(mesh.positions.count), UInt32(mesh.triangles.count), 1, 0)
    else {
      throw DeviceError(
        .outOfRange, device: name, operation: "load a mesh of \(mesh.triangles.count) triangles",
        remedy: "use a mesh that has triangles and fits the memory")
    }
    pointer = made
    self.texture = texture
    for (i, p) in mesh.positions.enumerated() {
      for c in 0..<3 { made.pointee.positions[3 * i + c] = p[c] }
    }
    for (i, n) in mesh.normals.enumerated() {
      for c in 0..<3 { made.pointee.normals[3 * i + c] = n[c] }
    }
    for (i, uv) in mesh.uvs.enumerated() {
      made.pointee.uvs[2 * i] = uv.x
      made.pointee.uvs[2 * i + 1] = uv.y
    }
    for (i, t) in mesh.triangles.enumerated() {
      for c in 0..<3 { made.pointee.triangles[3 * i + c] = t[c] }
    }
    made.pointee.texture = UnsafePointer(texture.pointer)
    made.pointee.closed = closed ? 1 : 0
    cr_mesh_finish(made, mesh.normals.isEmpty ? 1 : 0)
  }

  deinit { cr_mesh_free(pointer) }

  /// The geometry, without its colours.
  var geometry: TriangleMesh {
    let m = pointer.pointee
    var mesh = TriangleMesh()
    mesh.positions = (0..<Int(m.vertex_count)).map {
      SIMD3(m.positions[3 * $0], m.positions[3 * $0 + 1], m.positions[3 * $0 + 2])
    }
    mesh.triangles = (0..<Int(m.triangle_count)).map {
      SIMD3(m.triangles[3 * $0], m.triangles[3 * $0 + 1], m.triangles[3 * $0 + 2])
    }
    return mesh
  }
}

extension cr_pose {
  init(_ t: RigidTransform) {
    let r = t.rotation
    self.init(
      m: (
        Float(r.row0.x), Float(r.row0.y), Float(r.row0.z), Float(t.translation.x),
        Float(r.row1.x), Float(r.row1.y), Float(r.row1.z), Float(t.translation.y),
        Float(r.row2.x), Float(r.row2.y), Float(r.row2.z), Float(t.translation.z)
      ))
  }
}

/// A picture in linear light, three floats a pixel, in memory that kernels on several threads write.
final class LinearPicture: @unchecked Sendable {
  let width: Int
  let height: Int
  let values: UnsafeMutablePointer<Float>

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    values = .allocate(capacity: max(1, 3 * width * height))
    values.initialize(repeating: 0, count: max(1, 3 * width * height))
  }

  deinit { values.deallocate() }
}
