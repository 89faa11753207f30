import CDepth
import Imaging

/// A dense, regular grid over a box. Fields on it are plain arrays of `count` values: x fastest, then y, then z.
package struct VoxelGrid: Sendable {
  /// The centre of voxel 0, 0, 0 in world coordinates.
  let origin: SIMD3<Float>
  /// The distance between neighbours.
  let voxel: Float
  let nx: Int, ny: Int, nz: Int

  package var count: Int { nx * ny * nz }
  /// How far apart two neighbours along z are in an array.
  var slice: Int { nx * ny }

  /// A grid over `box` and `margin` voxels around it.
  init(box: Box3, voxel: Double, margin: Int) {
    let size = (box.max - box.min) / voxel
    func cells(_ length: Double) -> Int { Int(length.rounded(.up)) + 1 + 2 * margin }
    nx = cells(size.x)
    ny = cells(size.y)
    nz = cells(size.z)
    // the box sits in the middle of the whole cells
    let whole = SIMD3(Double(nx - 1), Double(ny - 1), Double(nz - 1)) * voxel
    origin = SIMD3<Float>(box.centre - whole / 2)
    self.voxel = Float(voxel)
  }

  /// A grid from its parts.
  package init(origin: SIMD3<Float>, voxel: Float, nx: Int, ny: Int, nz: Int) {
    self.origin = origin
    self.voxel = voxel
    self.nx = nx
    self.ny = ny
    self.nz = nz
  }

  /// The centre of a voxel.
  @inline(__always) package func position(_ x: Int, _ y: Int, _ z: Int) -> SIMD3<Float> {
    origin + voxel * SIMD3(Float(x), Float(y), Float(z))
  }

  var kernel: cdepth_grid {
    cdepth_grid(
      origin: (origin.x, origin.y, origin.z), voxel: voxel, nx: Int32(nx), ny: Int32(ny), nz: Int32(nz))
  }

  /// The field at a place, linear between the eight voxels around it, clamped to the grid.
  func sample(_ field: UnsafePointer<Float>, at place: SIMD3<Float>) -> Float {
    let p = (place - origin) / voxel
    let low = SIMD3<Float>.zero
    let high = SIMD3(Float(nx) - 1.001, Float(ny) - 1.001, Float(nz) - 1.001)
    let q = p.clamped(lowerBound: low, upperBound: high)
    let (x, y, z) = (Int(q.x), Int(q.y), Int(q.z))
    let f = q - SIMD3(Float(x), Float(y), Float(z))
    let at = field + (z * slice + y * nx + x)
    func row(_ offset: Int) -> Float { at[offset] + f.x * (at[offset + 1] - at[offset]) }
    let near = row(0) + f.y * (row(nx) - row(0))
    let far = row(slice) + f.y * (row(slice + nx) - row(slice))
    return near + f.z * (far - near)
  }
}

/// Arrays that worker threads write side by side, each its own slices.
struct SharedField<Element>: @unchecked Sendable {
  // Unchecked because the pointer is shared on purpose: callers split the slices between threads.
  let base: UnsafeMutablePointer<Element>
}

extension Array {
  /// Lends the elements to worker threads for the time of the call.
  mutating func shared<Value>(_ body: (SharedField<Element>) -> Value) -> Value {
    withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("a field without voxels") }
      return body(SharedField(base: base))
    }
  }
}
