import CDepth
import Imaging

extension cdepth_source {
  /// The geometry between a reference view and a source, both pinholes, without any pixels yet.
  init(reference: Lens, _ referenceFromWorld: RigidTransform, source: Lens, _ sourceFromWorld: RigidTransform) {
    self.init()
    let relative = sourceFromWorld * referenceFromWorld.inverse
    let k = Matrix3([source.fx, 0, source.cx], [0, source.fy, source.cy], [0, 0, 1])
    let inverse = Matrix3(
      [1 / reference.fx, 0, -reference.cx / reference.fx], [0, 1 / reference.fy, -reference.cy / reference.fy],
      [0, 0, 1])
    let h = k * relative.rotation * inverse
    let t = k * relative.translation
    m = (
      Float(h.row0.x), Float(h.row0.y), Float(h.row0.z), Float(h.row1.x), Float(h.row1.y), Float(h.row1.z),
      Float(h.row2.x), Float(h.row2.y), Float(h.row2.z)
    )
    b = (Float(t.x), Float(t.y), Float(t.z))
    width = Int32(source.width)
    height = Int32(source.height)
  }

  /// Says how the source's own planes, of a field of some level, lie under its picture at `level`.
  mutating func describePlanes(of field: PlaneField, under level: Int) {
    plane_width = Int32(field.columns)
    plane_height = Int32(field.rows)
    plane_scale = level <= field.level ? 1 / Float(1 << (field.level - level)) : Float(1 << (level - field.level))
    plane_x = Float(field.x0)
    plane_y = Float(field.y0)
  }
}

/// Calls `body` with the addresses of all arrays, in order. They are valid during the call.
func withAddresses<Element, Value>(of arrays: [[Element]], _ body: ([UnsafePointer<Element>?]) -> Value) -> Value {
  func collect(_ addresses: [UnsafePointer<Element>?]) -> Value {
    if addresses.count == arrays.count { return body(addresses) }
    return arrays[addresses.count].withUnsafeBufferPointer { collect(addresses + [$0.baseAddress]) }
  }
  return collect([])
}
