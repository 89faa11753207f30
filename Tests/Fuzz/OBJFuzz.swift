// modules: Media
import Media

/// What is read is consistent; material libraries are read from the same bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOBJ(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  _ = MTL.read(bytes)
  let limits = MeshLimits(maxVertices: 100_000, maxTriangles: 100_000)
  guard let contents = try? OBJ.read(bytes, limits: limits) else { return 0 }
  let mesh = contents.mesh
  let vertices = mesh.positions.count
  precondition(mesh.triangles.allSatisfy { $0.max() < UInt32(vertices) })
  precondition([mesh.normals.count, mesh.uvs.count, mesh.colours.count].allSatisfy { $0 == 0 || $0 == vertices })
  precondition(contents.parts.reduce(0) { $0 + $1.triangles.count } == mesh.triangles.count)
  return 0
}
