import Rig

/// An input line that may be absent. Its edges go on when it is back.
package struct ReopeningInput: InputLine {
  /// The line as the configuration names it.
  package let name: String
  private let line: Reopening<any InputLine>

  /// A line behind a device that comes and goes.
  package init(_ line: Reopening<any InputLine>) {
    name = line.name
    self.line = line
  }

  /// The level now. Throws why it is absent, and what the line throws.
  package func read() async throws(DeviceError) -> Bool {
    try await line.perform { line throws(DeviceError) in try await line.read() }
  }

  /// Edges from now on, of whatever line is there; none while there is none. Never throws.
  package func edges() async throws(DeviceError) -> AsyncStream<LineEdge> {
    let (stream, sink) = AsyncStream.makeStream(of: LineEdge.self, bufferingPolicy: .bufferingNewest(64))
    let line = line
    let forwarding = Task {
      var watch: Task<Void, Never>?
      for await opened in line.appearances() {
        // one that was lost is let go of, or it could not be opened again
        watch?.cancel()
        watch = opened.map { opened in
          Task {
            let error = await Self.forward(opened.device, to: sink)
            if !Task.isCancelled { line.lose(opened, error) }
          }
        }
      }
      watch?.cancel()
    }
    sink.onTermination = { _ in forwarding.cancel() }
    return stream
  }

  /// Passes edges on until there are no more; returns why.
  private static func forward(
    _ line: any InputLine, to sink: AsyncStream<LineEdge>.Continuation
  ) async -> DeviceError {
    do throws(DeviceError) {
      for await edge in try await line.edges() { sink.yield(edge) }
      // a line says why it ended to whoever asks it next
      _ = try await line.read()
      return DeviceError(.absent, device: line.name, operation: "wait for edges")
    } catch {
      return error
    }
  }
}
