import Imaging

/// Memory that the parts of a parallel loop fill, each writing only what belongs to its own index: the promise that makes
/// it sendable, and that no compiler can check.
struct SharedBuffer<Element>: @unchecked Sendable {
  let base: UnsafeMutablePointer<Element>

  /// Over memory that outlives the loop.
  init(_ buffer: UnsafeMutableBufferPointer<Element>) { base = buffer.baseAddress! }

  subscript(i: Int) -> Element {
    get { base[i] }
    nonmutating set { base[i] = newValue }
  }
}

extension Parallel {
  /// The values of `body` for all indices below `count`, in order.
  static func map<Value: Sendable>(
    _ count: Int, threads: Int = processorCount, _ body: @Sendable (Int) -> Value
  ) -> [Value] {
    [Value](unsafeUninitializedCapacity: count) { buffer, used in
      used = count
      guard count > 0 else { return }
      let slots = SharedBuffer(buffer)
      forEach(count, threads: threads) { i in (slots.base + i).initialize(to: body(i)) }
    }
  }
}
