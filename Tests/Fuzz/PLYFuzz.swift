// modules: Media
import Media

/// What is read is consistent, and comes back the same from what is written.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPLY(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let limits = MeshLimits(maxVertices: 100_000, maxTriangles: 100_000)
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let mesh = try? PLY.read(bytes, limits: limits) else { return 0 }
  precondition(mesh.triangles.allSatisfy { $0.max() < UInt32(mesh.positions.count) })
  for encoding in [PLY.Encoding.binary, .text] {
    guard let again = try? PLY.read(PLY.write(mesh, encoding: encoding), limits: limits) else {
      preconditionFailure("what was written is not read")
    }
    precondition(
      again.positions == mesh.positions && again.triangles == mesh.triangles && again.colours == mesh.colours)
  }
  return 0
}
