/// The bytes of several pictures at once, as kernels take them.
func withBases<Element, Result>(
  _ arrays: [[Element]], _ body: ([UnsafePointer<Element>?]) -> Result
) -> Result {
  var bases: [UnsafePointer<Element>?] = []
  func descend(_ i: Int) -> Result {
    if i == arrays.count { return body(bases) }
    return arrays[i].withUnsafeBufferPointer { buffer in
      bases.append(buffer.baseAddress)
      return descend(i + 1)
    }
  }
  return descend(0)
}
