/// Hands events to any number of readers. A reader that falls behind loses the oldest; it never slows the others.
struct EventHub<Event: Sendable>: ~Copyable {
  private var readers: [Int: AsyncStream<Event>.Continuation] = [:]
  private var last = 0
  private let depth: Int

  /// A hub whose readers may be `depth` events behind.
  init(depth: Int) { self.depth = depth }

  /// A new reader, who first gets `greeting`. `forget` is called when it goes away, to call `remove` in turn.
  mutating func subscribe(greeting: [Event], forget: @escaping @Sendable (Int) -> Void) -> AsyncStream<Event> {
    last += 1
    let id = last
    let (stream, reader) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(depth))
    for event in greeting { reader.yield(event) }
    reader.onTermination = { _ in forget(id) }
    readers[id] = reader
    return stream
  }

  /// Forgets a reader.
  mutating func remove(_ id: Int) { readers[id] = nil }

  /// Tells everyone.
  func send(_ event: Event) {
    for reader in readers.values { reader.yield(event) }
  }
}
