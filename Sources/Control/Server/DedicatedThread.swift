import CLinux

/// A named thread for work that blocks, so that the cooperative pool never does.
enum DedicatedThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a detached thread; `name` has at most 15 bytes. Returns 0 or a negative errno.
  static func start(_ name: String, _ run: @escaping @Sendable () -> Void) -> Int32 {
    let body = Unmanaged.passRetained(Body(run))
    let result = linux_thread_start(
      name, { Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().run() }, body.toOpaque())
    if result != 0 { body.release() }
    return result
  }
}
